"""What others may read is neither counted, nor replaced, nor dropped by who may not."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from principals import somebody
from weft.bootstrap.app import App, load_settings, open_app
from weft.domain.acl import NO_PRINCIPAL
from weft.domain.errors import BadInput, Forbidden
from weft.domain.ledger import FileEntry
from weft.domain.scope import Scope
from weft.ingest.inbox_documents import InboxDocuments
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ingest.removal import drop_base
from weft.ingest.seen_files import rows_of, seen_files
from weft.ingest.sources.inbox import HandedRecord, inbox_of
from weft.platform.identity import OWNER_PERMISSIONS
from weft.ports.store import Store

ROWS = [
    {"id": "1", "title": "Open", "content": "Apollo is in Seoul.", "acl": ["tenant:*"]},
    {"id": "2", "title": "Shut", "content": "Borealis is in Oslo.", "acl": ["group:board"]},
    {"id": "3", "title": "Shut", "content": "Corvus is in Rome.", "acl": ["group:board"]},
    {"id": "4", "title": "Broken", "content": "Dorado.", "acl": ["the merger circle"]},
]
EMPTY = {"id": "5", "title": "Merger", "content": "", "acl": ["group:board"]}


ANN, BO = somebody("ann"), somebody("bo", "group:board")


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[tuple[App, Store]]:
    home, folder = tmp_path / "home", tmp_path / "notes"
    home.mkdir()
    folder.mkdir()
    (home / "weft.yaml").write_text("embedder: none\n")
    (folder / "rows.json").write_text(json.dumps(ROWS))
    (folder / "plain.md").write_text("# Plain\n\nPlain is plain.\n")
    app = await open_app(load_settings(home))
    try:
        store = await app.library.create(BO, "Notes")
        request = IngestRequest(path=folder)
        await app.ingest.bring_in(BO, store, request=request, watch=lambda _: None)
        yield app, store
    finally:
        await app.close()


async def row(store: Store, scope: Scope, path: str) -> FileEntry:
    entries = await seen_files(scope, store, await store.ledger.files(scope, None))
    return next(entry for entry in entries if entry.path == path)


async def test_a_row_of_the_ledger_has_the_figures_of_what_is_read(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, store):
        whole, part = await row(store, BO, "rows.json"), await row(store, ANN, "rows.json")
        assert (whole.documents, whole.chunks, whole.skipped) == (3, 3, 1)
        assert "merger" not in whole.reason
        texts = sum(len(each["content"]) for each in ROWS[:3])
        assert whole.characters == texts
        assert (part.documents, part.chunks, part.skipped) == (1, 1, 1)
        assert (part.characters, part.reason) == (len(str(ROWS[0]["content"])), whole.reason)
        assert await row(store, ANN, "plain.md") == await row(store, BO, "plain.md")


async def test_a_row_that_may_not_be_read_changes_nothing_of_the_ledger(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, store):
        folder = tmp_path / "notes"
        request = IngestRequest(path=folder)
        seen: list[FileEntry] = []
        for rows in ([ROWS[0], ROWS[3]], [ROWS[0], ROWS[3], ROWS[1], EMPTY]):
            (folder / "rows.json").write_text(json.dumps(rows))
            await app.ingest.bring_in(BO, store, request=request, watch=lambda _: None)
            seen.append(replace(await row(store, ANN, "rows.json"), version=""))
        assert seen[0] == seen[1]
        assert seen[0].reason == f"record 2: {NO_PRINCIPAL}"
        assert "no content" in (await row(store, BO, "rows.json")).reason


async def test_what_a_caller_may_not_read_is_not_replaced(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, store):
        inbox = inbox_of(app.settings.home, BO, store.name)
        handed = InboxDocuments(
            store=store, inbox=inbox, ingest=app.ingest, audit=app.records.audit
        )
        mine = HandedRecord(id="plan", content="Bo's plan.", acl=frozenset({"group:board"}))
        theirs = HandedRecord(id="plan", content="Ann's plan.")
        await handed.hand_over(BO, files=(), records=(mine,))
        with pytest.raises(BadInput) as refused:
            await handed.hand_over(ANN, files=(), records=(theirs,))
        assert "plan" not in str(refused.value)
        (kept,) = inbox.path.glob("_records/*.json")
        assert json.loads(kept.read_text())["content"] == "Bo's plan."
        await handed.hand_over(BO, files=(), records=(replace(mine, content="Bo's other plan."),))
        assert json.loads(kept.read_text())["content"] == "Bo's other plan."


async def test_a_base_is_dropped_by_the_right_over_all_of_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, store):
        inbox = inbox_of(app.settings.home, BO, store.name)
        less = replace(ANN, permissions=OWNER_PERMISSIONS - {"kb.drop"})
        with pytest.raises(Forbidden):
            await drop_base(app.holders, less, store=store, inbox=inbox)
        with pytest.raises(Forbidden):
            await app.library.drop(less, store)
        assert (await store.holdings.counts(BO)).documents == 4
        await app.library.drop(ANN, store)
        assert await app.library.listed(BO) == []


async def test_the_rows_of_some_documents_are_those_of_the_ledger(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, store):
        for scope in (ANN, BO):
            documents = await store.documents.page(scope, after=None, limit=9)
            rows = await rows_of(scope, store, documents)
            assert [*rows] == [each.id for each in documents]
            for key, found in rows.items():
                path = "plain.md" if key.startswith("file:") else "rows.json"
                whole = await row(store, scope, path)
                assert (found.path, found.status, found.reason) == (path, "read", whole.reason)


async def test_a_page_of_documents_does_not_go_through_a_whole_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as (_, store):
        documents = await store.documents.page(ANN, after=None, limit=9)
        files, pages = store.ledger.files, []

        async def some(scope: Scope, source: str | None, **given: list[str]) -> list[FileEntry]:
            assert given["paths"] is not None
            return await files(scope, source, **given)

        monkeypatch.setattr(
            type(store.ledger), "files", lambda _, *args, **given: some(*args, **given)
        )
        monkeypatch.setattr(type(store.documents), "page", lambda *_, **given: pages.append(given))
        assert await rows_of(ANN, store, documents)
        assert not pages
