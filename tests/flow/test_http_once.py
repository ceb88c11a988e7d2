"""`Idempotency-Key`: whatever a request makes, sent twice, is made once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import served, workspace

RAW = {
    "target_database": "Once",
    "create_database_if_missing": True,
    "records": [{"id": "a", "content": "Apollo was founded by Li Wei in Seoul."}],
}
MADE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/v1/admin/groups", {"name": "crew"}),
    ("/v1/research", {"query": "Write a report on Apollo"}),
    ("/platform/ingest/raw", RAW),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace(tmp_path_factory.mktemp("once"))


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with served(home) as opened:
        yield opened


@pytest.mark.parametrize(("path", "body"), MADE, ids=[path for path, _ in MADE])
def test_the_same_key_gives_the_same_reply(
    client: TestClient, path: str, body: dict[str, Any]
) -> None:
    headers = {"Idempotency-Key": f"once{path}"}
    first, second = (client.post(path, json=body, headers=headers) for _ in range(2))
    assert first.status_code == second.status_code < 300, first.text
    assert (first.json(), second.headers["Idempotent-Replayed"]) == (second.json(), "true")
    assert first.headers.get("X-Run-ID") == second.headers.get("X-Run-ID")
    other = client.post("/v1/conversations", json={}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "bad_input")


def test_a_key_is_made_once_and_its_text_is_kept_nowhere(client: TestClient, home: Path) -> None:
    assert client.post("/v1/admin/users", json={"name": "ann"}).status_code == 201
    headers, body = {"Idempotency-Key": "key-1"}, {"user": "ann"}
    made = client.post("/v1/admin/keys", json=body, headers=headers)
    assert made.status_code == 201
    again = client.post("/v1/admin/keys", json=body, headers=headers)
    assert (again.status_code, again.json()["code"]) == (409, "made_already")
    other = client.post("/v1/admin/keys", json={**body, "scopes": ["ask"]}, headers=headers)
    assert other.status_code == 422
    keys = client.get("/v1/admin/keys", params={"user": "ann"}).json()["items"]
    assert [key["id"] for key in keys] == [made.json()["id"]]
    connection = sqlite3.connect(home / "records.db")
    try:
        assert made.json()["key"] not in "\n".join(connection.iterdump())
    finally:
        connection.close()
