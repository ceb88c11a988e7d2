"""Ingestions watched over HTTP: to their end, once more, and when they are cancelled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import ended, served, workspace
from flow.test_http_documents import made


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with served(workspace(tmp_path_factory.mktemp("ingestions"))) as opened:
        yield opened


def events_of(
    client: TestClient, run_id: str, after: int = 0
) -> list[tuple[str, int, dict[str, Any]]]:
    """Watch an ingestion to its end; return each event's type, number and data."""
    headers = {"Last-Event-ID": str(after)} if after else {}
    told = client.get(f"/v1/runs/{run_id}/events", headers=headers).text
    events = []
    for block in filter(None, told.strip().split("\n\n")):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[0] != ":")
        if fields:
            events.append((fields["event"], int(fields["id"]), json.loads(fields["data"])))
    return events


def test_an_ingestion_is_watched_to_its_end(client: TestClient) -> None:
    place = made(client, "Watched")
    records = [{"id": f"w{n}", "content": f"Wave {n}."} for n in range(20)]
    run_id = client.post(place, json={"records": records}).json()["run_id"]
    told = events_of(client, run_id)
    assert [kind for kind, _, _ in told] == ["progress"] * (len(told) - 1) + ["run_finished"]
    last = told[-1][2]
    assert last["status"] == "finished"
    assert last["progress"]["files_done"] == last["progress"]["files_total"] == 20
    listed = client.get("/v1/runs", params={"kind": "ingest", "kb": "Watched"}).json()["items"]
    assert [run["run_id"] for run in listed] == [run_id]
    assert last["started"] < last["finished"] == listed[0]["finished"]


def test_an_ingestion_is_watched_from_where_a_connection_ended(client: TestClient) -> None:
    place = made(client, "Resumed")
    records = [{"id": f"r{n}", "content": f"Robin {n}."} for n in range(20)]
    run_id = client.post(place, json={"records": records}).json()["run_id"]
    first = events_of(client, run_id)
    numbers = [number for _, number, _ in first]
    assert numbers == sorted(set(numbers))
    again = events_of(client, run_id)
    assert [(kind, number) for kind, number, _ in again] == [
        ("progress", numbers[-2]),
        ("run_finished", numbers[-1]),
    ]
    assert events_of(client, run_id, after=numbers[-3] if len(numbers) > 2 else 0) == again
    assert events_of(client, run_id, after=numbers[-2]) == again[1:]
    assert events_of(client, run_id, after=numbers[-1]) == []


def test_a_cancelled_ingestion_ends_as_such(client: TestClient) -> None:
    place = made(client, "Stopped")
    records = [{"id": f"s{n}", "content": f"Stop {n}. " * 200} for n in range(100)]
    run_id = client.post(place, json={"records": records}).json()["run_id"]
    assert client.post(f"/v1/runs/{run_id}/cancel").status_code == 200
    status = ended(client, run_id)["status"]
    assert status in {"cancelled", "finished"}
    assert events_of(client, run_id)[-1][0] == f"run_{status}"
