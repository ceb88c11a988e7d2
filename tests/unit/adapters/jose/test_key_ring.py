"""The keys over time: rotated, asked for too often, taken back, and the issuer away."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.adapters.jose.issuer import Published, StillClock, key_set, public
from weft.adapters.jose.compact import TokenHeader
from weft.adapters.jose.key_ring import FRESH, KEPT, SELDOM, KeyRing
from weft.domain.errors import Unauthenticated


def header(key_id: str) -> TokenHeader:
    return TokenHeader(algorithm="ES256", key_id=key_id)


def published(*names: str) -> bytes:
    return key_set(*(public("ES256", name) for name in names))


class World:
    """A ring, its issuer and its clock."""

    def __init__(self, *names: str) -> None:
        self.source = Published(published(*names) if names else b"")
        self.clock = StillClock(1000.0)
        self.ring = KeyRing(self.source, self.clock)

    async def knows(self, name: str) -> bool:
        try:
            return bool(await self.ring.find(header(name)))
        except Unauthenticated:
            return False

    async def settle(self) -> None:
        """Let a reading in the background end."""
        for _ in range(10_000):
            await asyncio.sleep(0.001)
            if self.ring._reading is None or self.ring._reading.done():
                return


async def test_keys_are_read_when_first_needed_and_not_again() -> None:
    world = World("a")
    assert world.source.readings == 0
    for _ in range(5):
        assert await world.knows("a")
    assert world.source.readings == 1


async def test_a_new_key_is_found_and_unknown_ones_cause_one_reading_a_minute() -> None:
    world = World("a")
    assert await world.knows("a")
    world.source.keys = published("a", "b")
    assert not await world.knows("b")
    world.clock.seconds += SELDOM
    assert await world.knows("b")
    assert world.source.readings == 2
    for number in range(100):
        world.clock.seconds += 1
        assert not await world.knows(f"unknown{number}")
        assert await world.knows("a")
    assert world.source.readings == 3


async def test_a_key_that_was_taken_back_is_good_no_longer_than_said() -> None:
    world = World("a", "b")
    assert await world.knows("b")
    world.source.keys = published("a")
    world.clock.seconds += FRESH + 1
    # This one is not kept waiting: the keys are read beside it.
    assert await world.knows("b")
    await world.settle()
    assert not await world.knows("b")
    assert await world.knows("a")


async def test_keys_are_kept_while_the_issuer_is_away_but_not_for_ever() -> None:
    world = World("a")
    assert await world.knows("a")
    world.source.keys = b""
    for _ in range(int(KEPT // SELDOM)):
        world.clock.seconds += SELDOM
        assert await world.knows("a")
        await world.settle()
    world.clock.seconds += SELDOM
    with pytest.raises(Unauthenticated) as caught:
        await world.ring.find(header("a"))
    assert caught.value.fields == {"reason": "keys_away"}
    world.source.keys = published("a")
    world.clock.seconds += SELDOM
    assert await world.knows("a")


async def test_while_there_are_no_keys_they_are_asked_for_soon_again_but_not_always() -> None:
    world = World()
    for _ in range(50):
        assert not await world.knows("a")
    assert world.source.readings == 1
    world.source.keys = published("a")
    world.clock.seconds += 10
    assert await world.knows("a")


async def test_a_set_that_cannot_be_read_changes_nothing() -> None:
    world = World("a")
    assert await world.knows("a")
    world.source.keys = b"<html>"
    world.clock.seconds += FRESH + 1
    assert await world.knows("a")
    await world.settle()
    assert await world.knows("a")


class SlowIssuer(Published):
    """An issuer that answers when it is told to."""

    def __init__(self, keys: bytes) -> None:
        super().__init__(keys)
        self.go = asyncio.Event()

    async def read(self) -> bytes:
        self.readings += 1
        await self.go.wait()
        return self.keys


async def test_many_who_wait_are_one_reading_and_one_who_leaves_ends_it_not() -> None:
    source = SlowIssuer(published("a"))
    ring = KeyRing(source, StillClock(1000.0))
    waiting = [asyncio.create_task(ring.find(header("a"))) for _ in range(20)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.sleep(0)
    source.go.set()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    assert all(isinstance(each, list) and each for each in found[1:])
    assert source.readings == 1


@given(st.lists(st.tuples(st.floats(0, 50), st.sampled_from("abcx"), st.booleans()), max_size=60))
async def test_readings_are_never_more_than_allowed(
    steps: list[tuple[float, str, bool]],
) -> None:
    world = World("a", "b")
    assert await world.knows("a")
    for pause, name, is_there in steps:
        world.clock.seconds += pause
        world.source.keys = published("a", "b") if is_there else b""
        await world.knows(name)
        await world.settle()
    passed = world.clock.seconds - 1000.0
    assert world.source.readings <= 1 + passed // SELDOM
