"""Bytes kept beside a knowledge base, each by the hash of what it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import BinaryIO, Protocol

from weft.domain.scope import Scope


class Blobs(Protocol):
    """Keeps bytes of one tenant's knowledge bases apart; `base` is the knowledge base's name.

    A blob's name is the `bytes_hash` of its bytes, so that it is kept once, however often.
    """

    async def keep(self, scope: Scope, base: str, name: str, *, file: BinaryIO) -> bool:
        """Keep all of an open file; False, and nothing is kept, where its hash is not `name`.

        A reader sees all of it or nothing. What is there already is written anew.
        """
        ...

    async def opened(self, scope: Scope, base: str, name: str) -> BinaryIO:
        """Return a blob, open at its first byte, once all of it was compared with its name.

        Raises `NotFound` where it is not kept, or is no longer what it was.
        """
        ...

    async def names(self, scope: Scope, base: str) -> frozenset[str]:
        """Return what is kept."""
        ...

    async def remove(self, scope: Scope, base: str, names: Collection[str]) -> None:
        """Remove blobs, and what a process that was killed left of others."""
        ...

    async def drop(self, scope: Scope, base: str) -> None:
        """Remove all that is kept beside a knowledge base."""
        ...
