"""What one document may cost: beyond it, a row of the ledger says so and the rest goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from fault.workshop import HashEmbedder
from patience import SOON
from unit.ingest.memory_store import Bench
from weft.domain.document import Chunk
from weft.domain.facts import LocalFacts, Vectors
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.ledger import FileStatus
from weft.domain.patch import DocumentCaps
from weft.ingest import pipeline
from weft.ports.embedder import PassageText

pytestmark = pytest.mark.anyio
NAMES = "Ada Lovelace met Grace Hopper in London on 3 March 1999. Alan Turing lived in Oslo."


class StuckEmbedder(HashEmbedder):
    """Never ends with a text of `stuck`."""

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        if any("stuck" in each.title for each in texts):
            await asyncio.sleep(3600)
        return await super().passages(texts)


class HeldEmbedder(HashEmbedder):
    """Begins, and goes on when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.began = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        self.began.set()
        await self.may_go_on.wait()
        return await super().passages(texts)


class TimedEmbedder(HashEmbedder):
    """Takes `a_call` seconds of a clock that nothing else moves."""

    def __init__(self, a_call: float) -> None:
        super().__init__()
        self.a_call = a_call
        self.now = 0.0

    async def passages(self, texts: Sequence[PassageText]) -> list[Vectors]:
        self.now += self.a_call
        return await super().passages(texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class CapsInAHurry(DocumentCaps):
    """Gives `seconds` to some texts, told by their length: no other is late on a busy machine."""

    texts: tuple[str, ...]

    def seconds_for(self, characters: int) -> float:
        return self.seconds if characters in map(len, self.texts) else SOON


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path / "docs")
    made.write(a_txt=NAMES, b_txt="Grace lives in Oslo.", c_txt="Li Wei leads a team.")
    return made


@pytest.mark.parametrize("kind", ["mentions", "claims"])
async def test_facts_beyond_the_cap_are_counted_in_the_ledger(bench: Bench, kind: str) -> None:
    lines = [f"Key {n}: Value {n}" for n in range(9)]
    bench.write(t_txt=f"{NAMES}\n\n" + "\n".join(lines))
    await bench.run()
    whole = bench.store.documents[DocumentId("file:docs/t.txt")]
    many = len(getattr(whole, kind))
    assert many > 4
    bench.caps = DocumentCaps(mentions=4) if kind == "mentions" else DocumentCaps(claims=4)
    await bench.run()
    assert len(getattr(bench.store.documents[DocumentId("file:docs/t.txt")], kind)) == 4
    row = bench.store.rows["t.txt"]
    said = f"{many - 4} {kind} beyond the first 4 are left out (WEFT_MAX_{kind.upper()})"
    assert (row.status, said in row.reason) == (FileStatus.READ, True), row.reason


async def test_a_document_that_is_never_embedded_holds_up_nothing(bench: Bench) -> None:
    bench.embedder = StuckEmbedder()
    stuck, row = "Ada lives in Quito.", "Words."
    bench.write(stuck_txt=stuck, t_rows=f"r1||Ada wrote.\nstuck||{row}\nr3||More.")
    bench.caps = CapsInAHurry(seconds=0.3, texts=(stuck, row))
    report = await bench.run()
    assert (report.files_done, report.failed, report.documents) == (5, 1, 5)
    late = bench.store.rows["stuck.txt"]
    reason = "took longer than 0.3 s to make ready (WEFT_DOCUMENT_SECONDS)"
    assert (late.status, late.reason, late.documents) == (FileStatus.HOSTILE, reason, 0)
    part = bench.store.rows["t.rows"]
    assert (part.status, part.documents, part.skipped) == (FileStatus.READ, 2, 1)
    assert part.reason == f"record stuck: {reason}"


async def test_rules_that_never_end_are_ended(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [0]
    usual = pipeline.facts_of

    def endless(title: str, chunks: Sequence[Chunk]) -> list[LocalFacts]:
        while title == "b.txt":
            turns[0] += 1
        return usual(title, chunks)

    monkeypatch.setattr(pipeline, "facts_of", endless)
    endless_text = "Grace lives in Bergen."
    bench.write(b_txt=endless_text)
    bench.caps = CapsInAHurry(seconds=2.0, texts=(endless_text,))
    report = await bench.run()
    assert (report.failed, report.documents) == (1, 2)
    seen = turns[0]
    await asyncio.sleep(0.1)
    assert seen == turns[0] > 0


async def test_a_cancelled_run_leaves_no_rules_at_work(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [0]

    def endless(title: str, chunks: Sequence[Chunk]) -> list[LocalFacts]:
        while True:
            turns[0] += 1

    monkeypatch.setattr(pipeline, "facts_of", endless)
    running = asyncio.create_task(bench.run())
    while not (turns[0] or running.done()):  # noqa: ASYNC110  # the rules are in a thread
        await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    seen = turns[0]
    await asyncio.sleep(0.1)
    assert seen == turns[0] > 0


async def test_a_text_that_breaks_the_rules_is_named(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = pipeline.facts_of

    def broken(title: str, chunks: Sequence[Chunk]) -> list[LocalFacts]:
        if title == "b.txt":
            raise RecursionError
        return usual(title, chunks)

    monkeypatch.setattr(pipeline, "facts_of", broken)
    assert (await bench.run()).documents == 2
    row = bench.store.rows["b.txt"]
    assert (row.status, row.reason) == (FileStatus.HOSTILE, "the rules fail on it (RecursionError)")


async def test_a_text_that_one_document_gave_up_is_embedded_by_the_next(bench: Bench) -> None:
    """Both wait for the same vectors; the one that makes them runs out of time."""
    memory = pipeline.Memory()
    embedder = HeldEmbedder()
    await bench.run()
    record = (await bench.reader.read(bench.root / "a.txt")).records[0]
    document = bench.store.documents[DocumentId("file:docs/a.txt")].document
    chunks = pipeline.split_into(record, document, tools=bench.tools)
    first = asyncio.create_task(memory.embed("t", chunks, embedder=embedder))
    second = asyncio.create_task(memory.embed("t", chunks, embedder=embedder))
    await embedder.began.wait()
    first.cancel()
    embedder.may_go_on.set()
    found = await asyncio.wait_for(second, SOON)
    assert first.cancelled()
    assert all(found)


def timed(bench: Bench, monkeypatch: pytest.MonkeyPatch, *, a_call: float) -> None:
    """Let only embedding take time, whatever the machine does."""
    embedder = bench.embedder = TimedEmbedder(a_call)
    monkeypatch.setattr("weft.ingest.running_progress._now", lambda: embedder.now)


async def test_a_run_reports_its_rate_and_what_is_left(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed(bench, monkeypatch, a_call=0.6)
    bench.write(d_txt="Words.", e_txt="Words too.", f_txt="More.", g_txt="Still more.")
    await bench.run()
    assert bench.seen[-1].seconds_left == 0.0
    assert any((report.seconds_left or 0) > 0 and report.rate > 0 for report in bench.seen)


async def test_a_long_document_is_reported_while_it_is_embedded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed(bench, monkeypatch, a_call=0.4)
    bench.write(long_txt="\n\n".join(f"Paragraph {n} of many. " * 12 for n in range(300)))
    await bench.run()
    during = [r for r in bench.seen if r.chunks < 10 and (r.seconds_left or 0) > 0]
    assert len(during) >= 2
    assert during[-1].rate > 10
    assert during[-1].seconds_left is not None
    assert during[0].seconds_left is not None
    assert during[-1].seconds_left < during[0].seconds_left


async def test_what_was_left_out_of_a_row_stays_named(bench: Bench) -> None:
    """Also when another row of its file has changed since."""
    bench.caps = DocumentCaps(mentions=2)
    bench.write(t_rows=f"r1||{NAMES}\nr2||Grace built a compiler.")
    await bench.run()
    said = bench.store.rows["t.rows"].reason
    assert said.startswith("record r1: ")
    assert said.endswith("mentions beyond the first 2 are left out (WEFT_MAX_MENTIONS)")
    bench.write(t_rows=f"r1||{NAMES}\nr2||Grace built another one.")
    await bench.run()
    assert bench.store.calls == ["publish record:docs/t.rows#r2"]
    assert bench.store.rows["t.rows"].reason == said
