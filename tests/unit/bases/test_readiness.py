"""How knowledge bases stand, when there are many."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from fault.workshop import OWNER, workshop
from weft.bases import readiness
from weft.bases.library import Library
from weft.domain.errors import StoreUnavailable
from weft.domain.readiness import State
from weft.domain.scope import Scope
from weft.ports.records.bases import RegisteredBase
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


@pytest.mark.parametrize(
    ("reason", "says"),
    [("unreachable", "start its server"), ("timeout", "slow"), ("credentials", "password")],
)
async def test_what_is_to_be_done_about_a_server_goes_by_why_it_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, says: str
) -> None:
    async def silent(self: Library, scope: Scope, name: str, *, to_fill: bool = False) -> Store:
        raise StoreUnavailable("It does not answer.", reason=reason)

    async with workshop(tmp_path) as shop:
        await shop.library.create(OWNER, "Base")
        (base,) = await shop.library.listed(OWNER)
        elsewhere = replace(base, target="neo4j://db.example:7687")

        async def listed(self: Library, scope: Scope) -> list[RegisteredBase]:
            return [elsewhere]

        monkeypatch.setattr(Library, "named", silent)
        monkeypatch.setattr(Library, "listed", listed)
        (found,) = await readiness.readiness(shop.library, OWNER)
    assert found.state is State.BLOCKED
    assert says in found.mend
    assert "neo4j://db.example:7687" in found.mend
    assert "weft kb drop Base --forget" in found.mend
