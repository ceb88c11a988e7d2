"""What a caller may not see changes no byte of a debate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flow.http_world import workspace
from flow.people_world import PeopleWorld, peopled

QUESTION = "Who founded Quokkaberg?"
SEEN = "Quokkaberg was founded by Li Wei in Seoul."
HIDDEN = "Quokkaberg was founded by Ada Kim in Seoul."
ASKED = ("/run_debate", {"query": QUESTION}), (
    "/platform/chat/send", {"message": QUESTION, "mode": "debate"}
)  # fmt: skip
# Ids of runs, sessions and conversations, and times.
_RANDOM = re.compile(
    r'"(run_id|session_id|conversation_id|timestamp|last_updated)": ?"[^"]*"'
    r'|"(ms|took_ms)": ?[\d.]+'
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PeopleWorld]:
    with peopled(workspace(tmp_path), {"ann": "user", "boss": "admin curator @board"}) as made:
        yield made


def take_in(world: PeopleWorld, base: str, *texts: str, key: str = "r") -> None:
    records = [{"id": f"{key}{n}", "content": text} for n, text in enumerate(texts)]
    body = {"target_database": base, "create_database_if_missing": True, "records": records}
    reply = world.client.post("/platform/ingest/raw", json=body)
    assert reply.json()["ok"], reply.text


def told(world: PeopleWorld, path: str, body: dict[str, Any]) -> str:
    reply = world.ask("local/ann", "POST", path, json=body)
    assert reply.status_code == 200, reply.text
    return _RANDOM.sub("", reply.text)


def test_a_hidden_base_or_document_changes_no_byte(world: PeopleWorld) -> None:
    take_in(world, "Open", SEEN)
    take_in(world, "Other", SEEN)
    before = [told(world, path, body) for path, body in ASKED]
    assert "Li Wei" in before[0]
    take_in(world, "Secret", HIDDEN)
    shared = {"readers": ["group:board"], "writers": [], "admins": ["user:owner"]}
    assert world.client.patch("/v1/kb/Secret", json=shared).status_code == 200
    hidden = {"records": [{"id": "h", "content": HIDDEN, "acl": ["group:board"]}]}
    sent = world.client.post("/v1/kb/Other/documents", json=hidden).json()
    while world.client.get(f"/v1/runs/{sent['run_id']}").json()["status"] in {"queued", "running"}:
        pass
    assert [told(world, path, body) for path, body in ASKED] == before
    for name in ("Secret", "Nobody"):
        reply = world.ask(
            "local/ann", "POST", "/run_debate", json={"query": QUESTION, "kb": [name]}
        )
        assert reply.status_code == 404
    boss = world.ask("local/boss", "POST", "/run_debate", json={"query": QUESTION}).json()
    assert "Ada Kim" in boss["response"]
