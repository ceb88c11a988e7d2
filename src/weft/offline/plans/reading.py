"""The likeliest plans once more, each told in words and read together with the question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePath

import numpy as np

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.offline.plans.choosing import RankedPlan, log_chances
from weft.offline.units.question import Doubles
from weft.ports.embedder import CrossReader
from weft.retrieval.tables.plan import said

# The signs of a plan's readable line in words.
_WORDS = {
    "≤": "at most",
    "≥": "at least",
    "≠": "is not",
    "∈": "is one of",
    " = ": " is ",
    " < ": " below ",
    " > ": " above ",
}
_FUNCTIONS = {
    "count": "number of rows",
    "sum": "total",
    "avg": "average",
    "median": "median",
    "min": "lowest",
    "max": "highest",
    "share": "share of",
}
_LONGEST_ANSWER = 60
_FUNCTION = pattern(rf"\b({'|'.join(_FUNCTIONS)})\(((?:[^()]|\([^()]*\))*)\)")
# What parts of the line begin with, and what then stands before and behind the rest.
_BEGINNINGS = (
    ("→ ", "show ", ""),
    ("↓ ", "highest ", " first"),
    ("↑ ", "lowest ", " first"),
    ("by ", "for each ", ""),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReading:
    """Which plans are read, and what the reader weighs beside their order.

    That is `most` of them, each at least `least` likely by the order, from 0 to 1. Whether it finds
    a plan meant counts `sure`; that none is meant gets `none`: log-odds both.
    """

    most: int
    least: float
    sure: float
    none: float


@lru_cache(maxsize=1)
def shipped_plan_reading() -> PlanReading:
    """Return what comes with the product."""
    body = sheet("weft.offline.plans", "reading")
    return PlanReading(most=int(body.pop("most")), **body)


def read_plans(
    question: str,
    plans: Sequence[RankedPlan],
    *,
    shorts: Sequence[str],
    scores: Doubles,
    reader: CrossReader | None,
) -> Doubles:
    """Return float64[plans + 1], the log-chances of plans in falling order, and of none.

    `shorts` are the answers of those that are read; `scores` are those of the plans and of none.
    Where there is no reader, or nothing to be read, they stay as they are.
    """
    if reader is None or not shorts:
        return log_chances(scores)
    told = [in_words(one, short) for one, short in zip(plans, shorts, strict=False)]
    found = reader.read_plans(question, told)
    if found is None:
        return log_chances(scores)
    how, meant = shipped_plan_reading(), found[:, 1]
    # A plan that is not read is no better than the worst that is.
    every = np.append(meant, np.full(len(plans) - len(meant), meant.min()))
    return log_chances(scores + np.append(how.sure * every, how.none))


def how_many_read(question: str, scores: Doubles, *, reader: CrossReader | None) -> int:
    """Return how many plans in falling order are read with a question, by their scores.

    `scores` are those of the plans and of none. None is read where nothing could.
    """
    return 0 if reader is None or has_hangul(question) else how_many_likely(scores)


def how_many_likely(scores: Doubles) -> int:
    """Return how many plans in falling order are likely enough to be read: the first always."""
    how = shipped_plan_reading()
    chances = np.exp(log_chances(scores))[: min(how.most, len(scores) - 1)]
    return max(1, int((chances >= how.least).sum()))


def in_words(one: RankedPlan, short: str) -> str:
    """Return a plan and what it answers, nothing where it gives none, as the reader reads them."""
    plan = one.planned.plan
    line = said(plan, [PurePath(name).stem for name in plan.tables]).replace("_", " ")
    line = _FUNCTION.sub(lambda found: f"{_FUNCTIONS[found[1]]} {found[2]}", line)
    told = f"{one.candidate.way}: {'; '.join(map(_part_in_words, line.split(' · ')))}"
    answer = " ".join(short.split())[:_LONGEST_ANSWER]
    return f"{told} = {answer}" if answer else told


def _part_in_words(part: str) -> str:
    told = part
    for beginning, before, behind in _BEGINNINGS:
        if part.startswith(beginning):
            told = f"{before}{part.removeprefix(beginning)}{behind}"
    for sign, words in _WORDS.items():
        told = told.replace(sign, words)
    return told
