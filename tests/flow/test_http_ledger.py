"""The ledger over HTTP: every file with its reason and what to do, sums that match, in pages."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from flow.http_world import ended, served, workspace
from principals import somebody
from weft.bootstrap.app import load_settings, open_app
from weft.ingest.jobs.ingestion import IngestRequest

FILES = {
    "a.md": b"# Heron\n\nHeron is in Bergen. Owl is in Rome.\n",
    "b.txt": b"Kestrel is in Oslo.",
    "empty.txt": b"",
    "photo.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 64,
    "tools/setup.exe": b"MZ\x90\0" * 64,
    "broken.docx": b"no zip at all, a plain text",
}
ROWS = [
    {"id": "1", "content": "Apollo is in Seoul.", "acl": ["tenant:*"]},
    {"id": "2", "content": "Borealis, the secret one, is in Oslo.", "acl": ["user:bo"]},
    {"id": "3", "content": "", "acl": ["user:bo"]},
]
BO = somebody("bo")
LEDGER = "/v1/kb/Mixed/ledger"


async def bring_in_for_bo(home: Path) -> None:
    app = await open_app(load_settings(home))
    try:
        (home / "board").mkdir()
        (home / "board" / "rows.json").write_text(json.dumps(ROWS))
        store = await app.library.ensured(BO, "Board")
        request = IngestRequest(path=home / "board")
        await app.ingest.bring_in(BO, store, request=request, watch=lambda _: None)
    finally:
        await app.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home = workspace(tmp_path_factory.mktemp("ledger"))
    asyncio.run(bring_in_for_bo(home))
    with served(home) as opened:
        assert opened.post("/v1/kb", json={"name": "Mixed"}).status_code == 201
        parts = [("files", (name, data, "text/plain")) for name, data in FILES.items()]
        run = opened.post("/v1/kb/Mixed/documents", files=parts).json()
        assert ended(opened, run["run_id"])["status"] == "finished"
        yield opened


def rows_of(client: TestClient, **wanted: Any) -> list[dict[str, Any]]:
    """Return all rows that fit a filter, page by page."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = client.get(LEDGER, params={**wanted, "limit": 2, "cursor": cursor}).json()
        assert (page["totals"] is None) == bool(cursor)
        rows += page["files"]
        if not page["next"]:
            assert page["found"] == len(rows)
            return rows
        cursor = page["next"]


def test_every_file_has_a_row_and_the_sums_match(client: TestClient) -> None:
    whole = client.get(LEDGER).json()
    rows = whole["files"]
    assert [row["path"] for row in rows] == sorted(FILES)
    assert rows_of(client) == rows
    assert whole["totals"] == {
        "files": len(FILES),
        **{key: sum(row[key] for row in rows) for key in ("documents", "chunks", "characters")},
    }
    assert whole["totals"]["chunks"] == sum(whole["chunks"].values()) > 0
    assert whole["statuses"] == Counter(row["status"] for row in rows)
    read = {row["path"]: row["characters"] for row in rows if row["status"] == "read"}
    for path, characters in read.items():
        opened = client.get(f"/v1/kb/Mixed/documents/file:inbox/{path}").json()
        assert len(opened["text"]) == characters


def test_a_row_says_why_and_what_to_do(client: TestClient) -> None:
    rows = {row["path"]: row for row in client.get(LEDGER).json()["files"]}
    for path, row in rows.items():
        has_text = path in ("a.md", "b.txt")
        assert (row["status"] == "read") == has_text
        assert bool(row["reason"]) != has_text
        assert bool(row["advice"]) != has_text
    assert "WEFT_OCR=on" in rows["photo.png"]["advice"]
    assert "save it again" in rows["broken.docx"]["advice"]


def test_rows_are_filtered_by_state_and_words(client: TestClient) -> None:
    unread = {row["path"] for row in rows_of(client, unread=True)}
    assert unread == FILES.keys() - {"a.md", "b.txt"}
    several = rows_of(client, status=["corrupt", "no_text"])
    assert {row["path"] for row in several} == {"broken.docx", "empty.txt"}
    assert [row["path"] for row in rows_of(client, q="SETUP")] == ["tools/setup.exe"]
    assert [row["path"] for row in rows_of(client, q="png image")] == ["photo.png"]
    assert rows_of(client, q="nowhere") == []
    assert rows_of(client, unread=True, status=["read"]) == []
    wrong = client.get(LEDGER, params={"status": "gone"})
    assert wrong.status_code == 422
    assert "status" in wrong.json()["detail"]


def test_what_others_may_read_is_in_no_sum_and_found_by_no_word(client: TestClient) -> None:
    ledger = "/v1/kb/Board/ledger"
    whole = client.get(ledger).json()
    (row,) = whole["files"]
    assert (row["documents"], row["characters"], row["reason"]) == (
        1,
        len("Apollo is in Seoul."),
        "",
    )
    assert whole["totals"]["documents"] == 1
    assert whole["totals"]["chunks"] == sum(whole["chunks"].values()) == 1
    assert client.get(ledger, params={"q": "no content"}).json()["found"] == 0
