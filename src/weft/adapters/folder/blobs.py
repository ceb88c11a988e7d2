"""Blobs as files: `blobs/TENANT/BASE/ab/abcd…`, their owner's alone."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import bytes_hash, digest, is_bytes_hash, is_knowledge_base_name
from weft.domain.scope import Scope
from weft.platform.threads import opened_file
from weft.platform.workspace import remove_folder

_DRAFT = ".draft-"
# A draft that nobody has written to for so long is that of a process that was killed.
_STALE_SECONDS = 3600
_BLOCK = 2**20


class FolderBlobs:
    """Implements `ports/files/blobs.py` below one folder."""

    def __init__(self, folder: Path) -> None:
        """Keep blobs below a folder, which is made with the first of them."""
        self._folder = folder

    async def keep(self, scope: Scope, base: str, name: str, *, file: BinaryIO) -> bool:
        """Write a draft, compare it, and give it its name in one step; see the port."""
        return await asyncio.to_thread(self._keep, self._place(scope, base, name), file)

    async def opened(self, scope: Scope, base: str, name: str) -> BinaryIO:
        """Return an open file whose bytes were read to the end and compared."""
        place = self._place(scope, base, name)
        return await opened_file(lambda: _opened(place))

    async def names(self, scope: Scope, base: str) -> frozenset[str]:
        """Return the names of the files that are whole."""
        folder = self._base(scope, base)
        return await asyncio.to_thread(
            lambda: frozenset(path.name for path in _files(folder) if is_bytes_hash(path.name))
        )

    async def remove(self, scope: Scope, base: str, names: Collection[str]) -> None:
        """Remove files, drafts that nobody writes any more, and folders that are empty then."""
        paths = [self._place(scope, base, name) for name in names]
        await asyncio.to_thread(_remove, self._base(scope, base), paths)

    async def drop(self, scope: Scope, base: str) -> None:
        """Remove a knowledge base's folder."""
        folder = self._base(scope, base)
        await asyncio.to_thread(remove_folder, folder)

    def _keep(self, path: Path, file: BinaryIO) -> bool:
        folder = self._folder
        for part in ("", *path.parent.relative_to(self._folder).parts):
            folder = folder / part
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        import tempfile  # here, because a question keeps no file

        # Its mode is 0600 from the first byte on.
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=_DRAFT)
        try:
            with os.fdopen(handle, "wb") as kept:
                found = bytes_hash(_copied(file, kept))
                kept.flush()
                os.fsync(kept.fileno())
            if found == path.name:
                Path(draft).replace(path)
        finally:
            Path(draft).unlink(missing_ok=True)
        return found == path.name

    def _base(self, scope: Scope, base: str) -> Path:
        if not is_knowledge_base_name(base):
            raise BadInput(f"'{base[:100]}' is no name of a knowledge base.")
        return self._folder / digest(scope.tenant)[:12] / base

    def _place(self, scope: Scope, base: str, name: str) -> Path:
        if not is_bytes_hash(name):
            raise NotFound("That is no name of a blob.")
        return self._base(scope, base) / name[:2] / name


def _opened(path: Path) -> BinaryIO:
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise NotFound("It is not kept.") from error
    if bytes_hash(_blocks(file)) != path.name:
        file.close()
        raise NotFound("What is kept is no longer what it was.")
    file.seek(0)
    return file


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _copied(file: BinaryIO, into: BinaryIO) -> Iterator[bytes]:
    for block in _blocks(file):
        into.write(block)
        yield block


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files two levels below a folder, none where there is no such folder."""
    with suppress(FileNotFoundError), os.scandir(folder) as parts:
        for part in parts:
            with suppress(FileNotFoundError), os.scandir(part) as files:
                yield from (Path(file.path) for file in files)


def _remove(folder: Path, paths: Collection[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
    for path in list(_files(folder)):
        with suppress(FileNotFoundError):
            is_draft = path.name.startswith(_DRAFT)
            if is_draft and path.stat().st_mtime < time.time() - _STALE_SECONDS:
                path.unlink()
    for part in {path.parent for path in paths}:
        with suppress(OSError):  # others lie there
            part.rmdir()
