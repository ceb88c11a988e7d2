"""The files that documents came from, as they were read: kept, found again, removed with them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from weft.domain.errors import NotFound
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId, bytes_hash
from weft.domain.ledger import FileEntry
from weft.domain.scope import Scope
from weft.ingest.document_versions import has_own_acl, readers_of
from weft.ingest.sources.document_ids import file_of
from weft.ingest.sources.members import holder
from weft.ingest.sources.plan import FileTask, Source
from weft.platform.threads import opened_file
from weft.ports.files.blobs import Blobs
from weft.ports.store import Store

_BLOCK = 1 << 20


class Keeping(StrEnum):
    """Of which files a copy is kept: of those handed over and a service's, of all, of none."""

    SERVED = "served"
    ALL = "all"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A document's file, open at its first byte: its own name, its size and the hash of it."""

    name: str
    size: int
    content: str
    file: BinaryIO


class Originals:
    """Keeps copies of files while the ledger has them, and finds the file of a document.

    What refers to a copy is the ledger alone: a row's version begins with the hash of its bytes.
    """

    def __init__(self, blobs: Blobs, keeping: Keeping, *, is_service: bool = False) -> None:
        """Keep nothing yet."""
        self._blobs = blobs
        self._keeping = keeping
        self._is_service = is_service

    async def keep(self, scope: Scope, base: str, task: FileTask, *, source: Source) -> None:
        """Keep a copy of a file, unless it has changed since it was looked at."""
        served = self._is_service or source.is_inbox
        if self._keeping is Keeping.ALL or (self._keeping is Keeping.SERVED and served):
            with suppress(OSError):  # it is gone again
                file = await opened_file(lambda: task.file.path.open("rb"))
                with file:
                    await self._blobs.keep(scope, base, task.content, file=file)

    async def sweep(self, scope: Scope, store: Store) -> None:
        """Remove the copies that no row of the ledger names.

        They are listed before the rows: what another run keeps in between stays.
        """
        names = await self._blobs.names(scope, store.name)
        if not names:
            return
        is_none = self._keeping is Keeping.NONE
        kept = frozenset[str]() if is_none else await _named(scope, store)
        await self._blobs.remove(scope, store.name, names - kept)

    async def copy(self, scope: Scope, original: Store, *, into: Store) -> None:
        """Keep beside a copied knowledge base what is kept beside the original."""
        there = await self._blobs.names(scope, into.name)
        wanted = await _named(scope, into) & await self._blobs.names(scope, original.name)
        for name in sorted(wanted - there):
            with suppress(NotFound):
                file = await self._blobs.opened(scope, original.name, name)
                with file:
                    await self._blobs.keep(scope, into.name, name, file=file)
        await self.sweep(scope, into)

    async def drop(self, scope: Scope, base: str) -> None:
        """Remove all copies of a knowledge base."""
        await self._blobs.drop(scope, base)

    async def opened(
        self, scope: Scope, store: Store, document_id: DocumentId, *, of_rows: bool = True
    ) -> Original:
        """Return the file that a readable document came from, as it was when it was read.

        It is the copy, or the file in its place if not a byte of it has changed; of a file within
        a file, the outermost one. Raises `NotFound` for every document that is not readable, and
        where there is neither, or something in the file is not the caller's to read. Without
        `of_rows` no file of which rows are documents is returned: whether all of it may be read
        would tell whether there are rows that are hidden.
        """
        try:
            row = await self._row(scope, store, document_id, of_rows=of_rows)
            file = await self._file(scope, store, row)
        except NotFound as hidden:
            raise NotFound from hidden  # in the same words, whatever it was
        size = os.fstat(file.fileno()).st_size
        name = PurePosixPath(row.path).name
        return Original(name=name, size=size, content=row.content, file=file)

    async def _row(
        self, scope: Scope, store: Store, document_id: DocumentId, *, of_rows: bool
    ) -> FileEntry:
        """Return the ledger's row of the outermost file that a document is from."""
        document = await store.documents.document(scope, document_id)
        rows = {row.path: row for row in await store.ledger.files(scope, document.source)}
        row = rows.get(file_of(document.id, document.source))
        while row is not None and (outer := holder(row.path, rows)):
            row = rows[outer]
        if row is None or not row.content:
            raise NotFound
        if await self._check(scope, store, row, rows=rows) and not of_rows:
            raise NotFound
        return row

    async def _check(
        self, scope: Scope, store: Store, row: FileEntry, *, rows: dict[str, FileEntry]
    ) -> bool:
        """Tell whether rows of a file are documents.

        Raises `NotFound` unless all that is in the file is the caller's to read.

        The rows of a table may have readers of their own, and so may one that could not be read.
        """
        versions = await store.holdings.versions(scope, row.source)
        inside = {
            key: version
            for key, version in versions.items()
            if _is_within(file_of(key, row.source), row.path)
        }
        # One document stands for all those that have the same readers.
        samples = {readers_of(version): key for key, version in inside.items()}
        for key in samples.values():
            await store.documents.document(scope, key)
        names_readers = any(map(has_own_acl, inside.values()))
        of_records = any(key.startswith("record:") for key in inside)
        lost = any(each.skipped for each in rows.values() if _is_within(each.path, row.path))
        if lost and (names_readers or of_records):
            raise NotFound
        return of_records

    async def _file(self, scope: Scope, store: Store, row: FileEntry) -> BinaryIO:
        with suppress(NotFound):
            return await self._blobs.opened(scope, store.name, row.content)
        sources = {source.name: source.root for source in await store.ledger.sources(scope)}
        root = sources.get(row.source)
        if root is None:
            raise NotFound
        return await opened_file(lambda: _in_place(Path(root), row.path, row.content))


async def _named(scope: Scope, store: Store) -> frozenset[str]:
    """Return the hashes of all files that the ledger has as read, whoever may read them."""
    rows: list[FileEntry] = []
    for source in await store.ledger.sources(scope):
        rows += await store.ledger.standing(scope, source.name)
    return frozenset(row.content for row in rows)


def _is_within(path: str, outer: str) -> bool:
    return path == outer or path.startswith(f"{outer}/")


def _in_place(root: Path, relative: str, content: str) -> BinaryIO:
    """Return a copy, which nobody else can change, of a file that is still what was read."""
    path = root if root.is_file() else root / relative
    inside = os.path.realpath(path)
    try:
        if not Path(inside).is_relative_to(os.path.realpath(root)):
            raise NotFound
        handle = os.open(inside, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise NotFound from error
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotFound
        import tempfile  # here, because few calls show an original

        with ExitStack() as undone:
            copied = undone.enter_context(tempfile.TemporaryFile())
            if bytes_hash(_copied(file, copied)) != content:
                raise NotFound
            undone.pop_all()
    copied.seek(0)
    return copied


def _copied(file: BinaryIO, into: BinaryIO) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        into.write(block)
        yield block
