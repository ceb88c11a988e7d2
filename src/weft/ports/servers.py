"""The servers that knowledge bases are on: their databases, and room for a new one."""

from __future__ import annotations

from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerDatabases:
    """One server: what it is, and its databases but those it keeps for itself, ordered.

    `can_make` tells whether a further one can be made there.
    """

    address: str
    version: str
    can_make: bool
    databases: tuple[str, ...]


class Servers(Protocol):
    """Looks at servers by their target (`neo4j://HOST:PORT`)."""

    async def databases(self, scope: Scope, target: str) -> ServerDatabases:
        """Return what a server holds; raises `StoreUnavailable` where it does not answer."""
        ...

    async def place(self, scope: Scope, name: str, *, target: str) -> str:
        """Return the whole target of a new knowledge base, with a database that is there.

        Where the server can make databases, one is made; elsewhere it must be there already.
        Raises `BadInput` where it cannot be, saying what can be done.
        """
        ...
