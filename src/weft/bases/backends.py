"""Which technology keeps a knowledge base: told by the beginning of its target."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.domain.target import EMBEDDED, is_server_target
from weft.ports.servers import ServerDatabases, Servers
from weft.ports.store import Places, Recipe, Store, Stores
from weft.stores.timing import StoreObserver, timed


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerBackend:
    """What opens knowledge bases on servers, and what finds room for them."""

    stores: Stores
    servers: Servers


class Backends:
    """Implements `ports/store.py: Places` over the workspace's files and over servers.

    What servers need is brought in when the first target on one is opened, and not before.
    """

    def __init__(self, embedded: Places, on_servers: Callable[[], ServerBackend]) -> None:
        """Bring in nothing yet."""
        self._embedded = embedded
        self._on_servers = on_servers
        self._opened: ServerBackend | None = None
        self._observer: StoreObserver | None = None

    def observe(self, observer: StoreObserver) -> None:
        """Have the calls of all stores that are opened from now on told to an observer."""
        self._observer = observer

    async def open(
        self,
        scope: Scope,
        name: str,
        *,
        target: str,
        recipe: Recipe | None,
        is_new: bool = False,
    ) -> Store:
        """Open the knowledge base at a target, making it by the recipe where it is not there."""
        stores: Stores = self._embedded
        if is_server_target(target):
            stores = (await self._servers()).stores
        store = await stores.open(scope, name, target=target, recipe=recipe, is_new=is_new)
        return store if self._observer is None else timed(store, self._observer)

    async def place(self, scope: Scope, name: str, *, target: str) -> str:
        """Return the whole target of a new knowledge base; see the port."""
        if target == EMBEDDED:
            return await self._embedded.place(scope, name, target=target)
        if not is_server_target(target):
            raise BadInput(
                f"'{target}' is no place for a knowledge base: write sqlite: or "
                "neo4j://HOST:PORT/DATABASE.",
                target=target,
            )
        return await (await self._servers()).servers.place(scope, name, target=target)

    async def is_there(self, scope: Scope, target: str) -> bool:
        """Tell whether the file of a target is there; a server is asked when it is opened."""
        return is_server_target(target) or await self._embedded.is_there(scope, target)

    async def remove(self, scope: Scope, target: str) -> None:
        """Remove the files of a target that is too damaged to be opened; see the port."""
        await self._embedded.remove(scope, target)

    async def databases(self, scope: Scope, target: str) -> ServerDatabases:
        """Return what a server holds; raises `StoreUnavailable` where it does not answer."""
        return await (await self._servers()).servers.databases(scope, target)

    async def _servers(self) -> ServerBackend:
        if self._opened is None:
            # In a thread: bringing in a driver takes longer than a loop may stand still.
            self._opened = await asyncio.to_thread(self._on_servers)
        return self._opened
