"""Several months, weekdays or quarters of a column that a question says at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from weft.language.numerals import ORDINALS, UNITS, VALUES
from weft.language.patterns import pattern
from weft.language.periods import NAMES_PATTERN, PeriodKind, period_of
from weft.retrieval.tables.cells import is_empty
from weft.retrieval.tables.links import ValueLink
from weft.retrieval.tables.table import ColumnKind, TypedTable

_FEWEST_PERIODS, _MOST_PERIODS = 3, 60
_SPAN_KINDS = (PeriodKind.MONTH, PeriodKind.WEEKDAY, PeriodKind.QUARTER)
_SPAN = pattern(
    rf"(?:\b(?:[Bb]etween|[Ff]rom)\s+)?(?<!\w)(?P<first>{NAMES_PATTERN})\.?(?:\s(?:19|20)\d\d)?"
    r"\s?(?:(?:up )?to|till|until|through|thru|and|[-–~]|부터|에서)\s?"
    r"(?:(?:and including|the end of|end of)\s)?"
    rf"(?P<last>{NAMES_PATTERN})(?!\w)\.?(?:까지)?"
)
_ENDS = pattern(
    rf"\b(?P<end>first|last)\s+(?P<count>\d{{1,2}}|{'|'.join(UNITS[2:7])})\s+"
    r"(?P<unit>months?|quarters?|days?)\b",
    re.IGNORECASE,
)
_QUARTER = pattern(
    rf"\b(?:(?P<word>{'|'.join(ORDINALS[:4])}|last)\s+quarter|Q(?P<figure>[1-4]))\b",
    re.IGNORECASE,
)
_HALF = pattern(r"\b(?P<word>first|second|last)\s+half\b", re.IGNORECASE)
_OF_QUARTER, _OF_HALF = 3, 6
_NUMBERED = {**{word: at for at, word in enumerate(ORDINALS[:4], start=1)}, "last": 4}
_CALLED = {PeriodKind.MONTH: "month", PeriodKind.QUARTER: "quarter", PeriodKind.WEEKDAY: "day"}
_WORDED = (ColumnKind.CATEGORY, ColumnKind.TEXT)


def period_links(text: str, table: TypedTable) -> Iterator[ValueLink]:
    """Yield the stretches of a question that are several months, weekdays or quarters of a column.

    "From July to September" is three of them, "the first quarter" those that it has.
    """
    if not any(said.search(text) for said in (_SPAN, _ENDS, _QUARTER, _HALF)):
        return  # most questions say none: the cells are not looked at
    for at, column in enumerate(table.columns):
        periods = _periods(table, at) if column.kind in _WORDED else {}
        for start, end, numbers in _spans(text, list(periods), kind=_kind_of(periods)):
            yield ValueLink(
                start=start,
                end=end,
                column=column.name,
                values=tuple(one for number in numbers for one in periods[number]),
                exact=True,
            )


def _periods(table: TypedTable, at: int) -> dict[int, list[str]]:
    """Return the stretches of time that a column's cells name, in order, with how they do."""
    texts = dict.fromkeys(row.cells[at] for row in table.rows)
    if not _FEWEST_PERIODS <= len(texts) <= _MOST_PERIODS:
        return {}
    read = {text: period_of(text) for text in texts if not is_empty(text)}
    kinds = {one.kind for one in read.values() if one is not None}
    if None in read.values() or len(kinds) != 1 or not kinds <= set(_SPAN_KINDS):
        return {}
    found: dict[int, list[str]] = {}
    for text, one in read.items():
        if one is not None:
            found.setdefault(one.number, []).append(text)
    return found


def _kind_of(periods: Mapping[int, Sequence[str]]) -> PeriodKind | None:
    first = next((period_of(texts[0]) for texts in periods.values()), None)
    return first.kind if first else None


def _spans(
    text: str, order: Sequence[int], *, kind: PeriodKind | None
) -> Iterator[tuple[int, int, Sequence[int]]]:
    """Yield where several of some stretches of time are meant, and which: numbers of theirs."""
    if kind is None:
        return
    yield from _between(text, order, kind=kind)
    for match in _ENDS.finditer(text):
        count = int(VALUES.get(match["count"].casefold(), match["count"]))
        is_own = match["unit"].casefold().startswith(_CALLED[kind])
        if is_own and count < len(order):
            own = order[:count] if match["end"].casefold() == "first" else order[-count:]
            yield match.start(), match.end(), own
    if kind is PeriodKind.MONTH:
        yield from _parts_of_year(text, order)


def _between(
    text: str, order: Sequence[int], *, kind: PeriodKind
) -> Iterator[tuple[int, int, Sequence[int]]]:
    """Yield those from one to another: "from July to September"."""
    for match in _SPAN.finditer(text):
        ends = [period_of(match[name]) for name in ("first", "last")]
        numbers = [one.number for one in ends if one is not None and one.kind is kind]
        if len(numbers) < len(ends) or not set(numbers) <= set(order):
            continue
        first, last = (order.index(one) for one in numbers)
        said = match.group().casefold()
        if first < last and (" and " not in said or "between" in said):
            yield match.start(), match.end(), order[first : last + 1]


def _parts_of_year(text: str, order: Sequence[int]) -> Iterator[tuple[int, int, Sequence[int]]]:
    """Yield the months of quarters and halves, where all of them are there."""
    for match in _QUARTER.finditer(text):
        number = int(match["figure"] or _NUMBERED[(match["word"] or "").casefold()])
        months = range(_OF_QUARTER * (number - 1) + 1, _OF_QUARTER * number + 1)
        if set(months) <= set(order):
            yield match.start(), match.end(), months
    for match in _HALF.finditer(text):
        is_first = match["word"].casefold() == "first"
        if len(order) == 2 * _OF_HALF:
            yield match.start(), match.end(), order[:_OF_HALF] if is_first else order[_OF_HALF:]
