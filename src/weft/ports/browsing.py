"""Indexes of a knowledge base for other tools; nothing of Weft's own uses them."""

from __future__ import annotations

from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class NameIndex:
    """The full-text index of entities' names: what it covers, how it stands, if it was just made.

    `name` is what it is called, which may be another name than was asked for. `state` is as the
    server says (`ONLINE`, `POPULATING`, `FAILED`), empty where there is none.
    """

    name: str
    state: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    created: bool = False


class Browsing(Protocol):
    """Keeps the indexes by which other tools find passages by vectors and entities by words."""

    async def ensure(self, scope: Scope) -> int:
        """Make what is missing, wait until it can be used, and return how many vectors were added.

        What is published later is not among the vectors until this is done again. Raises
        `NotFound` for another tenant.
        """
        ...

    async def ensure_names(self, scope: Scope, name: str, *, make: bool) -> NameIndex:
        """Return the full-text index of that name, made where it is missing if `make` says so.

        Raises `BadInput` for what cannot name an index, `NotFound` for another tenant.
        """
        ...

    async def drop(self, scope: Scope) -> None:
        """Remove the indexes and all that was kept for them; `NotFound` for another tenant."""
        ...
