"""How knowledge bases stand, when there are many."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fault.workshop import OWNER, workshop
from weft.bases import readiness
from weft.bases.library import Library
from weft.domain.readiness import State
from weft.domain.scope import Scope
from weft.ports.store import Store

pytestmark = pytest.mark.anyio
BASES = 24


async def test_many_that_take_turns_are_all_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is given its time from when it is looked at, not from when all are asked for."""
    # All together take longer than one may, the eight that are looked at at once less than half.
    monkeypatch.setattr(readiness, "FILE_SECONDS", readiness.LOOK_SECONDS)
    apart = 1.2 * readiness.FILE_SECONDS / BASES
    turn, named = asyncio.Lock(), Library.named

    async def slow(self: Library, scope: Scope, name: str, *, to_fill: bool = False) -> Store:
        async with turn:
            await asyncio.sleep(apart)
        return await named(self, scope, name, to_fill=to_fill)

    async with workshop(tmp_path) as shop:
        for number in range(BASES):
            await shop.library.create(OWNER, f"Base{number}")
        monkeypatch.setattr(Library, "named", slow)
        found = await readiness.readiness(shop.library, OWNER)
    assert [each.state for each in found] == [State.READY] * BASES
