"""Indexes of a knowledge base for other tools; nothing of Weft's own uses them."""

from __future__ import annotations

from typing import Protocol

from weft.domain.scope import Scope


class Browsing(Protocol):
    """Keeps the indexes by which other tools find passages by vectors and entities by words."""

    async def ensure(self, scope: Scope) -> int:
        """Make what is missing, wait until it can be used, and return how many vectors were added.

        What is published later is not among the vectors until this is done again. Raises
        `NotFound` for another tenant.
        """
        ...

    async def drop(self, scope: Scope) -> None:
        """Remove the indexes and all that was kept for them; `NotFound` for another tenant."""
        ...
