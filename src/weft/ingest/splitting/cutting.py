"""Cutting by size: where a unit is too long for one chunk, at sentences, else at words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.domain.record import BlockKind
from weft.ingest.splitting.blocks import Unit
from weft.ingest.splitting.tokens import TokenOffsets
from weft.language.sentences import sentences, stripped

_WRITTEN_WITHOUT_SPACES = frozenset("。？！、，；：」』）")
_BY_LINES = frozenset({BlockKind.CODE, BlockKind.ROW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Seams:
    """Where a unit comes apart: `starts` and `ends` of its sentences or lines, in order."""

    starts: Sequence[int]
    ends: Sequence[int]
    overlapping: bool


def seams(text: str, unit: Unit) -> Seams:
    """Return the seams of a unit: of code and tables the lines, of all else the sentences."""
    if unit.kind in _BY_LINES:
        return _line_seams(text, unit)
    spans = [
        (unit.start + span.start, unit.start + span.end)
        for span in sentences(text[unit.start : unit.end])
    ]
    return Seams(
        starts=[start for start, _ in spans if _is_free(text, start)],
        ends=[end for _, end in spans if _is_free(text, end)],
        overlapping=True,
    )


def _line_seams(text: str, unit: Unit) -> Seams:
    starts, ends, at = [], [], unit.start
    while at < unit.end:
        newline = text.find("\n", at, unit.end)
        end = unit.end if newline < 0 else newline
        line = stripped(text, Span(start=at, end=end))
        if line.start < line.end:
            starts.append(line.start)
            ends.append(line.end)
        at = end + 1
    return Seams(starts=starts, ends=ends, overlapping=False)


def _is_free(text: str, at: int) -> bool:
    """Tell whether a cut here divides no word."""
    outside = at in (0, len(text)) or text[at].isspace() or text[at - 1].isspace()
    return outside or text[at - 1] in _WRITTEN_WITHOUT_SPACES


class Cutter:
    """Cuts units of one text that are too long for a chunk."""

    def __init__(self, text: str, measure: TokenOffsets, *, overlap: int) -> None:
        """Take the whole text, its measure, and how many tokens two pieces may share."""
        self._text = text
        self._measure = measure
        self._overlap = min(overlap, measure.budget // 2)

    def pieces(self, start: int, unit: Unit) -> Iterator[Span]:
        """Yield spans from `start` to the unit's end, each within the budget.

        The first may begin before the unit, with its heading; a cut then falls inside the unit.
        """
        found = seams(self._text, unit)
        overlap = self._overlap if found.overlapping else 0
        cut = _Cut(text=self._text, measure=self._measure, seams=found, overlap=overlap)
        at, lowest = start, unit.start
        while not self._measure.fits(at, unit.end):
            end = cut.end(at, lowest)
            piece = stripped(self._text, Span(start=at, end=end))
            if piece.start < piece.end:
                yield piece
            rest = Span(start=cut.following(at, end), end=unit.end)
            at, lowest = stripped(self._text, rest).start, end
        piece = stripped(self._text, Span(start=at, end=unit.end))
        if piece.start < piece.end:
            yield piece


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """Chooses where one unit is cut and how far the next piece reaches back."""

    text: str
    measure: TokenOffsets
    seams: Seams
    overlap: int

    def end(self, at: int, lowest: int) -> int:
        """Return where a piece from `at` ends: above `lowest` if a word or more there is whole."""
        limit = self._limit(at)
        lowest = max(at, lowest) if lowest < limit else at
        whole = self._seam(lowest, limit) or self._word_end(lowest, limit)
        return whole or self._word_end(at, limit) or limit

    def following(self, at: int, cut: int) -> int:
        """Return where the next piece begins: at `cut`, or before it where the two overlap."""
        if not self.overlap:
            return cut
        start = self._shared(at, cut)
        # What is shared must leave room for more than it.
        return start if self._word_end(cut, self._limit(start)) else cut

    def _shared(self, at: int, cut: int) -> int:
        starts, ends = self.seams.starts, self.seams.ends
        for start in starts[bisect_right(starts, at) : bisect_left(starts, cut)]:
            if self.measure.tokens(start, cut) <= self.overlap:
                return start if self._goes_on(start, cut) else cut
        clean = bisect_left(ends, cut) < bisect_right(ends, cut)
        return cut if clean else self._word_start(at, cut)

    def _goes_on(self, start: int, cut: int) -> bool:
        """Tell whether a piece from `start` ends at a seam if one from `cut` would."""
        here = self._seam(cut, self._limit(start))
        return bool(here) or not self._seam(cut, self._limit(cut))

    def _limit(self, at: int) -> int:
        return min(self.measure.reach(at), len(self.text))

    def _seam(self, lowest: int, limit: int) -> int:
        """Return the last seam above `lowest` up to `limit`, 0 if there is none."""
        ends = self.seams.ends
        last = bisect_right(ends, limit) - 1
        return ends[last] if last >= 0 and ends[last] > lowest else 0

    def _word_end(self, lowest: int, limit: int) -> int:
        """Return the last end of a word above `lowest` up to `limit`, 0 if there is none."""
        text = self.text
        for at in range(limit, lowest, -1):
            if (at == len(text) or text[at].isspace()) and not text[at - 1].isspace():
                return at
        return 0

    def _word_start(self, at: int, cut: int) -> int:
        """Return the first beginning of a word from which no more is shared than may be."""
        text, best = self.text, cut
        for start in range(cut - 1, at, -1):
            if self.measure.tokens(start, cut) > self.overlap:
                break
            if text[start - 1].isspace() and not text[start].isspace():
                best = start
        return best
