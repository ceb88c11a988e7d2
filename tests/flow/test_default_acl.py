"""Documents of which nobody says who may read them are for those whom the knowledge base names."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from principals import somebody
from weft.bootstrap.app import App, load_settings, open_app
from weft.domain.scope import Scope
from weft.ingest.inbox_documents import HandedFile, InboxDocuments
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ingest.sources.inbox import HandedRecord, inbox_of
from weft.ingest.sources.labels import Label
from weft.ports.records.bases import Sharing
from weft.ports.store import Store

pytestmark = pytest.mark.anyio


ANN, BO, CY = somebody("ann"), somebody("bo", "group:staff"), somebody("cy", "group:board")


@asynccontextmanager
async def opened(tmp_path: Path, *default: str) -> AsyncIterator[tuple[App, Store]]:
    home = tmp_path / "home"
    home.mkdir()
    (home / "weft.yaml").write_text("embedder: none\n")
    app = await open_app(load_settings(home))
    try:
        store = await app.library.create(ANN, "Notes")
        await by_default(app, *default)
        yield app, store
    finally:
        await app.close()


async def by_default(app: App, *principals: str) -> None:
    await app.records.bases.share(ANN, "Notes", Sharing(default_acl=frozenset(principals)))


def files(tmp_path: Path, folder: str, *names: str) -> Path:
    path = tmp_path / folder
    path.mkdir(exist_ok=True)
    for name in names:
        (path / name).write_text(f"# {name}\n\nWhat {name} in {folder} says.\n")
    return path


async def bring(app: App, store: Store, path: Path, acl: frozenset[str] | None = None) -> None:
    request = IngestRequest(path=path, acl=acl)
    await app.ingest.bring_in(ANN, store, request=request, watch=lambda _: None)


async def read_by(store: Store, scope: Scope) -> set[str]:
    listed = await store.documents.page(scope, after=None, limit=100)
    return {document.title for document in listed}


async def test_a_new_base_is_read_by_its_tenant(tmp_path: Path) -> None:
    async with opened(tmp_path, "tenant:*") as (app, store):
        await bring(app, store, files(tmp_path, "a", "one.md"))
        for scope in (ANN, BO, CY):
            assert await read_by(store, scope) == {"one.md"}


async def test_without_a_default_only_who_brings_it_in_reads_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, store):
        await bring(app, store, files(tmp_path, "a", "one.md"))
        assert await read_by(store, ANN) == {"one.md"}
        assert await read_by(store, BO) == await read_by(store, CY) == set()


async def test_what_says_more_than_the_default_decides(tmp_path: Path) -> None:
    async with opened(tmp_path, "group:staff") as (app, store):
        flagged = files(tmp_path, "flagged", "flag.md")
        await bring(app, store, flagged, frozenset({"group:board"}))
        beside = files(tmp_path, "beside", "beside.md", "named.md")
        (beside / "weft.acl.yaml").write_text("paths:\n  named.md: [group:board]\n")
        rows = [
            {"id": "1", "title": "own", "content": "Own.", "acl": ["group:board"]},
            {"id": "2", "title": "none", "content": "None."},
        ]
        (beside / "rows.json").write_text(json.dumps(rows))
        await bring(app, store, beside)
        assert await read_by(store, CY) == {"flag.md", "named.md", "own"}
        assert await read_by(store, BO) == {"beside.md", "none"}
        assert await read_by(store, ANN) == {"beside.md", "none"}


async def test_another_default_holds_for_what_comes_in_later(tmp_path: Path) -> None:
    async with opened(tmp_path, "group:staff") as (app, store):
        first = files(tmp_path, "first", "one.md")
        await bring(app, store, first)
        await by_default(app, "group:board")
        await bring(app, store, files(tmp_path, "second", "two.md"))
        await bring(app, store, files(tmp_path, "first", "three.md"))
        # The readers of a folder are kept with it, as those that a flag names.
        assert await read_by(store, BO) == {"one.md", "three.md"}
        assert await read_by(store, CY) == {"two.md"}
        await bring(app, store, first)
        assert await read_by(store, BO) == {"one.md", "three.md"}


async def test_what_is_handed_over_keeps_the_default_of_its_day(tmp_path: Path) -> None:
    async with opened(tmp_path, "group:staff") as (app, store):
        inbox = inbox_of(app.settings.home, ANN, store.name)
        handed = InboxDocuments(
            store=store, inbox=inbox, ingest=app.ingest, audit=app.records.audit
        )

        async def hand(title: str, acl: frozenset[str] | None = None) -> None:
            record = HandedRecord(id=title, title=title, content=f"Of {title}.", acl=acl)
            draft = tmp_path / f"{title}.draft"
            draft.write_text(f"# {title} file\n\nText of {title}.\n")
            file = HandedFile(name=f"{title}.md", draft=draft, label=Label(acl=acl))
            await handed.hand_over(ANN, files=(file,), records=(record,))
            await bring(app, store, inbox.path)

        await hand("early")
        await by_default(app, "group:board")
        await hand("late")
        await hand("named", frozenset({"user:bo"}))
        assert await read_by(store, BO) == {"early", "early file", "named", "named file"}
        assert await read_by(store, CY) == {"late", "late file"}
        assert await read_by(store, ANN) == {"early", "early file", "late", "late file"}
