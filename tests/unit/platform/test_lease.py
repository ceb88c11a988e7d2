"""A worker's turn at a job: how it ends is written down, whatever ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from patience import SOON
from weft.domain.errors import (
    BadInput,
    Cancelled,
    FenceRefused,
    ModelUnavailable,
    StoreCorrupt,
    StoreUnavailable,
    WeftError,
    WeightsMissing,
)
from weft.platform import lease as turn
from weft.platform.lease import LeasedJob
from weft.ports.records.worklist import Lease

pytestmark = pytest.mark.anyio
LEASE = Lease(tenant="local", job_id="j", fence=1)
DONE: Mapping[str, object] = {"files": 2, "files_done": 2}


@dataclass
class Notes:
    """A worklist that notes what it is told; `beats` are its answers to heartbeats, in order."""

    beats: list[bool | type[WeftError]] = field(default_factory=list)
    wrong: Mapping[str, type[WeftError]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def hears(self, what: str, times: int = 1) -> None:
        """Wait until it was told something so many times."""
        async with asyncio.timeout(SOON):
            while self.told.count(what) < times:
                self.news.clear()
                await self.news.wait()

    async def heartbeat(self, lease: Lease, *, lease_seconds: float) -> bool:
        answer = self.beats.pop(0) if self.beats else False
        self._note("beat")
        if isinstance(answer, bool):
            return answer
        raise answer

    async def progress(self, lease: Lease, report: Mapping[str, object]) -> None:
        self._tell(f"progress {report['files_done']}")

    async def finish(self, lease: Lease, result: Mapping[str, object]) -> None:
        self._tell(f"finish {result['files_done']}")

    async def fail(self, lease: Lease, *, error: str, may_retry: bool = True) -> bool:
        self._tell(f"fail {error} {may_retry}")
        return False

    async def release(self, lease: Lease) -> None:
        self._tell("release")

    def _tell(self, what: str) -> None:
        if wrong := self.wrong.get(what.split()[0]):
            raise wrong
        self._note(what)

    def _note(self, what: str) -> None:
        self.told.append(what)
        self.news.set()


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "_BEAT", 0.01)


@pytest.fixture
def _unhurried(_fast: None, monkeypatch: pytest.MonkeyPatch) -> None:
    # What ends at once has no beat, however long a busy machine takes to begin.
    monkeypatch.setattr(turn, "_BEAT", 60.0)


def a_turn(notes: Notes) -> LeasedJob:
    return LeasedJob(cast(Any, notes), LEASE)


async def works(
    seconds: float = 0.0, error: type[BaseException] | None = None
) -> Mapping[str, object]:
    await asyncio.sleep(seconds)
    if error is not None:
        raise error
    return DONE


@pytest.mark.usefixtures("_unhurried")
async def test_good_work_is_finished() -> None:
    notes = Notes()
    assert await a_turn(notes).hold(works()) == DONE
    assert notes.told == ["finish 2"]


async def test_its_progress_is_told_while_it_runs() -> None:
    notes = Notes()
    held = a_turn(notes)
    held.see({"files": 2, "files_done": 1})

    async def works_until_told() -> Mapping[str, object]:
        await notes.hears("progress 1")
        return DONE

    await held.hold(works_until_told())
    assert notes.told[:2] == ["beat", "progress 1"]


@pytest.mark.usefixtures("_unhurried")
async def test_a_failure_is_noted_and_told() -> None:
    notes = Notes()
    with pytest.raises(StoreUnavailable):
        await a_turn(notes).hold(works(0, StoreUnavailable))
    assert notes.told == ["fail The store does not answer. False"]


async def test_a_failure_that_cannot_be_noted_is_told_all_the_same() -> None:
    notes = Notes(wrong={"fail": StoreUnavailable})
    with pytest.raises(Cancelled):
        await a_turn(notes).hold(works(0, Cancelled))


@pytest.mark.usefixtures("_unhurried")
async def test_who_was_overtaken_writes_nothing() -> None:
    notes = Notes()
    with pytest.raises(FenceRefused):
        await a_turn(notes).hold(works(0, FenceRefused))
    assert notes.told == []


async def test_a_beat_that_is_refused_ends_the_work_as_overtaken() -> None:
    notes = Notes(beats=[FenceRefused])
    with pytest.raises(FenceRefused):
        await a_turn(notes).hold(works(SOON))
    assert notes.told == ["beat"]


async def test_who_is_told_to_stop_stops_and_gives_the_job_back() -> None:
    notes = Notes(beats=[False, True])
    with pytest.raises(Cancelled):
        await a_turn(notes).hold(works(SOON))
    assert notes.told[-1] == "release"


async def test_a_beat_that_fails_is_tried_again() -> None:
    notes = Notes(beats=[StoreUnavailable, StoreUnavailable, False, False])

    async def works_for_four_beats() -> Mapping[str, object]:
        await notes.hears("beat", 4)
        return DONE

    assert await a_turn(notes).hold(works_for_four_beats()) == DONE


@pytest.mark.parametrize("wrong", [None, FenceRefused, StoreUnavailable])
async def test_an_interruption_gives_the_job_back(wrong: type[WeftError] | None) -> None:
    notes = Notes(wrong={"release": wrong} if wrong else {})
    holding = asyncio.create_task(a_turn(notes).hold(works(SOON)))
    await asyncio.sleep(0.02)
    holding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await holding
    assert ("release" in notes.told) == (wrong is None)


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (StoreUnavailable("away"), True),
        (ModelUnavailable("away"), True),
        (StoreCorrupt("away"), False),
        (WeightsMissing("away"), False),
        (BadInput("away"), False),
    ],
)
async def test_what_passes_is_tried_again_where_nobody_waits(error: WeftError, again: bool) -> None:
    async def fails() -> Mapping[str, object]:
        raise error

    for may_retry in (True, False):
        notes = Notes()
        leased = LeasedJob(cast(Any, notes), LEASE)
        with pytest.raises(type(error)):
            await leased.hold(fails(), may_retry=may_retry)
        assert notes.told == [f"fail away {again and may_retry}"]
