"""Readings beside a writer that never rests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from weft.adapters.neo4j.consistency import settled
from weft.adapters.neo4j.database import Neo4jDatabase
from weft.domain.errors import StoreUnavailable
from worlds import WRITER

pytestmark = pytest.mark.anyio


class Restless:
    """A server whose version moves before every reading, until its writers here wait."""

    def __init__(self, *, elsewhere: bool) -> None:
        self.address = SimpleNamespace(uri="neo4j://restless")
        self.seen = None
        self.readings = 0
        self._version = 0
        self._elsewhere = elsewhere
        self._is_quiet = False

    async def in_turn(self, work: Callable[[Restless], Awaitable[object]], **_: object) -> object:
        return await work(self)

    @asynccontextmanager
    async def writers_waiting(self) -> AsyncIterator[None]:
        self._is_quiet = not self._elsewhere
        yield
        self._is_quiet = False

    async def read(self, work: Callable[[Restless], Awaitable[object]]) -> object:
        self.readings += 1
        self._version += not self._is_quiet
        return await work(self)

    async def run(self, name: str, _: object = None) -> list[list[Any]]:
        return [[self._version, []] if name == "state" else [self._version]]

    async def bookmarks(self) -> None:
        return None


async def _read(server: Restless) -> object:
    async def work(_: object, __: object) -> str:
        return "one state"

    return await settled(cast("Neo4jDatabase", server), WRITER, work)


async def test_a_reading_that_writers_here_overtake_makes_them_wait() -> None:
    server = Restless(elsewhere=False)
    assert await _read(server) == "one state"
    assert server.readings < 12


async def test_a_reading_that_writers_elsewhere_overtake_says_so() -> None:
    with pytest.raises(StoreUnavailable, match="faster than it can be read") as caught:
        await _read(Restless(elsewhere=True))
    assert caught.value.fields["reason"] == "busy"
