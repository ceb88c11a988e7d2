"""What may pass is tried again within a run, what cannot is not, and the ledger says what was."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fault.workshop import HashEmbedder, LineReader
from patience import SOON
from unit.ingest.memory_store import Bench
from weft.domain.errors import (
    BadInput,
    BadModelReply,
    FenceRefused,
    InUse,
    ModelUnavailable,
    StoreCorrupt,
    StoreUnavailable,
    StoreUnwritable,
    WeftError,
    WeightsMissing,
)
from weft.domain.facts import Vectors
from weft.domain.ledger import FileStatus
from weft.ingest.persistence import Persistence, RetryRule
from weft.platform.passing import is_passing, is_worth_waiting
from weft.ports.embedder import PassageText
from weft.ports.reader import FileReading

pytestmark = pytest.mark.anyio
OVERLOADED = ModelUnavailable("mini answers with status 429", status=429)


class MoodyEmbedder(HashEmbedder):
    """Fails with the errors it is given, one a call, for texts of `b.txt`."""

    def __init__(self, *errors: WeftError) -> None:
        super().__init__()
        self.errors = list(errors)

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        if self.errors and any(each.title == "b.txt" for each in texts):
            raise self.errors.pop(0)
        return await super().passages(texts)


class HeldFile(LineReader):
    """Something else holds `b.txt` for the first few times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    async def read(
        self,
        path: Path,
        inside: Sequence[str] = (),
        *,
        columns: Mapping[str, str] | None = None,
    ) -> FileReading:
        if path.name == "b.txt" and self.times:
            self.times -= 1
            reason = "cannot be opened: Resource temporarily unavailable"
            return FileReading(status=FileStatus.UNREADABLE, reason=reason, in_use=True)
        return await super().read(path, inside, columns=columns)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "docs")
    made.write(a_txt="Ada lives in London.", b_txt="Grace lives in Oslo.", c_txt="Li Wei leads.")
    return made


@pytest.mark.parametrize(
    "passing", [OVERLOADED, ModelUnavailable("mini answers with status 503", status=503)]
)
async def test_a_model_that_was_busy_is_asked_again(bench: Bench, passing: WeftError) -> None:
    bench.embedder = MoodyEmbedder(passing, passing)
    done = await bench.run()
    assert (done.documents, done.failed, done.retried) == (3, 0, 2)
    assert bench.pauses == [0.5, 1.0]
    row = bench.store.rows["b.txt"]
    assert row.status is FileStatus.READ
    assert row.reason == f"it took 3 tries in 2 s: {passing.message}"
    assert not bench.store.rows["a.txt"].reason


@pytest.mark.parametrize(
    "lasting",
    [
        ModelUnavailable("mini answers with status 401", status=401),
        WeightsMissing(),
        BadModelReply(),
        StoreCorrupt(),
        StoreUnwritable(),
        FenceRefused(),
    ],
)
async def test_what_lasts_is_not_tried_again(bench: Bench, lasting: WeftError) -> None:
    bench.embedder = MoodyEmbedder(lasting)
    with pytest.raises(type(lasting)):
        await bench.run()
    assert bench.pauses == []
    assert "b.txt" not in bench.store.rows


async def test_a_model_that_stays_away_ends_the_run_and_the_ledger_says_why(bench: Bench) -> None:
    bench.embedder = MoodyEmbedder(*[OVERLOADED] * 4)
    with pytest.raises(ModelUnavailable):
        await bench.run()
    row = bench.store.rows["b.txt"]
    assert (row.status, row.documents) == (FileStatus.UNREADABLE, 0)
    assert row.reason == f"given up after 4 tries in 4 s: {OVERLOADED.message}"
    assert (await bench.run()).failed == 0  # it is back: the row is no bar
    assert bench.store.rows["b.txt"].status is FileStatus.READ
    assert not bench.store.rows["b.txt"].reason


async def test_of_a_file_that_was_read_before_what_is_known_stays(bench: Bench) -> None:
    await bench.run()
    before = bench.store.rows["b.txt"]
    bench.write(b_txt="Grace lives in Lima.")
    bench.embedder = MoodyEmbedder(*[OVERLOADED] * 4)
    with pytest.raises(ModelUnavailable):
        await bench.run()
    row = bench.store.rows["b.txt"]
    assert (row.status, row.documents, row.chunks) == (before.status, before.documents, 1)
    assert row.reason.startswith("given up after 4 tries")
    await bench.run()
    assert bench.store.rows["b.txt"].characters == len("Grace lives in Lima.")


async def test_a_store_that_was_busy_is_written_to_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish, left = bench.store.publish, [3]

    async def busy(*given: object, **more: object) -> int:
        if left[0]:
            left[0] -= 1
            raise StoreUnavailable("database is locked")
        return await publish(*given, **more)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(bench.store, "publish", busy)
    assert (await bench.run()).retried == 3
    assert len(bench.store.documents) == 3
    said = [row.reason for row in bench.store.rows.values() if row.reason]
    assert all("database is locked" in each for each in said)
    assert said


async def test_a_file_that_is_held_is_read_when_it_is_free(bench: Bench) -> None:
    bench.parser = HeldFile(2)
    assert (await bench.run()).documents == 3
    row = bench.store.rows["b.txt"]
    assert row.status is FileStatus.READ
    assert row.reason.startswith("it took 3 tries in 2 s: cannot be opened")


async def test_a_file_that_stays_held_is_named_and_the_others_go_on(bench: Bench) -> None:
    bench.parser = HeldFile(4)
    done = await bench.run()
    assert (done.documents, done.failed) == (2, 1)
    row = bench.store.rows["b.txt"]
    assert row.status is FileStatus.UNREADABLE
    assert "given up after 4 tries in 4 s" in row.reason
    assert (await bench.run()).documents == 1  # its bytes are the same, and yet it is tried again


@given(st.integers(400, 599))
def test_a_models_own_faults_pass_and_refusals_do_not(status: int) -> None:
    passes = status >= 500 or status in (408, 409, 425, 429)
    assert is_passing(ModelUnavailable(status=status)) is passes


def test_what_passes_is_told_from_what_lasts() -> None:
    assert all(is_passing(error) for error in (StoreUnavailable(), ModelUnavailable(), InUse()))
    assert not any(is_passing(error) for error in (BadInput(), StoreUnwritable(), OSError()))
    assert is_worth_waiting(StoreUnwritable())  # somebody may make room
    assert not is_worth_waiting(StoreCorrupt())


async def test_a_cancel_ends_the_waiting() -> None:
    """Whoever waits to try again is told at once, not when the time is over."""
    waiting = asyncio.Event()

    async def pause(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async def work() -> None:
        raise OVERLOADED

    trying = Persistence(RetryRule(pause=pause), told=lambda: None)
    running = asyncio.create_task(trying.through(work))
    await asyncio.wait_for(waiting.wait(), SOON)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, SOON)
