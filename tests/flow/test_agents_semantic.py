"""`/run_agent` and `/run_agent_semantic`, and the same by command line and library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.command import Command
from flow.http_world import served, workspace
from web_provider import web_provider
from weft import Weft
from weft.flows.asking import FlowOutcome

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAME = "Kim Min-jun"
QUESTION = f"Which team is {NAME} on?"
TEAMS = {"p031": "Cold Chain", "p063": "Finance"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the example organisation's handbook, its curator's links read."""
    folder = tmp_path_factory.mktemp("semantic")
    (folder / "weft.yaml").write_text("embedder: none\n")
    with Weft.open(EXAMPLES / "handbook", home=folder) as opened:
        opened.sync()
    return folder


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with served(home) as found:
        yield found


def _asked(client: TestClient, **body: Any) -> dict[str, Any]:
    reply = client.post("/run_agent_semantic", json=body)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


def _of_name(reply: dict[str, Any], name: str) -> list[dict[str, Any]]:
    matches = reply["semantic_context"]["matches"]
    return [c for one in matches if one["question_entity"] == name for c in one["candidates"]]


def test_two_people_of_one_name_are_two_candidates_and_a_pin_decides(client: TestClient) -> None:
    first = _asked(client, query=QUESTION)
    candidates = _of_name(first, NAME)
    assert first["route"] == "lpg"
    assert len(candidates) == 2
    for person, team in TEAMS.items():
        (pinned,) = [c for c in candidates if any(person in one for one in c["documents"])]
        override = {"question_entity": NAME, **_choice(pinned)}
        reply = _asked(client, query=QUESTION, entity_overrides=[override])
        applied = reply["semantic_context"]["overrides_applied"]
        assert [one["node_id"] for one in applied] == [pinned["node_id"]]
        assert team in reply["response"]
        assert not any(other in reply["response"] for other in TEAMS.values() if other != team)
        cited = {one["doc_id"] for s in reply["sentences"] for one in s["citations"]}
        assert cited <= set(pinned["documents"])


def test_the_router_offers_whom_a_name_may_mean_and_heeds_a_pin(client: TestClient) -> None:
    def asked(**body: Any) -> dict[str, Any]:
        reply = client.post("/run_agent", json=body)
        assert reply.status_code == 200, reply.text
        found: dict[str, Any] = reply.json()
        return found

    first = asked(query=QUESTION)
    assert first["route"] == "graph"
    candidates = _of_name(first, NAME)
    assert len(candidates) == 2
    for person, team in TEAMS.items():
        (pinned,) = [c for c in candidates if any(person in one for one in c["documents"])]
        reply = asked(
            query=QUESTION, entity_overrides=[{"question_entity": NAME, **_choice(pinned)}]
        )
        assert team in reply["response"]
        assert not any(other in reply["response"] for other in TEAMS.values() if other != team)
    passages = asked(query="Explain what the code of conduct says about gifts.")
    assert passages["route"] == "vector"
    assert passages["semantic_context"] is None


def _choice(candidate: dict[str, Any]) -> dict[str, Any]:
    return {name: candidate[name] for name in ("node_id", "database", "display_name", "labels")}


def test_one_person_of_two_names_is_one_candidate(client: TestClient) -> None:
    by_one = _of_name(_asked(client, query="Who is Stella Park?"), "Stella Park")
    by_other = _of_name(_asked(client, query="Who is Park Seo-yeon?"), "Park Seo-yeon")
    assert len(by_one) == len(by_other) == 1
    assert by_one[0]["node_id"] == by_other[0]["node_id"]


def test_a_pin_that_is_not_there_is_said_and_a_name_that_is_nobodys_listed(
    client: TestClient,
) -> None:
    override = {"question_entity": NAME, "node_id": "nobody"}
    reply = _asked(client, query=QUESTION, entity_overrides=[override])
    assert reply["semantic_context"]["overrides_applied"] == []
    assert any(NAME in one and "not there" in one for one in map(str, reply["notes"]))
    unknown = _asked(client, query="Who is Zebediah Quux?")
    assert unknown["semantic_context"]["unresolved_entities"] == ["Zebediah Quux"]


def test_the_ontology_is_asked_and_cited(client: TestClient) -> None:
    reply = _asked(client, query="What are the domain and range of reports_to in the ontology?")
    assert reply["route"] == "rdf"
    assert reply["outcome"] == "answered"
    asked = [one["template"] for one in reply["rdf_result"]["questions"]]
    assert asked == ["domain", "range"]
    assert {c["kb"] for s in reply["sentences"] for c in s["citations"]} == {"ontology"}
    said = " ".join(s["text"] for s in reply["sentences"])
    assert "has the domain person" in said
    assert "has the range person" in said


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("Count the employees by office", "table"),
        ("Who does the team lead of Platform report to?", "graph"),
        ("What does the travel policy say about hotels?", "vector"),
    ],
)
def test_exactly_one_specialist_answers(client: TestClient, question: str, route: str) -> None:
    reply = client.post("/run_agent", json={"query": question})
    assert reply.status_code == 200, reply.text
    body = reply.json()
    assert body["route"] == route
    assert body["specialists"] == ["graph", "vector", "table"]
    assert body["response"] == body["answer"]


def test_the_web_is_not_asked_where_none_is_configured_and_that_is_said(
    client: TestClient,
) -> None:
    asked = {"query": "search the web for the weather in Busan today"}
    body = client.post("/run_agent", json=asked).json()
    assert body["route"] != "web"
    assert any("WEFT_WEB_SEARCH" in str(one) for one in body["notes"])


@pytest.mark.parametrize(
    ("path", "question"),
    [
        ("/run_agent_semantic", QUESTION),
        ("/run_agent_semantic", "What is the domain of reports_to?"),
        ("/run_agent_semantic", "instances of the class person"),
        ("/run_agent", "Count the employees by office"),
        ("/run_agent", "Who does the team lead of Platform report to?"),
    ],
)
def test_such_a_run_can_be_replayed(client: TestClient, path: str, question: str) -> None:
    run = client.post(path, json={"query": question}).json()["run_id"]
    replayed = client.post(f"/v1/runs/{run}/replay").json()
    assert (replayed["equal"], replayed["first_difference"]) == (True, None)


PAGE = {
    "url": "https://weather.example/busan",
    "title": "Weather in Busan",
    "content": "The weather in Busan today is sunny with 14 degrees.",
}


def test_the_web_agent_cites_what_a_provider_says(tmp_path: Path) -> None:
    with web_provider(PAGE) as web, served(workspace(tmp_path, web.settings)) as client:
        asked = {"query": "search the web for the weather in Busan today"}
        body = client.post("/run_agent", json=asked).json()
        replayed = client.post(f"/v1/runs/{body['run_id']}/replay").json()
        once = len(web.asked)
        looked = {"message": "How is the weather in Busan today?", "agent_id": "research"}
        found = client.post("/v1/chat/message", json=looked).json()
        again = client.post(f"/v1/runs/{found['run_id']}/replay").json()
    assert body["route"] == "web"
    assert body["outcome"] == "answered", body["answer"]
    (citation,) = [c for s in body["sentences"] for c in s["citations"]]
    assert citation["uri"] == "https://weather.example/busan"
    assert citation["kb"] == "web"
    assert replayed["equal"], replayed
    # A replay sends nothing out.
    assert once == 1
    # Research looks there too, and what it cites is held against what the provider said.
    assert {c["uri"] for s in found["sentences"] for c in s["citations"]} == {
        "https://weather.example/busan"
    }
    assert again["equal"], again


@pytest.mark.parametrize("flow", ["semantic", "router"])
def test_the_same_by_command_line_and_library(home: Path, flow: str) -> None:
    weft = Command(home=home, folder=EXAMPLES.parent)
    asked = ("ask", str(EXAMPLES / "handbook"), QUESTION, "--flow", flow)
    (match,) = weft(*asked, "--json").json["semantic_context"]["matches"]
    node = next(c["node_id"] for c in match["candidates"] if "p031" in str(c["documents"]))
    assert "Cold Chain" in weft(*asked, "--pin", f"{NAME}={node}").out
    wrong = weft(*asked, "--pin", "nonsense")
    assert wrong.code == 2
    assert "NAME=NODE" in wrong.err
    with Weft.open(EXAMPLES / "handbook", home=home) as opened:
        events = list(opened.run(flow, QUESTION, pins={NAME: node}))
    outcome = events[-1]
    assert isinstance(outcome, FlowOutcome)
    assert "Cold Chain" in outcome.answer.answer


def test_a_conversation_keeps_what_the_ontology_said(client: TestClient) -> None:
    asked = {"message": "What is the domain of reports_to?", "agent_id": "semantic"}
    said = client.post("/v1/chat/message", json=asked).json()
    assert said["outcome"] == "answered"
    session = {"X-Session-ID": said["session_id"]}
    kept = client.get("/chat/history", headers=session).json()["messages"][-1]
    assert not kept["source_deleted"]
    assert "has the domain person" in kept["content"]


@pytest.mark.parametrize("flow", ["semantic", "router"])
def test_a_pin_is_heeded_in_a_conversation(client: TestClient, flow: str) -> None:
    (first, *_) = _of_name(_asked(client, query=QUESTION), NAME)
    body = {
        "message": QUESTION,
        "agent_id": flow,
        "entity_overrides": [{"question_entity": NAME, **_choice(first)}],
    }
    said = client.post("/v1/chat/message", json=body).json()
    applied = said["payload"]["semantic_context"]["overrides_applied"]
    assert [one["node_id"] for one in applied] == [first["node_id"]]


def test_an_entity_is_shown_with_what_is_stated_of_it(home: Path) -> None:
    weft = Command(home=home, folder=EXAMPLES.parent)
    shown = weft("entity", "show", NAME, "--kb", str(EXAMPLES / "handbook"), "--json").json
    assert len(shown) == 2
    assert {one["name"] for one in shown} == {NAME}
    assert "node" in weft("entity", "show", NAME, "--kb", str(EXAMPLES / "handbook")).out
    missing = weft("entity", "show", "Zebediah Quux", "--kb", str(EXAMPLES / "handbook"))
    assert missing.code == 3
    assert "Zebediah Quux" in missing.err
