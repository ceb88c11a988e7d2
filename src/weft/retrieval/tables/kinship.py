"""What words of a question stand for in a table by what they mean: columns, and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from weft.domain.frozen import dataclass
from weft.language.kin import kin_of, same_names
from weft.language.months import SPELLINGS_PATTERN
from weft.language.numerals import ORDINALS, VALUES
from weft.language.patterns import pattern
from weft.language.periods import PeriodKind, period_of
from weft.language.terms import STOP_WORDS, stem
from weft.retrieval.tables.cells import is_empty
from weft.retrieval.tables.links import (
    QuestionWord,
    ValueIndex,
    ValueLink,
    content_words,
    value_words,
)
from weft.retrieval.tables.naming import name_meanings
from weft.retrieval.tables.table import ColumnKind, TypedTable

_MOST_WORDS, _MOST_VALUES = 3, 5
_FEWEST_PERIODS, _MOST_PERIODS = 3, 60
_SPAN_KINDS = (PeriodKind.MONTH, PeriodKind.WEEKDAY, PeriodKind.QUARTER)
_NAMED = (
    rf"(?:{SPELLINGS_PATTERN}|(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:days?)?"
    r"|Q[1-4]|\d{1,2}월|[월화수목금토일]요일|[1-4]분기)"
)
_SPAN = pattern(
    rf"(?:\b(?:[Bb]etween|[Ff]rom)\s+)?(?<!\w)(?P<first>{_NAMED})\.?(?:\s(?:19|20)\d\d)?"
    r"\s?(?:to|till|until|through|thru|and|[-–~]|부터|에서)\s?"
    rf"(?P<last>{_NAMED})(?!\w)\.?(?:까지)?"
)
_ENDS = pattern(
    r"\b(?P<end>first|last)\s+(?P<count>\d{1,2}|two|three|four|five|six)\s+"
    r"(?P<unit>months?|quarters?|days?)\b",
    re.IGNORECASE,
)
_QUARTER = pattern(
    r"\b(?:(?P<word>first|second|third|fourth|last)\s+quarter|Q(?P<figure>[1-4]))\b",
    re.IGNORECASE,
)
_HALF = pattern(r"\b(?P<word>first|second|last)\s+half\b", re.IGNORECASE)
_OF_QUARTER, _OF_HALF = 3, 6
_NUMBERED = {**{word: at for at, word in enumerate(ORDINALS[:4], start=1)}, "last": 4}
_UNITS = {PeriodKind.MONTH: "month", PeriodKind.QUARTER: "quarter", PeriodKind.WEEKDAY: "day"}
_WORDED = (ColumnKind.CATEGORY, ColumnKind.TEXT)
_FEWEST_LETTERS, _MOSTLY = 4, 0.75
# A letter is a code for a thing beside one or two others: `F` beside `M`, not from A to F.
_FEW_CODES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KinLink:
    """Words of a question that mean what a column is called, or what cells of it say.

    `values` are the cells' texts, empty where the column itself is meant; `score` is how much of
    the name is said.
    """

    start: int
    end: int
    column: str
    values: tuple[str, ...] = ()
    score: float


def kin_of_columns(words: Sequence[QuestionWord], table: TypedTable) -> Iterator[KinLink]:
    """Yield the words that mean what columns are called, in other words than those."""
    spoken = [(word, _meant(word)) for word in content_words(words)]
    stems = {stem(key) for word in words for key in word.keys}
    for column in table.columns:
        meanings = [one for one in name_meanings(column.name) if not one & STOP_WORDS]
        parts = [({stem(one) for one in part}, _all_kin(part)) for part in meanings]
        for word, meant in spoken:
            own = {stem(key) for key in word.keys}
            covered = [bool(kin & meant) or bool(forms & stems) for forms, kin in parts]
            is_kin = any(kin & meant and not forms & own for forms, kin in parts)
            if is_kin and not any(forms & own for forms, _ in parts):
                score = sum(covered) / len(parts)
                yield KinLink(start=word.start, end=word.end, column=column.name, score=score)


def kin_of_values(
    words: Sequence[QuestionWord], table: TypedTable, *, index: ValueIndex
) -> Iterator[KinLink]:
    """Yield the words that name what cells of a table name otherwise: Swedish, women, texans."""
    for size in range(min(_MOST_WORDS, len(words)), 0, -1):
        for first in range(len(words) - size + 1):
            run = words[first : first + size]
            found: dict[int, list[str]] = {}
            for at, text in (
                *_called(run, index, table=table),
                *(_begun(run[0], index) if size == 1 else ()),
            ):
                if text not in found.setdefault(at, []):
                    found[at].append(text)
            for at, texts in found.items():
                if 0 < len(texts) <= _MOST_VALUES:
                    yield KinLink(
                        start=run[0].start,
                        end=run[-1].end,
                        column=table.columns[at].name,
                        values=tuple(texts),
                        score=0.9,
                    )


def period_links(text: str, table: TypedTable) -> Iterator[ValueLink]:
    """Yield the stretches of a question that are several months, weekdays or quarters of a column.

    "From July to September" is three of them, "the first quarter" those that it has.
    """
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
        is_own = match["unit"].casefold().startswith(_UNITS[kind])
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


def _called(
    run: Sequence[QuestionWord], index: ValueIndex, *, table: TypedTable
) -> Iterator[tuple[int, str]]:
    lead = " ".join(word.text for word in run[:-1])
    for last in dict.fromkeys((run[-1].text, *run[-1].keys)):
        for name in same_names(f"{lead} {last}".strip()):
            for at, text in index.whole.get(value_words(name), ()):
                if len(name) == 1 and table.columns[at].distinct > _FEW_CODES:
                    continue
                # A code is one in capitals; a cell of several items is not one of them.
                if text.strip().casefold() == name.casefold() and (
                    not name.isupper() or text.isupper()
                ):
                    yield at, text


def _begun(word: QuestionWord, index: ValueIndex) -> Iterator[tuple[int, str]]:
    """Yield the categories that a word goes on from, or that go on from it: `Prof`, `carni`."""
    key = word.keys[0]
    if len(key) < _FEWEST_LETTERS or not key.isascii() or not key.isalpha():
        return
    for at, text in index.short:
        said = text.casefold()
        same = _same_beginning(key, said)
        if same >= _FEWEST_LETTERS and same >= _MOSTLY * len(said) and said != key:
            yield at, text


def _same_beginning(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _meant(word: QuestionWord) -> frozenset[int]:
    return frozenset[int]().union(*(kin_of(key) for key in word.keys))


def _all_kin(part: frozenset[str]) -> frozenset[int]:
    return frozenset[int]().union(*(kin_of(one) for one in part))
