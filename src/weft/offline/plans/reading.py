"""A question read against one table: what each of its words stands for there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from weft.language.patterns import pattern
from weft.language.terms import stem
from weft.offline.plans.asking import (
    AskedFor,
    Extreme,
    SizeWords,
    asked_names,
)
from weft.offline.plans.comparing import CellComparison
from weft.offline.plans.sketch import QuestionLink, Sketch, SketchColumn
from weft.retrieval.tables.cells import unit_of
from weft.retrieval.tables.links import QuestionWord, is_small, name_words
from weft.retrieval.tables.plan import Filter, Op
from weft.retrieval.tables.table import ColumnKind

# A part of a column's name, or words alike, must be so sure to stand for it.
NAMED = 0.5
ALIKE = 0.55
NEAR = 0.55
SURELY = 0.65
# Less alike is enough where no other column is nearly so.
_LIKELY, _APART = 0.5, 0.2
_DATED, _DATED_APART = 0.45, 0.1
BESIDE = 3
_SHORTENED = 4
_TWO = 2
_NAME_PART = pattern(r"[^\W_]+")
_LOW = frozenset({"min", "minimum", "low", "lowest", "least"})
_HIGH = frozenset({"max", "maximum", "high", "highest", "most"})


@dataclass(slots=True, kw_only=True)
class TableReading:
    """A question over a table, with the words that are accounted for so far.

    `columns` are the columns that it names where they are not part of a condition, in order of
    their words; `loose` tells that something was taken for what it may not be, `pairs` that
    two things are compared with each other, `mixed` that cells which list several things are kept
    beside such as have one alone. `rises` is which way a figure is said to have gone between two
    days.
    """

    text: str
    words: tuple[QuestionWord, ...]
    sketch: Sketch
    ask: AskedFor
    taken: set[int] = field(default_factory=set)
    filters: list[Filter] = field(default_factory=list)
    columns: list[QuestionLink] = field(default_factory=list)
    extremes: list[Extreme] = field(default_factory=list)
    compared: list[CellComparison] = field(default_factory=list)
    rows_named: dict[str, None] = field(default_factory=dict)
    rises: bool | None = None
    loose: bool = False
    pairs: bool = False
    mixed: bool = False
    fails: bool = False

    @property
    def two(self) -> Filter | None:
        """Return the condition by which just two things are named."""
        found = [
            one
            for one in self.filters
            if one.op is Op.AMONG and isinstance(one.value, list) and len(one.value) == _TWO
        ]
        return found[0] if len(found) == 1 else None

    @property
    def named(self) -> tuple[str, ...]:
        """Return the things that it names, in its order."""
        if self.two is not None and isinstance(self.two.value, list):
            return tuple(map(str, self.two.value))
        return tuple(self.rows_named)

    def take(self, start: int, end: int) -> None:
        """Account for the words between two offsets."""
        self.taken.update(w.start for w in self.words if w.start < end and w.end > start)

    def free(self) -> list[QuestionWord]:
        """Return the words that are not accounted for."""
        return [word for word in self.words if word.start not in self.taken]

    def is_free(self, start: int, end: int) -> bool:
        """Tell whether no word between two offsets is accounted for."""
        return not any(w.start in self.taken for w in self.words if w.start < end and w.end > start)


def measured(
    reading: TableReading,
    measures: Sequence[SizeWords],
    *,
    near: tuple[int, int],
    unit: str | None = None,
    less: bool | None = None,
) -> SketchColumn | None:
    """Return the column that a size is of: named beside it, of its unit, or the only one.

    With a `unit`, empty or not, it is of numbers; `less`: the small end of it is spoken of.
    """
    figures = unit is not None
    ordered = [one for one in reading.sketch.columns.values() if _is_ordered(one, figures=figures)]
    by_name = [one for one in ordered if unit and unit in units_named(one.name)]
    if len(by_name) == 1:
        return by_name[0]
    names = {one.name for one in ordered}
    named = named_beside(reading, near, among=names, alike=not measures or figures)
    if named is not None:
        return reading.sketch.column(named)
    of_unit = [one for one in ordered if unit and one.unit == unit]
    if of_unit:
        return of_unit[0] if len(of_unit) == 1 else None
    less = _points_down(reading, measures) if less is None else less
    for measure in measures:
        fits = _by_end(_of_measure(ordered, measure), less=less)
        fits = _said_in_part(reading, fits)
        if len(fits) == 1:
            return fits[0]
    numbers = [one for one in ordered if not _is_label(one)]
    return numbers[0] if len(numbers) == 1 and not measures else None


def _said_in_part(reading: TableReading, columns: list[SketchColumn]) -> list[SketchColumn]:
    """Return of several columns of a size the one that is spoken of: of lengths a sepal's."""
    names = {one.name for one in columns}
    links = [one for one in reading.sketch.said if one.column in names and not one.values]
    parts = [one for one in links if not one.alike and one.score >= NAMED]
    if len({one.column for one in parts}) != 1:
        return columns
    for one in parts:
        reading.take(one.start, one.end)
    return [reading.sketch.column(parts[0].column)]


def called(reading: TableReading, measures: Sequence[SizeWords]) -> SketchColumn | None:
    """Return the one column of words that is called as a size: a `Length` of "64-bit"."""
    worded = [one for one in reading.sketch.columns.values() if one.is_worded]
    found = [one for measure in measures for one in worded if _is_called(one, measure.names)]
    return found[0] if len({one.name for one in found}) == 1 else None


def units_named(name: str) -> set[str]:
    """Return what may be a unit in a column's name: in brackets or at its end."""
    parts = _NAME_PART.findall(name)
    return {unit for part in parts[1:] if (unit := unit_of(part))}


def _name_parts(name: str) -> set[str]:
    """Return the words of a name with those that might be units: the min of `temp_min`."""
    return {part.casefold() for part in _NAME_PART.findall(name)} | set(name_words(name))


def _points_down(reading: TableReading, measures: Sequence[SizeWords]) -> bool:
    """Tell whether a question speaks of the small end of a size."""
    said = {word.text.casefold() for word in reading.words}
    return any(said & one.less for one in measures)


def _by_end(columns: list[SketchColumn], *, less: bool) -> list[SketchColumn]:
    """Return of several columns of a size that of the end which is spoken of: its min or max."""
    ends = _LOW if less else _HIGH
    return [one for one in columns if ends & _name_parts(one.name)] or columns


def _of_measure(columns: Sequence[SketchColumn], measure: SizeWords) -> list[SketchColumn]:
    """Return the columns that may hold a size: called so, or for a time of days or years."""
    fits = [one for one in columns if _is_called(one, measure.names)]
    if fits or not measure.dated:
        return fits
    days = [one for one in columns if one.kind is ColumnKind.DATE]
    return days or [one for one in columns if one.is_year]


def dated(reading: TableReading, near: tuple[int, int]) -> SketchColumn | None:
    """Return the column of days, or of years, that a day is of."""
    columns = reading.sketch.columns.values()
    days = [one for one in columns if one.kind is ColumnKind.DATE]
    years = [one for one in columns if one.is_year]
    for fits in (days, years):
        named = named_beside(reading, near, among={one.name for one in fits})
        if named is not None:
            return reading.sketch.column(named)
    for fits in (days, years):
        if len(fits) == 1:
            return fits[0]
    names = {one.name for one in days}
    alike = [one for one in reading.sketch.said if one.column in names and is_dated(one)]
    if len({one.column for one in alike}) != 1:
        return None
    reading.loose = True
    reading.take(alike[0].start, alike[0].end)
    return reading.sketch.column(alike[0].column)


def is_dated(said: QuestionLink) -> bool:
    """Tell whether words are so alike to a column of days alone that a day is of it."""
    return said.alike and said.score >= _DATED and said.apart >= _DATED_APART


def is_alike(said: QuestionLink) -> bool:
    """Tell whether likeness alone makes words stand for a column."""
    return said.score >= ALIKE or (said.score >= _LIKELY and said.apart >= _APART)


def _is_ordered(one: SketchColumn, *, figures: bool) -> bool:
    return one.kind is ColumnKind.NUMBER or (one.kind is ColumnKind.DATE and not figures)


def _is_label(one: SketchColumn) -> bool:
    """Tell whether a column's numbers only tell things apart: an id, a number, a code."""
    words = set(name_words(one.name))
    return bool(words & {"id", "no", "nr", "number", "code", "rank", "index", "번호", "순위", "#"})


def _is_called(one: SketchColumn, names: Iterable[str]) -> bool:
    """Tell whether a column has one of some names, or begins one: `temp_max` a temperature."""
    words = name_words(one.name)
    return any(
        name == word or (len(word) >= _SHORTENED and word.isascii() and name.startswith(word))
        for name in names
        for word in words
    )


def named_beside(
    reading: TableReading, near: tuple[int, int], *, among: set[str], alike: bool = True
) -> str | None:
    """Return the column among some that is named nearest to a place, in the same breath."""
    found: dict[str, tuple[int, float]] = {}
    for said in reading.sketch.said:
        if said.values or said.column not in among or said.score < NAMED:
            continue
        if said.alike and not (alike and is_alike(said)):
            continue
        if said.start < near[1] and said.end > near[0]:
            gap = 0
        else:
            between = (said.end, near[0]) if said.end <= near[0] else (near[1], said.start)
            gap = sum(1 for w in reading.words if between[0] <= w.start < between[1])
        if gap <= BESIDE * 2:
            key = (gap, -said.score)
            found[said.column] = min(found.get(said.column, key), key)
    nearest = [name for name, key in found.items() if key == min(found.values())]
    # A word that two columns share names neither.
    return nearest[0] if len(nearest) == 1 else None


def asked_column(reading: TableReading, what: str) -> SketchColumn | None:
    """Return the one column that `where`, `when`, `who` or `cost` asks for."""
    columns = list(reading.sketch.columns.values())
    if what == "when":
        days = [one for one in columns if one.kind is ColumnKind.DATE]
        if len(days) == 1:
            return days[0]
        if not days and len(years := [one for one in columns if one.is_year]) == 1:
            return years[0]
    names = {stem(name) for name in asked_names(what)}
    fits = [one for one in columns if names & {stem(word) for word in name_words(one.name)}]
    if what == "cost":
        fits = [one for one in fits if one.kind is ColumnKind.NUMBER] or fits
    return fits[0] if len(fits) == 1 else None


def are_beside(reading: TableReading, one: tuple[int, int], *, other: tuple[int, int]) -> bool:
    """Tell whether nothing but small words stands between two stretches."""
    first, second = sorted((one, other))
    between = [w for w in reading.words if first[1] <= w.start < second[0]]
    return len(between) <= BESIDE and all(is_small(word) for word in between)
