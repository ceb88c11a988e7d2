"""Cutting by size: where a unit is too long for one chunk, at sentences, else at words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.domain.record import BlockKind
from weft.ingest.sentences import sentences
from weft.ingest.tokens import Measure
from weft.ingest.units import Unit, stripped

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
        line = stripped(text, at, end)
        if line[0] < line[1]:
            starts.append(line[0])
            ends.append(line[1])
        at = end + 1
    return Seams(starts=starts, ends=ends, overlapping=False)


def _is_free(text: str, at: int) -> bool:
    """Tell whether a cut here divides no word."""
    outside = at in (0, len(text)) or text[at].isspace() or text[at - 1].isspace()
    return outside or text[at - 1] in _WRITTEN_WITHOUT_SPACES


class Cutter:
    """Cuts the text between two offsets of one unit and what leads up to it."""

    def __init__(self, text: str, measure: Measure, *, overlap: int) -> None:
        """Take the whole text, its measure, and how many tokens two pieces may share."""
        self._text = text
        self._measure = measure
        self._overlap = min(overlap, measure.budget // 2)

    def pieces(self, start: int, unit: Unit) -> Iterator[tuple[int, int]]:
        """Yield spans from `start` to the unit's end, each within the budget.

        The first may begin before the unit, with its heading; a cut then falls inside the unit.
        """
        found = seams(self._text, unit)
        at, lowest = start, unit.start
        while not self._measure.fits(at, unit.end):
            cut = self._cut(at, lowest, found)
            piece = stripped(self._text, at, cut)
            if piece[0] < piece[1]:
                yield piece
            following = self._next(at, cut, found)
            # What is shared must leave room for more than it.
            shares = self._word_end(cut, self._measure.reach(following))
            at = stripped(self._text, following if shares else cut, unit.end)[0]
            lowest = cut
        piece = stripped(self._text, at, unit.end)
        if piece[0] < piece[1]:
            yield piece

    def _cut(self, at: int, lowest: int, found: Seams) -> int:
        limit = self._measure.reach(at)
        lowest = max(at, lowest) if lowest < limit else at
        seam = self._seam(lowest, limit, found)
        return seam or self._word_end(lowest, limit) or self._word_end(at, limit) or limit

    def _seam(self, lowest: int, limit: int, found: Seams) -> int:
        """Return the last seam above `lowest` up to `limit`, 0 if there is none."""
        last = bisect_right(found.ends, limit) - 1
        return found.ends[last] if last >= 0 and found.ends[last] > lowest else 0

    def _word_end(self, lowest: int, limit: int) -> int:
        """Return the last end of a word above `lowest` up to `limit`, 0 if there is none."""
        text = self._text
        for at in range(limit, lowest, -1):
            if (at == len(text) or text[at].isspace()) and not text[at - 1].isspace():
                return at
        return 0

    def _next(self, at: int, cut: int, found: Seams) -> int:
        """Return where the next piece begins: at `cut`, or before it where the two overlap."""
        if not (found.overlapping and self._overlap):
            return cut
        for start in found.starts[bisect_right(found.starts, at) : bisect_left(found.starts, cut)]:
            if self._measure.tokens(start, cut) <= self._overlap:
                return start if self._goes_on(start, cut, found) else cut
        clean = cut in found.ends[bisect_left(found.ends, cut) : bisect_right(found.ends, cut)]
        return cut if clean else self._word_start(at, cut)

    def _goes_on(self, start: int, cut: int, found: Seams) -> bool:
        """Tell whether a piece from `start` ends at a seam if one from `cut` would."""
        here = self._seam(cut, self._measure.reach(start), found)
        return bool(here) or not self._seam(cut, self._measure.reach(cut), found)

    def _word_start(self, at: int, cut: int) -> int:
        """Return the first beginning of a word from which no more is shared than may be."""
        text, best = self._text, cut
        for start in range(cut - 1, at, -1):
            if self._measure.tokens(start, cut) > self._overlap:
                break
            if text[start - 1].isspace() and not text[start].isspace():
                best = start
        return best
