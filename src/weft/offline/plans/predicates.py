"""A verb that says no more than how a thing is tied to its cell: "which money does Korea use?"."""

from __future__ import annotations

from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.offline.plans.reading import TableReading
from weft.retrieval.tables.links import QuestionWord, is_small
from weft.retrieval.tables.plan import Op, TablePlan

_HELPER = pattern(r"\b(?:do|does|did|is|are|was|were|has|have|can|could|will)\b", 2)
_PAST = pattern(r"[a-z]{2,}(?:ed|en|wn|nt|ght|ld|de|ne)", 2)
_CONTRARY = pattern(
    r"\b(?:dis|un|mis|non)\w+|\b(?:los[et]|lacks?|leav|left|miss|fail|stop|drop|quit|avoid|refus"
    r"|den[iy]|remov|cancel|reject|without)\w*",
    2,
)
_KOREAN_ENDS = ("나요", "까", "까요", "어요", "아요", "는가", "던가요", "죠")


def relates(reading: TableReading, plan: TablePlan) -> bool:
    """Tell whether the one word that stands for nothing is such a verb, and take it.

    It is one only where nothing but cells of rows is asked, a column is named in full, and what
    names the rows is sure: then the verb picks nothing.
    """
    free = reading.free()
    if len(free) != 1 or plan.aggregates or plan.order_by or not plan.filters:
        return False
    [word] = free
    asked = {one.column for one in reading.columns if one.score == 1 and not one.alike}
    filtered = {one.column for one in plan.filters}
    sure = all(one.op in (Op.IS, Op.AMONG) for one in plan.filters) and not reading.loose
    if not sure or not asked - filtered or not set(plan.columns) <= asked | filtered:
        return False
    if not _is_predicate(reading, word):
        return False
    reading.taken.add(word.start)
    reading.loose = True
    return True


def _is_predicate(reading: TableReading, word: QuestionWord) -> bool:
    text = reading.text
    if has_hangul(word.text):
        return word is reading.words[-1] and word.text.endswith(_KOREAN_ENDS)
    if not word.text.islower() or _CONTRARY.match(word.text):
        return False
    helper = _HELPER.search(text[: word.start])
    if helper is None or _modifies(reading, word):
        return False
    is_active = helper.group().casefold() in {"do", "does", "did", "can", "could", "will"}
    return is_active or _PAST.fullmatch(word.text) is not None


def _modifies(reading: TableReading, word: QuestionWord) -> bool:
    """Tell whether a word stands right before one that says something: of what kind that is."""
    behind = next((one for one in reading.words if one.start > word.start), None)
    return behind is not None and not is_small(behind)
