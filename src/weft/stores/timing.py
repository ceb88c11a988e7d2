"""Calls of a knowledge base's store, timed for whoever counts them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from inspect import iscoroutinefunction
from typing import TypeVar, cast

from weft.domain.errors import StoreUnavailable, WeftError
from weft.domain.frozen import dataclass
from weft.ports.store import Store

Port = TypeVar("Port")
EMBEDDED, SERVER = "sqlite", "neo4j"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCall:
    """A call of a store that ended: its technology, what was asked of it, and for how long.

    `is_done` unless the store itself failed: that something is not there is an answer too.
    """

    store: str
    operation: str
    seconds: float
    is_done: bool


StoreObserver = Callable[[StoreCall], None]


def timed(store: Store, observer: StoreObserver) -> Store:
    """Return a store of which each call that is waited for is told to an observer."""
    kind = SERVER if store.is_on_server else EMBEDDED

    def around(port: Port) -> Port:
        return cast("Port", _TimedPort(port, kind, observer=observer))

    return replace(
        store,
        knowledge=around(store.knowledge),
        publishing=around(store.publishing),
        holdings=around(store.holdings),
        ledger=around(store.ledger),
        links=around(store.links),
        documents=around(store.documents),
    )


class _TimedPort:
    """Stands for a port: what it has is the port's, coroutines with the time that they took."""

    def __init__(self, port: object, kind: str, *, observer: StoreObserver) -> None:
        self._port, self._kind, self._observer = port, kind, observer

    def __getattr__(self, name: str) -> object:
        found = getattr(self._port, name)
        if not iscoroutinefunction(found):
            return found
        call = self._timed(found, name)
        setattr(self, name, call)  # made once
        return call

    def _timed(
        self, call: Callable[..., Awaitable[object]], name: str
    ) -> Callable[..., Awaitable[object]]:
        async def timed(*args: object, **named: object) -> object:
            began, is_done = time.perf_counter(), False
            try:
                found = await call(*args, **named)
                is_done = True
                return found
            except WeftError as error:
                is_done = not isinstance(error, StoreUnavailable)
                raise
            finally:
                seconds = time.perf_counter() - began
                self._observer(
                    StoreCall(store=self._kind, operation=name, seconds=seconds, is_done=is_done)
                )

        return timed
