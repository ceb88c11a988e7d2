"""Splitting a record into chunks: structure first, then size."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import takewhile

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.domain.record import SECTION_SIGN, Record
from weft.ingest.splitting.blocks import Section, Unit, sections, units
from weft.ingest.splitting.cutting import Cutter
from weft.ingest.splitting.settings import SplitSettings
from weft.ingest.splitting.tokens import TokenEnds, TokenOffsets, word_ends
from weft.language.sentences import sentences

__all__ = ["ChunkDraft", "split", "word_ends"]

SPECIAL_TOKENS = 3
_LEAST_BUDGET = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkDraft:
    """A chunk before it has an id: `content[start:end] == text`; sentences are spans of `text`."""

    text: str
    start: int
    end: int
    page: int | None
    section: str | None
    tokens: int
    sentences: tuple[Span, ...]


def split(
    record: Record, title: str, *, token_ends: TokenEnds, settings: SplitSettings | None = None
) -> list[ChunkDraft]:
    """Return the chunks of a record in order: together they hold all its text but white space.

    Small neighbours share a chunk and whole small sections do too; a heading stays with what
    follows; a page ends a chunk. Only a unit too long for one chunk is cut, at sentences if it has
    any, and its pieces overlap. `token_ends` is asked once for the title and once for the content.
    """
    settings = settings or SplitSettings()
    above = len(token_ends(title)) + SPECIAL_TOKENS
    least = max(settings.chunk_tokens // 2, _LEAST_BUDGET)
    measure = TokenOffsets(token_ends(record.content), max(settings.chunk_tokens - above, least))
    found = units(record)
    packer = _Packer(measure, Cutter(record.content, measure, overlap=settings.overlap))
    for section in sections(found):
        packer.add(section)
    packer.flush()
    finish = _Finish(record=record, units=found, starts=[unit.start for unit in found])
    return [
        finish.draft(span, above + measure.tokens(span.start, span.end)) for span in packer.spans
    ]


class _Packer:
    """Gathers units into the spans of chunks; the last span is open until it is flushed."""

    def __init__(self, measure: TokenOffsets, cutter: Cutter) -> None:
        self._measure = measure
        self._cutter = cutter
        self._open: Span | None = None
        self._page: int | None = None
        self.spans: list[Span] = []

    def add(self, section: Section) -> None:
        """Add a section: whole if it fits below what is open, else unit by unit."""
        if self._open and section.page != self._page:
            self.flush()
        self._page = section.page
        if self._extended(section.start, section.end):
            return
        if self._open and self._share(self._open) >= 1 / 4:
            self.flush()
        for start, unit in _led(section.units):
            self._add_unit(start, unit)

    def flush(self) -> None:
        """Close the open span."""
        if self._open:
            self.spans.append(self._open)
        self._open = None

    def _extended(self, start: int, end: int) -> bool:
        begin = self._open.start if self._open else start
        if not self._measure.fits(begin, end):
            return False
        self._open = Span(start=begin, end=end)
        return True

    def _add_unit(self, start: int, unit: Unit) -> None:
        """Add a unit with the headings that lead it in, from `start` on."""
        if self._extended(start, unit.end):
            return
        if self._open and not self._continues(start, unit):
            self.flush()
            if self._extended(start, unit.end):
                return
        begin = self._open.start if self._open else start
        *closed, self._open = self._cutter.pieces(begin, unit)
        self.spans += closed

    def _continues(self, start: int, unit: Unit) -> bool:
        """Tell whether a unit that must be cut anyway may begin in the open chunk."""
        if self._open is None or self._measure.fits(start, unit.end):
            return False
        half_empty = self._share(self._open) < 1 / 2
        return half_empty and self._measure.reach(self._open.start) > unit.start

    def _share(self, span: Span) -> float:
        return self._measure.tokens(span.start, span.end) / self._measure.budget


def _led(found: Sequence[Unit]) -> Iterator[tuple[int, Unit]]:
    """Yield each unit that is no heading with the start of the headings right above it."""
    start: int | None = None
    for number, unit in enumerate(found):
        start = unit.start if start is None else start
        if not unit.is_heading or number == len(found) - 1:
            yield start, unit
            start = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finish:
    """Turns spans into drafts by the units they hold."""

    record: Record
    units: Sequence[Unit]
    starts: Sequence[int]

    def draft(self, span: Span, tokens: int) -> ChunkDraft:
        """Return the chunk of a span."""
        held = self._held(span)
        return ChunkDraft(
            text=self.record.content[span.start : span.end],
            start=span.start,
            end=span.end,
            page=held[0].page,
            section=_place(held),
            tokens=tokens,
            sentences=tuple(self._sentences(held, span)),
        )

    def _held(self, span: Span) -> Sequence[Unit]:
        first = max(bisect_right(self.starts, span.start) - 1, 0)
        return self.units[first : bisect_right(self.starts, span.end - 1)]

    def _sentences(self, held: Sequence[Unit], chunk: Span) -> Iterator[Span]:
        for unit in held:
            left, right = max(unit.start, chunk.start), min(unit.end, chunk.end)
            shift = left - chunk.start
            for span in sentences(self.record.content[left:right]):
                yield Span(start=span.start + shift, end=span.end + shift)


def _place(held: Sequence[Unit]) -> str | None:
    """Return the headings that all of a chunk stands under."""
    bodies = [unit for unit in held if not unit.is_heading] or list(held[-1:])
    shared = bodies[0].path
    for unit in bodies[1:]:
        same = takewhile(lambda pair: pair[0] == pair[1], zip(shared, unit.path, strict=False))
        shared = tuple(name for name, _ in same)
    return SECTION_SIGN.join(shared) or None
