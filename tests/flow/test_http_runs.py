"""Lists of runs over HTTP: pages of one filter, to the last; how the worker stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import ended, served, workspace

INGESTS, ANSWERS = 5, 3  # beside the ingestion of the workspace's own folder


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with served(workspace(tmp_path_factory.mktemp("runs"))) as opened:
        for name in ("One", "Two"):
            opened.post("/v1/kb", json={"name": name})
        for number in range(INGESTS):
            name = "One" if number % 2 else "Two"
            record = {"id": str(number), "content": f"Record {number}."}
            run = opened.post(f"/v1/kb/{name}/documents", json={"records": [record]}).json()
            assert ended(opened, run["run_id"])["status"] == "finished"
        for _ in range(ANSWERS):
            opened.post("/ask", json={"question": "Who founded Apollo?", "kb": ["One"]})
            opened.post("/ask", json={"question": "Who founded Apollo?"})
        yield opened


def pages(client: TestClient, **filters: str) -> list[list[dict[str, Any]]]:
    """Return all pages of a list; the last one alone has no next."""
    found, cursor = [], ""
    while True:
        page = client.get("/v1/runs", params={**filters, "cursor": cursor})
        assert page.status_code == 200, page.text
        found.append(page.json()["items"])
        cursor = page.json()["next"]
        if not cursor:
            return found


@pytest.mark.parametrize(
    ("filters", "sizes"),
    [
        ({"kind": "ingest"}, [2, 2, 2]),
        ({"kind": "ingest", "kb": "Two"}, [2, 1]),
        ({"kind": "ingest", "status": "finished"}, [2, 2, 2]),
        ({"kind": "ingest", "status": "failed"}, [0]),
        ({"kind": "ingest", "kb": "Tw"}, [0]),
        ({}, [2, 2, 2]),
        ({"kb": "Two"}, [2, 1]),
        ({"kb": "One", "status": "finished"}, [2, 2, 2]),
        ({"status": "cancelled"}, [0]),
        ({"kb": 'T%" \\'}, [0]),
    ],
)
def test_a_filter_holds_on_every_page(
    client: TestClient, filters: dict[str, str], sizes: list[int]
) -> None:
    found = pages(client, limit="2", **filters)
    assert [len(page) for page in found] == sizes
    runs = [run for page in found for run in page]
    assert len({run["run_id"] for run in runs}) == sum(sizes)
    assert [run["started"] for run in runs] == sorted(
        (run["started"] for run in runs), reverse=True
    )
    assert all(run["kind"] == filters.get("kind", "answer") for run in runs)
    assert all(filters.get("kb", run["kb"][0]) in run["kb"] for run in runs)
    assert all(run["status"] == filters.get("status", run["status"]) for run in runs)


@pytest.mark.parametrize("kind", ["answer", "ingest"])
@pytest.mark.parametrize("cursor", ["%%", "bm9uc2Vuc2U", "OTk5OTk5OTk5OTk5OTk5OTk5OTk6eA"])
def test_a_cursor_that_was_not_given_out_is_refused(
    client: TestClient, kind: str, cursor: str
) -> None:
    reply = client.get("/v1/runs", params={"kind": kind, "cursor": cursor})
    assert (reply.status_code, reply.json()["code"]) == (422, "bad_input")


def test_the_worker_says_how_it_stands(client: TestClient) -> None:
    counts = {"queued": 0, "running": 0, "failed": 0, "waited_s": 0.0}
    standing = {"status": "ready", "reasons": []}
    assert client.get("/health/batch").json() == {**standing, **counts}
    authorization = client.headers.pop("Authorization")
    try:
        found = client.get("/health/batch").json()
    finally:
        client.headers["Authorization"] = authorization
    assert found == {**standing, **dict.fromkeys(counts)}
