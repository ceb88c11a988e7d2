"""What a reader is not told: hidden knowledge bases in health, where folders lie on the machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flow.http_world import ended, served, workspace
from flow.people_world import PeopleWorld
from weft.api.edge.rates import RequestRates
from weft.domain.errors import TooManyRequests

HEALTH = ("/health/ready", "/health/runtime", "/health/batch")
FILES = {"apollo.md": "# Apollo\n\nApollo was founded by Li Wei.\n", "staff.csv": "a,b\n1,2\n3,4\n"}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose path is not for readers."""
    folder = tmp_path_factory.mktemp("zanzibar") / "notes"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, notes: Path) -> Iterator[PeopleWorld]:
    with served(workspace(tmp_path_factory.mktemp("hidden"))) as client:
        people = PeopleWorld(client=client, keys={})
        people.add("ann")
        people.add_role("bringer", "kb.source", "kb.read", "ask", "tool.run:*")
        people.add("ben", roles=("bringer",))
        assert client.post("/v1/kb", json={"name": "Open"}).status_code == 201
        source = {"source": {"path": str(notes)}}
        accepted = client.post("/v1/kb/Open/documents", json=source).json()
        assert ended(client, accepted["run_id"])["status"] == "finished"
        yield people


@pytest.mark.parametrize("who", ["", "local/ann"])
def test_health_tells_nothing_of_what_is_hidden(world: PeopleWorld, who: str) -> None:
    before = [world.ask(who, "GET", path).json() for path in HEALTH]
    world.client.post("/v1/kb", json={"name": f"Hidden{len(who)}"})
    closed = {"readers": ["user:owner"]}
    assert world.client.patch(f"/v1/kb/Hidden{len(who)}", json=closed).status_code == 200
    assert [world.ask(who, "GET", path).json() for path in HEALTH] == before


def test_health_counts_what_the_caller_may_read(world: PeopleWorld) -> None:
    assert world.ask("", "GET", "/health/ready").json()["knowledge_bases"] is None
    seen = len(world.ask("local/ann", "GET", "/v1/kb").json()["items"])
    told = world.ask("local/ann", "GET", "/health/ready").json()
    assert told["knowledge_bases"] == {"ready": seen, "degraded": 0, "blocked": 0}
    assert world.ask("local/ann", "GET", "/health/batch").json()["queued"] is None
    assert world.client.get("/health/batch").json()["queued"] == 0


READS = (
    ("GET", "/v1/kb", None),
    ("GET", "/v1/kb/Open/documents", None),
    ("GET", "/v1/kb/Open/documents/file:notes/apollo.md", None),
    ("POST", "/v1/search", {"query": "Who founded Apollo?"}),
    ("POST", "/v1/rag/query", {"query": "Who founded Apollo?"}),
    ("POST", "/ask", {"question": "Who founded Apollo?"}),
    ("POST", "/platform/chat/send", {"message": "Who founded Apollo?", "mode": "rag"}),
    ("GET", "/graph", None),
)


@pytest.mark.parametrize(("method", "path", "body"), READS)
def test_a_reader_is_not_told_where_a_folder_lies(
    world: PeopleWorld, notes: Path, method: str, *, path: str, body: dict[str, object] | None
) -> None:
    reply = world.ask("local/ann", method, path, json=body)
    assert reply.status_code == 200
    assert "zanzibar" not in reply.text
    assert str(notes.parent) not in reply.text


def test_whoever_brings_folders_in_is_told(world: PeopleWorld, notes: Path) -> None:
    place = f"file://{notes}/apollo.md"
    for who, shown in (("local/ann", "file:notes/apollo.md"), ("local/ben", place)):
        asked = {"question": "Who founded Apollo?"}
        (citation,) = world.ask(who, "POST", "/ask", json=asked).json()["citations"]
        assert citation["uri"] == shown
    owned = world.client.get("/v1/kb/Open/documents/file:notes/apollo.md").json()
    assert owned["document"]["uri"] == place


def test_a_path_is_not_guessed_by_searching_for_it(world: PeopleWorld) -> None:
    place = "/v1/kb/Open/documents"
    for who, count in (("local/ann", 0), ("local/ben", 3)):
        found = world.ask(who, "GET", place, params={"q": "zanzibar"}).json()["items"]
        assert len(found) == count
        wanted = {"query": "Apollo", "filters": {"contains": {"uri": "zanzibar"}}}
        hits = world.ask(who, "POST", "/v1/search", json=wanted).json()["evidence"]
        assert bool(hits) is bool(count)
    for who in ("local/ann", "local/ben"):
        wanted = {"query": "Apollo", "filters": {"contains": {"uri": "notes/apollo"}}}
        assert world.ask(who, "POST", "/v1/search", json=wanted).json()["evidence"]


def test_that_rows_are_hidden_is_not_told_by_the_file_of_a_table(world: PeopleWorld) -> None:
    place = "/v1/kb/Open/documents"
    some = "id,content,acl\n1,Soup is served.,tenant:*\n"
    tables = {"open.csv": some, "shut.csv": some + "2,Pay rises.,user:owner\n"}
    parts = [("files", (name, text.encode(), "text/csv")) for name, text in tables.items()]
    parts.append(("files", ("note.txt", b"A plain note.", "text/plain")))
    accepted = world.client.post(place, files=parts).json()
    assert ended(world.client, accepted["run_id"])["status"] == "finished"
    told = set()
    for name in tables:
        row = f"{place}/record:inbox/{name}%231"
        assert world.client.get(f"{row}/original").text == tables[name]
        reply = world.ask("local/ann", "GET", f"{row}/original", headers={"X-Request-ID": "same"})
        told.add((reply.status_code, reply.content))
        opened = world.ask("local/ann", "GET", row, params={"original": True})
        told.add((opened.status_code, str(opened.json()["original"]).encode()))
    assert {status for status, _ in told} == {404, 200}
    assert len(told) == 2
    note = world.ask("local/ann", "GET", f"{place}/file:inbox/note.txt/original")
    assert note.content == b"A plain note."


def test_health_is_told_whoever_asks_and_however_often(
    world: PeopleWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object) -> None:
        raise TooManyRequests("Too much.")

    monkeypatch.setattr(RequestRates, "check", refused)
    assert world.ask("local/ann", "GET", "/v1/me").status_code == 429
    unknown = {"Authorization": "Bearer weft_none"}
    for path in HEALTH:
        assert world.ask("local/ann", "GET", path).status_code == 200
        told = world.ask("", "GET", path, headers=unknown)
        assert told.json() == world.ask("", "GET", path).json()
