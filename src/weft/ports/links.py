"""Links that people and models made between local entities."""

from __future__ import annotations

from typing import Protocol

from weft.domain.claim import Link, LocalEntity
from weft.domain.scope import Scope


class Links(Protocol):
    """Keeps links; one is readable when both its ends are, and goes when an end goes for good."""

    async def add(self, scope: Scope, link: Link) -> None:
        """Keep a link in place of an earlier one of the same pair and kind."""
        ...

    async def retract(self, scope: Scope, key: str) -> bool:
        """Remove a link; False if there is none of that key that the caller may read."""
        ...

    async def touching(self, scope: Scope, entities: frozenset[LocalEntity]) -> list[Link]:
        """Return the readable links with an end among `entities`, ordered by key; all if empty."""
        ...
