"""A knowledge base that is out of reach: the service says so, and answers from the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from fastapi.testclient import TestClient

from weft.api.app import build
from weft.bootstrap.app import open_app
from weft.config import load_settings
from weft.platform.identity import local_owner
from weft.ports.records.bases import NewBase
from weft.sdk.weft import Weft

NOBODY = "neo4j://127.0.0.1:1/neo4j"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a workspace whose knowledge base `Gone` is on a server that is not there."""
    (tmp_path / "weft.yaml").write_text("embedder: none\n")

    async def register() -> None:
        app = await open_app(load_settings(tmp_path), with_models=False)
        await app.records.bases.create(local_owner(), NewBase(name="Gone", target=NOBODY))
        await app.close()

    anyio.run(register)
    return tmp_path


@pytest.fixture
def client(home: Path) -> Iterator[TestClient]:
    with TestClient(build(load_settings(home))) as opened:
        yield opened


def bearer(home: Path) -> dict[str, str]:
    return {"Authorization": f"Bearer {(home / 'token').read_text()}"}


def fill(home: Path) -> None:
    """Put another knowledge base beside it."""
    (home / "notes").mkdir()
    (home / "notes" / "apollo.md").write_text("# Apollo\n\nApollo was founded by Li Wei.\n")
    with Weft.open(home / "notes", home=home) as weft:
        weft.sync()


def test_where_nothing_answers_the_service_is_blocked(client: TestClient, home: Path) -> None:
    reply = client.get("/health/ready")
    assert (reply.status_code, reply.json()["status"]) == (503, "blocked")
    assert reply.json()["reasons"] == ["no knowledge base can be asked"]
    assert int(reply.headers["retry-after"]) > 0
    asked = client.post("/ask", json={"question": "Who?"}, headers=bearer(home))
    assert (asked.status_code, asked.json()["code"]) == (503, "store_unavailable")


def test_the_others_answer_and_what_is_left_out_is_said(client: TestClient, home: Path) -> None:
    fill(home)
    ready = client.get("/health/ready", headers=bearer(home))
    assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
    assert ready.json()["knowledge_bases"] == {"ready": 1, "degraded": 0, "blocked": 1}
    assert ready.json()["reasons"] == ["1 blocked: store_unavailable"]
    assert "Gone" not in ready.text
    parts = client.get("/health/runtime", headers=bearer(home)).json()["components"]
    assert [one["reason"] for one in parts if one["name"] == "knowledge_bases"] == [
        "1 blocked: store_unavailable"
    ]
    question = {"question": "Who founded Apollo?"}
    answer = client.post("/ask", json=question, headers=bearer(home)).json()
    assert answer["sentences"]
    assert any("Gone was left out" in note["text"] for note in answer["notes"])
    left_out = [note for note in answer["notes"] if note["code"] == "left_out"]
    assert [note["values"]["base"] for note in left_out] == ["Gone"]
    named = client.post("/ask", json={**question, "kb": ["Gone"]}, headers=bearer(home))
    assert named.status_code == 503
