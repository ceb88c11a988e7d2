"""The ledger of a knowledge base: what became of each file and each chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weft.domain.ledger import FileEntry, KnownSource
from weft.domain.scope import Scope


class Ledger(Protocol):
    """Keeps one row a file, readable by whoever may read the file's documents."""

    async def source(
        self, scope: Scope, root: str, *, wanted: str, acl: frozenset[str] | None
    ) -> KnownSource:
        """Return the source at `root`, kept under the name `wanted` or the next free one like it.

        `acl` replaces who may read it; None leaves that, and is everyone for a new source.
        """
        ...

    async def sources(self, scope: Scope) -> list[KnownSource]:
        """Return every source, ordered by name, for those who may write."""
        ...

    async def standing(self, scope: Scope, source: str) -> list[FileEntry]:
        """Return every row of a source, whoever may read it, for those who may write it."""
        ...

    async def record(self, scope: Scope, entry: FileEntry) -> None:
        """Write a file's row in place of its former one."""
        ...

    async def forget(self, scope: Scope, source: str, paths: Sequence[str]) -> None:
        """Remove the rows of files that are gone."""
        ...

    async def files(
        self, scope: Scope, source: str | None, *, paths: Sequence[str] | None = None
    ) -> list[FileEntry]:
        """Return the readable rows, of one source or of all, ordered by source and path.

        With `paths` only those of these files; of one source the others are not gone through.
        """
        ...

    async def outcomes(self, scope: Scope) -> dict[str, int]:
        """Return how many readable chunks ended in each outcome."""
        ...
