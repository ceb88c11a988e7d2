"""The house that the service works in, open as long as the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from weft.agents.rag import RagHouse
from weft.bootstrap import App, Settings, build_answering, open_app
from weft.domain.errors import StoreUnavailable
from weft.domain.readiness import State
from weft.domain.scope import Scope
from weft.ingest.readiness import readiness
from weft.ports.store import Store


class House:
    """Opens with the service and closes with it; keeps the flows built so far."""

    def __init__(self, settings: Settings) -> None:
        """Open nothing yet."""
        self.settings = settings
        self._app: App | None = None
        self._built: dict[tuple[str, ...], RagHouse] = {}

    @property
    def app(self) -> App:
        """Return the open house; raises `StoreUnavailable` before and after."""
        if self._app is None:
            raise StoreUnavailable("The service is starting or stopping.")
        return self._app

    async def open(self) -> None:
        """Open the house."""
        self._app = await open_app(self.settings)

    async def close(self) -> None:
        """Close it."""
        if self._app is not None:
            await self._app.close()
            self._app = None

    async def answering(
        self, scope: Scope, names: Sequence[str]
    ) -> tuple[RagHouse, tuple[str, ...]]:
        """Return the flow over some knowledge bases, and notes on what is left out of it.

        With none named it works over all that answer; one that is named must.
        """
        stores, left_out = await self._stores(scope, names)
        key = tuple(store.name for store in stores)
        if key not in self._built:
            self._built[key] = await asyncio.to_thread(build_answering, self.app, stores)
        return self._built[key], left_out

    async def _stores(
        self, scope: Scope, names: Sequence[str]
    ) -> tuple[list[Store], tuple[str, ...]]:
        listed, notes = sorted(set(names)), list[str]()
        if not names:
            found = await readiness(self.app.library, scope)
            blocked = [each for each in found if each.state is State.BLOCKED]
            if blocked and len(blocked) == len(found):
                raise StoreUnavailable(blocked[0].reasons[0])
            notes = [f"{each.name} was left out: {' '.join(each.reasons)}" for each in blocked]
            listed = [each.name for each in found if each not in blocked]
        stores: list[Store] = []
        for name in listed:
            store = await self.app.library.named(scope, name)
            self.app.library.check(store, writing=False)
            stores.append(store)
        return stores, tuple(notes)
