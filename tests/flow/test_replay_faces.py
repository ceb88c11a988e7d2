"""Replays by the command line, over HTTP, and by the library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from flow.command import Command
from flow.http_world import running, served, workspace
from flow.people_world import PeopleWorld
from weft import Client, Weft
from weft.domain.errors import NotFound

QUESTION = "Who founded Apollo?"
EQUAL = {"equal": True, "first_difference": None, "source_deleted": False}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("replay"))


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with served(home) as opened:
        yield opened


def asked(client: TestClient) -> str:
    reply = client.post("/ask", json={"question": QUESTION})
    assert reply.status_code == 200, reply.text
    return str(reply.json()["run_id"])


def test_over_http_a_run_is_replayed(client: TestClient) -> None:
    run_id = asked(client)
    for body in (None, {}, {"with": "", "model": ""}):
        reply = client.post(f"/v1/runs/{run_id}/replay", json=body)
        assert reply.status_code == 200, reply.text
        told = reply.json()
        events = client.get(f"/v1/runs/{run_id}/trace").json()
        assert events
        assert {name: told[name] for name in EQUAL} == EQUAL
        assert told["run_id"] == run_id
        assert told["events"] > 10
        assert told["side_by_side"] is None
    by_rules = client.post(f"/v1/runs/{run_id}/replay", json={"model": "offline"}).json()
    assert by_rules["equal"]
    assert by_rules["side_by_side"]["recorded"] == by_rules["side_by_side"]["replayed"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"with": "answer@v2"}, "no file named answer@v2"),
        ({"with": "answer"}, "names no prompt's version"),
        ({"with": "../secret@v2"}, "names no prompt's version"),
        ({"model": "gpt"}, "names no model"),
        ({"prompt": "answer@v2"}, "prompt"),
        ({"with": "x" * 300}, "with"),
    ],
)
def test_a_change_that_cannot_be_made_is_named(
    client: TestClient, body: dict[str, str], said: str
) -> None:
    reply = client.post(f"/v1/runs/{asked(client)}/replay", json=body)
    assert reply.status_code == 422, reply.text
    assert said in reply.text


def test_the_run_of_somebody_else_is_as_one_that_is_not_there(client: TestClient) -> None:
    people = PeopleWorld(client=client, keys={})
    people.add("ann")
    people.add("ben", roles=("auditor",))
    run_id = asked(client)

    def told(who: str, run: str) -> tuple[int, str]:
        reply = people.ask(who, "POST", f"/v1/runs/{run}/replay", headers={"X-Request-ID": "same"})
        return reply.status_code, reply.text.replace(run, "RUN")

    absent = run_id[:-1] + ("0" if run_id[-1] != "0" else "1")
    assert told("local/ann", run_id) == told("local/ann", absent)
    assert told("local/ann", run_id)[0] == 404
    assert told("local/ben", run_id)[0] == 403


def test_by_the_command_line_the_exit_says_it(home: Path, client: TestClient) -> None:
    run_id = asked(client)
    weft = Command(home=home, folder=home)
    said = weft("replay", run_id, "--json")
    assert said.code == 0, said.err
    assert {name: said.json[name] for name in EQUAL} == EQUAL
    assert f"{run_id}: equal" in weft("replay", run_id[:10]).out
    beside = weft("replay", run_id, "--model", "offline")
    assert beside.code == 0
    assert beside.out.count("Li Wei") == 2
    assert weft("replay", "nothing").code == 3
    assert weft("replay", run_id, "--with", "answer@v9").code == 2
    apollo = home / "notes" / "apollo.md"
    text = apollo.read_text()
    try:
        apollo.write_text(text.replace("Li Wei", "Li Na"))
        with Weft.open(home / "notes", home=home) as opened:
            opened.sync()
            assert opened.runs.replay(run_id).first_difference is not None
        said = weft("replay", run_id, "--json")
        assert said.code == 1
        assert json.loads(said.out)["first_difference"]["what"] == "document"
        words = weft("replay", run_id).out
        assert "document" in words
        assert "apollo.md" in words
    finally:
        apollo.write_text(text)


def test_by_the_library(home: Path) -> None:
    with Weft.open(home / "notes", home=home) as weft:
        run_id = weft.ask(QUESTION).run_id
        assert run_id is not None
        found = weft.runs.replay(run_id)
        assert (found.equal, found.source_deleted) == (True, False)
        with pytest.raises(NotFound):
            weft.runs.replay("nothing")


def test_by_the_client(home: Path) -> None:
    with running(home) as address, Client(address, (home / "token").read_text()) as client:
        run_id = client.ask(QUESTION).run_id
        assert run_id is not None
        told = client.steering.replay(run_id)
        assert {name: told[name] for name in EQUAL} == EQUAL
        with pytest.raises(NotFound):
            client.steering.replay("nothing")
