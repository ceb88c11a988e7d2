"""Debates through the faces: over HTTP, on the command line, with bases that are gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from flow.command import Command
from flow.http_world import served, workspace
from weft import Weft
from weft.domain.errors import UnknownKnowledgeBase
from weft.domain.event import RunEvent
from weft.flows.asking import FlowOutcome

AGREES = "# Apollo\n\nApollo was founded by Li Wei in Seoul.\n"
DIFFERS = "# Apollo\n\nApollo was founded by Ada Kim in Seoul.\n"
QUESTION = "Who founded Apollo?"


def base(home: Path, name: str, text: str) -> str:
    """Make a knowledge base of one document and return its name."""
    folder = home / name
    folder.mkdir()
    (folder / "apollo.md").write_text(text)
    with Weft.open(folder, home=home) as weft:
        weft.sync()
        return weft.name


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return workspace(tmp_path)


@pytest.fixture
def names(home: Path) -> dict[str, str]:
    return {"agrees": base(home, "agrees", AGREES), "differs": base(home, "differs", DIFFERS)}


@pytest.fixture
def client(home: Path, names: dict[str, str]) -> Iterator[TestClient]:
    with served(home) as opened:
        yield opened


def debated(client: TestClient, **asked: object) -> dict[str, Any]:
    reply = client.post("/run_debate", json={"query": QUESTION, **asked})
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    assert reply.headers["X-Run-ID"] == found["run_id"]
    return found


def test_it_asks_all_and_shows_who_agrees_and_who_does_not(
    client: TestClient, names: dict[str, str]
) -> None:
    told = debated(client)
    assert (told["debate_state"], told["outcome"]) == ("ready", "answered")
    assert len(told["agent_statuses"]) == 3
    (dispute,) = told["disagreements"]
    agreed, other = dispute["positions"]
    assert names["differs"] in other["kbs"]
    assert names["agrees"] in agreed["kbs"]
    assert len(agreed["kbs"]) == 2
    assert all(sentence["citations"] for sentence in told["sentences"])
    kinds = [step["type"] for step in told["trace_steps"]]
    assert kinds == ["FANOUT", "DEBATE", "DEBATE", "DEBATE", "COLLECT", "SYNTHESIS"]
    trace = client.get(f"/v1/runs/{told['run_id']}/trace").json()
    assert {step["id"] for step in told["trace_steps"]} <= {one["node"] for one in trace["steps"]}


def test_a_base_whose_file_is_gone_is_blocked_and_never_made_anew(
    client: TestClient, home: Path, names: dict[str, str]
) -> None:
    file = home / "kb" / f"{names['differs']}.db"
    for part in file.parent.glob(f"{names['differs']}.db*"):
        part.unlink()
    told = debated(client, kb=list(names.values()))
    assert (told["debate_state"], told["degraded"]) == ("degraded", True)
    gone = next(one for one in told["agent_statuses"] if one["kb"] == names["differs"])
    assert gone["status"] == "blocked"
    assert "gone" in gone["reason"]
    assert "Li Wei" in told["response"]
    assert not file.exists()
    alone = debated(client, databases=[names["differs"]])
    assert (alone["debate_state"], alone["debate_results"]) == ("blocked", [])
    assert "gone" in alone["response"]
    assert alone["outcome"] == "nothing"
    assert not file.exists()


def test_what_is_asked_is_checked(client: TestClient, names: dict[str, str]) -> None:
    both = {"query": QUESTION, "kb": [names["agrees"]], "databases": [names["agrees"]]}
    for body, status in (
        ({"query": ""}, 422),
        ({"query": "x" * 2001}, 422),
        (both, 422),
        ({"query": QUESTION, "kb": ["Nobody"]}, 404),
    ):
        assert client.post("/run_debate", json=body).status_code == status, body


def test_it_streams_its_steps_and_ends_with_the_answer(client: TestClient) -> None:
    told = client.post("/run_debate", json={"query": QUESTION, "stream": True}).text
    blocks = [
        part.split("data: ", 1)[1].splitlines()[0]
        for part in told.split("\n\n")
        if "data: " in part
    ]
    labels = {json.loads(block).get("label") for block in blocks}
    assert {"Asking an agent for each", "Comparing their conclusions"} <= labels
    assert json.loads(blocks[-1])["payload"]["debate_state"] == "ready"


def test_the_chat_names_it_as_an_agent(client: TestClient) -> None:
    agents = client.get("/agents").json()["agents"]
    assert "debate" in {one["name"] for one in agents}
    said = {"message": QUESTION, "agent_id": "debate"}
    told = client.post("/v1/chat/message", json=said).json()
    assert told["payload"]["debate_state"] == "ready"
    again = {**said, "session_id": told["session_id"], "message": "Where was it founded?"}
    assert client.post("/v1/chat/message", json=again).json()["payload"]["debate_results"]


def test_as_a_library_it_asks_the_bases_that_are_named(home: Path, names: dict[str, str]) -> None:
    with Weft.open(home / "notes", home=home) as weft:
        *events, outcome = weft.run("debate", QUESTION, kb=list(names.values()))
        assert isinstance(outcome, FlowOutcome)
        told = dict(outcome.payload)
        assert {one["kb"] for one in cast("Any", told["agent_statuses"])} == set(names.values())
        assert told["debate_state"] == "ready"
        assert {one.data.get("kb") for one in events if isinstance(one, RunEvent)} >= set(
            names.values()
        )
        with pytest.raises(UnknownKnowledgeBase):
            list(weft.run("debate", QUESTION, kb=["Nobody"]))


def test_on_the_command_line_a_base_that_is_gone_is_named(
    home: Path, names: dict[str, str]
) -> None:
    weft = Command(home=home, folder=home, settings={"WEFT_EMBEDDER": "none"})
    both = ("--flow", "debate", "--kb", ",".join(names.values()))
    told = weft("ask", *both, QUESTION, "--json").json
    assert (told["debate_state"], told["response"]) == ("ready", told["answer"])
    assert len(told["disagreements"]) == 1
    for part in (home / "kb").glob(f"{names['differs']}.db*"):
        part.unlink()
    done = weft("ask", *both, QUESTION)
    assert done.code == 0
    assert "was left out: The file of" in done.out
    assert not (home / "kb" / f"{names['differs']}.db").exists()
    alone = weft("ask", "--flow", "debate", "--kb", names["differs"], QUESTION, "--json")
    assert (alone.code, alone.json["debate_state"]) == (1, "blocked")
