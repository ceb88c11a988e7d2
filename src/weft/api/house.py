"""The house that the service works in, open as long as the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from weft.agents.rag import RagHouse
from weft.bootstrap import App, Settings, build_answering, open_app
from weft.domain.errors import StoreUnavailable
from weft.domain.scope import Scope
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

    async def answering(self, scope: Scope, names: Sequence[str]) -> RagHouse:
        """Return the flow over some knowledge bases, over all of them if none is named."""
        listed = names or [base.name for base in await self.app.library.listed(scope)]
        stores: list[Store] = []
        for name in sorted(set(listed)):
            store = await self.app.library.named(scope, name)
            self.app.library.check(store, writing=False)
            stores.append(store)
        key = tuple(store.name for store in stores)
        if key not in self._built:
            self._built[key] = await asyncio.to_thread(build_answering, self.app, stores)
        return self._built[key]
