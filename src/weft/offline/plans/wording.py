"""What a question counts, whether it asks for the greatest figure itself, what it names first."""

from __future__ import annotations

import re

from weft.language.hangul import has_hangul
from weft.language.numerals import UNITS
from weft.language.patterns import pattern
from weft.offline.plans.asking import AskedFor
from weft.offline.plans.signs import QuestionSigns, is_label, is_light
from weft.offline.plans.sketch import SketchColumn
from weft.offline.plans.words import person_words
from weft.retrieval.tables.cells import unit_of
from weft.retrieval.tables.links import QuestionWord
from weft.retrieval.tables.naming import name_words, named_unit
from weft.retrieval.tables.table import ColumnKind

_ASKS_VALUE = pattern(
    r"\bwhat(?:['’]s| is| are| was| were)\b"
    rf"|^\W*(?:the )?(?:(?:top )?(?:\d+|{'|'.join(UNITS[2:13])}) )?$",
    2,
)
_HOW_SIZED = pattern(r"\bhow (?!many\b|often\b)\w+ (?:is|are|was|were|did|does|do|has|have)\b", 2)
_WHOSE = pattern(r"\b(?:who|which|whose|where|what (?!['’]s|is\b|are\b|was\b|were\b)\w+)\b", 2)
_ONE_OF = pattern(r"\s(?:things?|items?|ones?)\b", 2)  # "the dearest thing we sell"
_DAY_OF = pattern(r"\b(?:dates?|days?|years?|months?) of\b", 2)
_WHICH = pattern(r"\W*(?:in |at |on )?(?:which|what)\b", 2)
_AND_WHEN = pattern(r"(?:,|,? and)\s+(?:and\s+)?(?:(?:by|until|since|on|at|from)\s+)?when\b", 2)
_AND_HOW = pattern(r"(?:,|,? and)\s+(?:and\s+)?(?:by\s+)?how\s+\w+|\band what\b", 2)
_ASKED_BEFORE = pattern(r"(?:\bhow many|\bwhich|\bwhat|몇)\s*$", re.IGNORECASE)
# What a column is called that says how many there are of what a row names.
_AMOUNTS = frozenset(
    {"amount", "count", "number", "quantity", "qty", "num", "total", "n", "수", "수량", "인원"}
    | {"개수", "건수", "인원수"}
)
_SEVERAL = pattern(r"[a-z]{3,}(?<![su])s")
_SURELY = 0.9
_FEW_BETWEEN, _WHOLE = 4, 0.9


def counted_word(found: QuestionSigns) -> QuestionWord | None:
    """Return the word behind "how many"."""
    ends = [end for _, end in found.asked.get(AskedFor.COUNT, ())]
    return next((word for word in found.words if ends and word.start >= ends[0]), None)


def _says_of(found: QuestionSigns, word: QuestionWord) -> bool:
    """Tell whether a word only says of what kind the things behind it are: "flour deliveries"."""
    head = next((one for one in found.words if one.start == word.end + 1), None)
    if head is None or is_light(head) or _SEVERAL.fullmatch(word.text):
        return False
    return word.text.islower() and _SEVERAL.fullmatch(head.text) is not None


def means_rows(found: QuestionSigns, word: QuestionWord) -> bool:
    """Tell whether a word stands for whoever the rows are about: "how many people"."""
    said = word.text.casefold()
    return said in person_words() and _ASKED_BEFORE.search(found.text, 0, word.start) is not None


def counts_named(found: QuestionSigns) -> bool:
    """Tell whether "how many" asks for what a column of words names: ports, no ships of them."""
    word = counted_word(found)
    return word is not None and any(
        found.sketch.column(name).is_worded
        and one.name_at is not None
        and one.name_at[0] <= word.start < one.name_at[1]
        for name, one in found.signs.items()
    )


def counted_column(found: QuestionSigns) -> SketchColumn | None:
    """Return the column of what "how many" counts, where no row is one of it; None without one.

    That is one of numbers that is called so or in that unit, or one of words that are there several
    times.
    """
    word = counted_word(found)
    if word is None:
        return None
    unit = unit_of(word.text.casefold())
    for name, one in found.signs.items():
        column = found.sketch.column(name)
        is_label_of_rows = is_label(column) or column.is_identifier
        is_figure = column.kind is ColumnKind.NUMBER and not is_label_of_rows
        if unit and is_figure and unit in {column.unit, unit_of(named_unit(name))}:
            return column
        is_named = one.name_at == (word.start, word.end) and one.name >= _SURELY
        is_repeated = column.is_worded and not (column.is_unique or _says_of(found, word))
        if is_named and len(name_words(name)) == 1 and (is_figure or is_repeated):
            return column
    return None


def asks_amount(found: QuestionSigns) -> bool:
    """Tell whether "how many" asks for what a column of amounts has beside what is named.

    "How many eggs does an omelette need" counts no rows that have eggs.
    """
    columns = found.sketch.columns.values()
    amounts = [one for one in columns if _AMOUNTS & set(name_words(one.name))]
    if not any(one.kind is ColumnKind.NUMBER for one in amounts):
        return False
    values = [one for one in found.sketch.said if one.values and one.score >= _SURELY]
    if has_hangul(found.text):
        return bool(values) and not found.sketch.own and not found.signs[found.sketch.key].name
    word = counted_word(found)
    return word is not None and any(one.start <= word.start < one.end for one in values)


def is_by_row(found: QuestionSigns) -> bool:
    """Tell whether what is asked for is parted by what each row is called: "visitors by pool"."""
    for _, end in found.groups:
        word = next((word for word in found.words if word.start >= end), None)
        for name, one in found.signs.items():
            is_named = word is not None and one.name_at == (word.start, word.end)
            if is_named and one.name >= _SURELY and found.sketch.column(name).is_unique:
                return True
    return False


def named_first(found: QuestionSigns) -> list[str]:
    """Return the columns whose whole name stands right behind "which" or "what"."""
    if not _WHICH.match(found.text):
        return []
    first = next((word for word in found.words if found.says(word)), None)
    wholes = {name: one.name_at for name, one in found.signs.items() if one.name >= _WHOLE}
    ends = {name: at[1] for name, at in wholes.items() if at is not None and _is_in(first, at)}
    return [name for name, end in ends.items() if end == max(ends.values())]


def asks_measure(text: str, *, dated: bool) -> bool:
    """Tell whether it is asked how far the furthest is as well, or when the first of days was."""
    return (_AND_WHEN if dated else _AND_HOW).search(text) is not None


def asks_value(found: QuestionSigns, measure: str, *, first: QuestionWord | None) -> float:
    """Return 1 where the greatest figure itself is asked for, -1 where whose it is, 0 between.

    "How tall is the tallest", "the highest price" ask for it; "who", "which", "where" do not.
    `first` is the first word that says something.
    """
    text, extreme = found.text.casefold(), found.extremes[0]
    if has_hangul(text):
        return 1.0 if "얼마" in text else -1.0
    before, at = text[: extreme.start], found.signs[measure].at
    dated = found.sketch.column(measure).is_dated
    if "when" in found.question_words or (dated and _DAY_OF.search(before)):
        return 1.0 if dated else -1.0
    is_whose = bool(_WHOSE.search(before) or _ONE_OF.match(text, extreme.end))
    if not is_whose and _begins_with(at, first, before=extreme.start):
        return 1.0  # "age in months of the oldest patient"
    if _HOW_SIZED.search(before):
        return 1.0
    return -1.0 if is_whose else _named_value(found, at, before=before)


def _begins_with(place: tuple[int, int] | None, first: QuestionWord | None, *, before: int) -> bool:
    """Tell whether the first word that says something is in a place, and before another."""
    if place is None or first is None:
        return False
    return _is_in(first, place) and first.start < before


def _is_in(word: QuestionWord | None, place: tuple[int, int]) -> bool:
    return word is not None and place[0] <= word.start < place[1]


def _named_value(found: QuestionSigns, at: tuple[int, int] | None, *, before: str) -> float:
    """Return how well a figure is asked for by its name around the word for the most."""
    extreme = found.extremes[0]
    if at is None or not _ASKS_VALUE.search(before):
        return 0.0
    if at[0] < extreme.start:  # "the population of the biggest city"
        return 0.5
    between = [w for w in found.words if extreme.end <= w.start < at[0]]
    return 1.0 if len(between) <= 1 else 0.5 if len(between) <= _FEW_BETWEEN else 0.0
