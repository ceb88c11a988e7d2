"""Whether a question asks for the greatest figure itself, and the column that it names first."""

from __future__ import annotations

from weft.language.hangul import has_hangul
from weft.language.numerals import UNITS
from weft.language.patterns import pattern
from weft.offline.plans.signs import QuestionSigns
from weft.retrieval.tables.links import QuestionWord

_ASKS_VALUE = pattern(
    r"\bwhat(?:['’]s| is| are| was| were)\b"
    rf"|^\W*(?:the )?(?:(?:top )?(?:\d+|{'|'.join(UNITS[2:13])}) )?$",
    2,
)
_HOW_SIZED = pattern(r"\bhow (?!many\b|often\b)\w+ (?:is|are|was|were|did|does|do|has|have)\b", 2)
_WHOSE = pattern(r"\b(?:who|which|whose|where|what (?!['’]s|is\b|are\b|was\b|were\b)\w+)\b", 2)
_DAY_OF = pattern(r"\b(?:dates?|days?|years?|months?) of\b", 2)
_WHICH = pattern(r"\W*(?:in |at |on )?(?:which|what)\b", 2)
_FEW_BETWEEN, _WHOLE = 4, 0.9


def named_first(found: QuestionSigns) -> list[str]:
    """Return the columns whose whole name stands right behind "which" or "what"."""
    if not _WHICH.match(found.text):
        return []
    first = next((word for word in found.words if found.says(word)), None)
    wholes = {name: one.name_at for name, one in found.signs.items() if one.name >= _WHOLE}
    ends = {name: at[1] for name, at in wholes.items() if at is not None and _is_in(first, at)}
    return [name for name, end in ends.items() if end == max(ends.values())]


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
    is_whose = _WHOSE.search(before) is not None
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
