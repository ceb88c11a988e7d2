"""A question that names no knowledge base is answered from what is left of those there were."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import ended, served, workspace
from flow.test_http_documents import handed, made
from weft.bases.library import Library
from weft.domain.errors import Forbidden, StoreUnavailable, UnknownKnowledgeBase, WeftError
from weft.domain.scope import Scope
from weft.flows.reading_rights import ReadingRights
from weft.flows.running import FlowRunner
from weft.ports.store import Store

QUESTION = "Who founded Apollo?"
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/ask", {"question": QUESTION}),
    ("/v1/chat/message", {"message": QUESTION}),
    ("/v1/search", {"query": QUESTION}),
    ("/run_debate", {"query": QUESTION}),
)
GONE = (
    UnknownKnowledgeBase("There is no knowledge base 'Leaving'."),
    Forbidden("You may manage that knowledge base, not read it."),
    StoreUnavailable("The file of 'Leaving' is gone."),
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with served(workspace(tmp_path_factory.mktemp("leaving"))) as opened:
        handed(opened, made(opened, "Leaving"), {"id": "k", "content": "Kestrels nest in Oslo."})
        yield opened


def leave(monkeypatch: pytest.MonkeyPatch, *, after: int, error: WeftError) -> None:
    """Let the knowledge base `Leaving` be gone after it was found so many times."""
    named, times = Library.named, count()

    async def gone(self: Library, scope: Scope, name: str, *, to_fill: bool = False) -> Store:
        if name == "Leaving" and next(times) >= after:
            raise error
        return await named(self, scope, name, to_fill=to_fill)

    monkeypatch.setattr(Library, "named", gone)


@pytest.mark.parametrize("after", range(5))
@pytest.mark.parametrize("error", GONE, ids=lambda error: error.code)
@pytest.mark.parametrize(("path", "body"), ASKED, ids=[path for path, _ in ASKED])
def test_it_is_answered_whenever_another_base_goes(
    client: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    *,
    body: dict[str, Any],
    error: WeftError,
    after: int,
) -> None:
    leave(monkeypatch, after=after, error=error)
    reply = client.post(path, json=body)
    assert reply.status_code == 200, reply.text
    assert "Li Wei" in reply.text
    if after < 2 and not isinstance(error, StoreUnavailable):
        assert "Leaving" not in reply.text


def test_one_that_is_named_is_asked_for(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(monkeypatch, after=0, error=GONE[0])
    reply = client.post("/ask", json={"question": QUESTION, "kb": ["Leaving"]})
    assert reply.status_code == 404


def test_what_is_looked_into_later_is_looked_into_in_what_is_left(client: TestClient) -> None:
    """A base may be dropped between the request and the run."""
    handed(client, made(client, "Later"), {"id": "k", "content": "Kestrels nest in Oslo."})
    asked = {"query": "Write a report on Apollo and Borealis"}
    client.post("/v1/research", json=asked)  # the second stands in line behind it
    run_id = client.post("/v1/research", json=asked).json()["run_id"]
    assert client.delete("/v1/kb/Later").status_code == 204
    run = ended(client, run_id)
    assert (run["status"], run["error"]) == ("finished", "")
    assert "Later" not in client.get(f"/v1/runs/{run_id}/events").text


def test_an_answer_from_what_is_gone_meanwhile_is_to_be_asked_for_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not the caller's right that was taken away: another may just have taken back a file."""

    async def slow(*_: object) -> None:
        await asyncio.sleep(60)

    async def gone(*_: object) -> bool:
        return False

    monkeypatch.setattr(FlowRunner, "run", slow)
    monkeypatch.setattr(ReadingRights, "hold", gone)
    monkeypatch.setattr("weft.platform.people.watching.LOOK_SECONDS", 0.05)
    reply = client.post("/ask", json={"question": "Who founded Apollo?"})
    assert (reply.status_code, reply.json()["code"]) == (409, "version_conflict")
    assert reply.json()["detail"].endswith("ask again.")
    body = {"question": "Who founded Apollo?", "stream": True}
    assert '"version_conflict"' in client.post("/ask", json=body).text
