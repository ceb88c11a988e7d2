"""The files of documents: opened as they were read, by who may read all of one, gone in time."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from principals import somebody
from unit.adapters.reader.samples import pdf
from weft.bootstrap.app import App, load_settings, open_app
from weft.domain.acl import EVERYONE
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId, bytes_hash
from weft.domain.scope import Scope
from weft.ingest.jobs.ingestion import IngestRequest
from weft.ingest.sources.inbox import inbox_of
from weft.ports.store import Store

pytestmark = pytest.mark.anyio
ROWS = [
    {"id": "1", "title": "Open", "content": "Apollo is in Seoul.", "acl": ["tenant:*"]},
    {"id": "2", "title": "Shut", "content": "Borealis is in Oslo.", "acl": ["group:board"]},
]
PDF = pdf(["Apollo was founded by Li Wei.", "Apollo is in Seoul."], "Apollo")


ANN, BO = somebody("ann"), somebody("bo", "group:board")


@asynccontextmanager
async def opened(home: Path, keeping: str, *, is_service: bool = False) -> AsyncIterator[App]:
    os.makedirs(home, exist_ok=True)
    (home / "weft.yaml").write_text(f"embedder: none\noriginals: {keeping}\n")
    app = await open_app(load_settings(home), is_service=is_service)
    try:
        yield app
    finally:
        await app.close()


class Folder:
    """A folder of files, and the knowledge base that is kept in step with it."""

    def __init__(self, root: Path, app: App, store: Store) -> None:
        self.root, self.app, self.store = root, app, store

    async def sync(self, **files: bytes) -> None:
        """Write files, `a_md` for `a.md`, then bring the base in step."""
        for name, data in files.items():
            (self.root / name.replace("_", ".")).write_bytes(data)
        request = IngestRequest(path=self.root, acl=frozenset({EVERYONE}), prune=True)
        await self.app.ingest.bring_in(BO, self.store, request=request, watch=lambda _: None)

    async def read(self, key: str, scope: Scope = BO) -> bytes:
        found = await self.app.originals.opened(scope, self.store, DocumentId(key))
        with found.file as file:
            return file.read()

    async def is_hidden(self, key: str, scope: Scope = BO) -> bool:
        with pytest.raises(NotFound) as refused:
            await self.read(key, scope)
        with pytest.raises(NotFound) as absent:
            await self.read("file:notes/never.md", scope)
        return refused.value.message == absent.value.message

    def kept(self) -> list[str]:
        """Return the names of all that lies in the workspace's blobs, drafts included."""
        found = (self.app.settings.home / "blobs").rglob("*")
        return sorted(path.name for path in found if path.is_file())


@asynccontextmanager
async def folder(
    tmp_path: Path, keeping: str = "all", *, is_service: bool = False
) -> AsyncIterator[Folder]:
    async with opened(tmp_path / "home", keeping, is_service=is_service) as app:
        os.makedirs(tmp_path / "notes", exist_ok=True)
        store = await app.library.ensured(BO, "Notes")
        yield Folder(tmp_path / "notes", app, store)


def named(*contents: bytes) -> Sequence[str]:
    return sorted(bytes_hash([content]) for content in contents)


async def test_by_default_a_folder_is_not_copied_and_its_files_are_opened_where_they_are(
    tmp_path: Path,
) -> None:
    async with folder(tmp_path, "served") as notes:
        await notes.sync(a_pdf=PDF, b_md=b"# Bo\n\nBo is in Oslo.\n")
        assert notes.kept() == []
        assert await notes.read("file:notes/a.pdf") == PDF
        (notes.root / "a.pdf").write_bytes(PDF + b"\n")
        assert await notes.is_hidden("file:notes/a.pdf")
        await notes.sync()
        assert await notes.read("file:notes/a.pdf") == PDF + b"\n"
        (notes.root / "a.pdf").unlink()
        assert await notes.is_hidden("file:notes/a.pdf")


async def test_a_link_that_leads_out_is_not_opened(tmp_path: Path) -> None:
    async with folder(tmp_path, "none") as notes:
        await notes.sync(a_pdf=PDF)
        (tmp_path / "secret.pdf").write_bytes(PDF)
        (notes.root / "a.pdf").unlink()
        (notes.root / "a.pdf").symlink_to(tmp_path / "secret.pdf")
        assert await notes.is_hidden("file:notes/a.pdf")


async def test_a_service_keeps_what_it_reads(tmp_path: Path) -> None:
    async with folder(tmp_path, "served", is_service=True) as notes:
        await notes.sync(a_pdf=PDF)
        (notes.root / "a.pdf").write_bytes(b"another by now")
        assert notes.kept() == named(PDF)
        assert await notes.read("file:notes/a.pdf") == PDF


async def test_a_copy_is_gone_with_the_last_document_of_its_bytes(tmp_path: Path) -> None:
    first, second = b"# Bo\n\nBo is in Oslo.\n", b"# Bo\n\nBo is in Rome.\n"
    async with folder(tmp_path) as notes:
        await notes.sync(a_md=first, b_md=first, c_pdf=PDF)
        assert notes.kept() == named(first, PDF)
        await notes.sync(a_md=second)
        assert notes.kept() == named(first, second, PDF)
        (notes.root / "b.md").unlink()
        await notes.sync()
        assert notes.kept() == named(second, PDF)
        (notes.root / "c.pdf").rename(notes.root / "d.pdf")
        await notes.sync()
        assert notes.kept() == named(second, PDF)
        assert await notes.read("file:notes/d.pdf") == PDF
        (notes.root / "a.md").unlink()
        (notes.root / "d.pdf").unlink()
        await notes.sync()
        assert notes.kept() == []


async def test_what_gave_no_text_is_not_kept(tmp_path: Path) -> None:
    async with folder(tmp_path) as notes:
        await notes.sync(a_pdf=PDF, b_pdf=pdf([""]), c_exe=b"MZ\x90\0" * 64)
        assert notes.kept() == named(PDF)


async def test_what_a_killed_process_left_goes_with_the_next_run(tmp_path: Path) -> None:
    async with folder(tmp_path) as notes:
        await notes.sync(a_pdf=PDF)
        blobs = notes.app.originals._blobs  # as a run that was killed before its row was written
        lost = bytes_hash([b"lost"])
        assert await blobs.keep(BO, notes.store.name, lost, file=io.BytesIO(b"lost"))
        await notes.sync()
        assert lost in notes.kept()  # nothing had changed, so there was nothing to do
        await notes.sync(b_md=b"# Bo\n")
        assert notes.kept() == named(PDF, b"# Bo\n")


async def test_whoever_wants_no_copies_has_none_after_the_next_run(tmp_path: Path) -> None:
    async with folder(tmp_path, "all") as notes:
        await notes.sync(a_pdf=PDF)
        assert notes.kept() == named(PDF)
    async with folder(tmp_path, "none") as notes:
        await notes.sync(b_md=b"# Bo\n")
        assert notes.kept() == []


async def test_a_dropped_base_takes_its_copies_along_and_a_copied_one_has_them(
    tmp_path: Path,
) -> None:
    async with folder(tmp_path) as notes:
        await notes.sync(a_pdf=PDF)
        from weft.bases.copies import CopyOptions, copy, side_of
        from weft.ingest.removal import drop_base

        async def forget(_: Sequence[DocumentId]) -> None:
            return None

        twin = await notes.app.library.create(BO, "Twin")
        options = CopyOptions(watch=lambda _: None, forget=forget)
        await copy(BO, side_of(notes.store), into=side_of(twin), options=options)
        await notes.app.originals.copy(BO, notes.store, into=twin)
        assert notes.kept() == named(PDF, PDF)
        (notes.root / "a.pdf").unlink()
        inbox = inbox_of(notes.app.settings.home, BO, notes.store.name)
        await drop_base(notes.app.holders, BO, store=notes.store, inbox=inbox)
        assert notes.kept() == named(PDF)
        found = await notes.app.originals.opened(BO, twin, DocumentId("file:notes/a.pdf"))
        with found.file as file:
            assert file.read() == PDF


async def test_a_table_is_for_who_may_read_every_row(tmp_path: Path) -> None:
    async with folder(tmp_path) as notes:
        table = json.dumps(ROWS).encode()
        await notes.sync(rows_json=table)
        assert await notes.read("record:notes/rows.json#1") == table
        assert await notes.is_hidden("record:notes/rows.json#1", ANN)
        assert await notes.is_hidden("record:notes/rows.json#2", ANN)
        broken = json.dumps([*ROWS, {**ROWS[0], "id": "3", "acl": ["no principal"]}]).encode()
        await notes.sync(rows_json=broken)
        assert await notes.is_hidden("record:notes/rows.json#1")


async def test_other_readers_hold_at_once(tmp_path: Path) -> None:
    async with folder(tmp_path) as notes:
        await notes.sync(a_pdf=PDF)
        assert await notes.read("file:notes/a.pdf", ANN) == PDF
        (notes.root / "weft.acl.yaml").write_text("default: [group:board]\n")
        await notes.sync()
        assert await notes.is_hidden("file:notes/a.pdf", ANN)
        assert await notes.read("file:notes/a.pdf") == PDF


async def test_of_a_file_in_an_archive_the_archive_is_opened(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("inner/a.pdf", PDF)
        archive.writestr("rows.json", json.dumps(ROWS))
    async with folder(tmp_path) as notes:
        await notes.sync(all_zip=held.getvalue())
        assert await notes.read("file:notes/all.zip/inner/a.pdf") == held.getvalue()
        assert notes.kept() == named(held.getvalue())
        # A row of a table beside it is not Ann's.
        assert await notes.is_hidden("file:notes/all.zip/inner/a.pdf", ANN)
