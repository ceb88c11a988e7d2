"""The first units once more, each read together with the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from weft.agents.answering import Caution
from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.domain.record import SECTION_SIGN
from weft.language.blocks.lines import LineKind, label_of
from weft.language.hangul import has_hangul
from weft.language.terms import STOP_WORDS, fold
from weft.offline.question.question import goes_over_several
from weft.offline.units.order import Points, RankedUnits, points_in
from weft.offline.units.unit_features import FoundUnit
from weft.ports.embedder import CrossReader, TextUnder

_SIGNS = "#*|_ "


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondReading:
    """How many units are read, and what the reader's scores weigh beside those of the order.

    `most` units are read, none that lies more than `within` behind the first. `weight` is that of
    the reader's order of units; `sure` that of whether the first one answers, in log-odds, whose
    sum answers from the `points` of each caution on.
    """

    most: int
    within: float
    weight: float
    sure: float
    points: Mapping[Caution, Points]


@lru_cache(maxsize=1)
def shipped_reading() -> SecondReading:
    """Return what comes with the product."""
    body = sheet("weft.offline.units", "reading")
    return SecondReading(
        most=int(body["most"]),
        within=float(body["within"]),
        weight=float(body["weight"]),
        sure=float(body["sure"]),
        points=points_in(body["points"]),
    )


def read_again(text: str, ranked: RankedUnits, *, reader: CrossReader | None) -> RankedUnits:
    """Return units in the order of both scores, those that are not read behind.

    Where there is no reader, or it cannot read the language, all stays as it is. It finds what a
    question means in other words than the documents'. Of one over several things it tells whether
    anything is near, and not what the units are together.
    """
    if reader is None or has_hangul(text) or not ranked.units:
        return ranked.known
    how = shipped_reading()
    near = sum(score >= ranked.scores[0] - how.within for score in ranked.scores[: how.most])
    first = ranked.units[:near]
    found = reader.read(text, [under(one) for one in first])
    if found is None:
        return ranked.known
    scores = np.array(ranked.scores[: len(first)]) + how.weight * found[:, 0]
    order = np.argsort(-scores, kind="stable")
    read = replace(ranked, units=(*(first[n] for n in order), *ranked.units[len(first) :]))
    logit = ranked.logit + how.sure * float(found[order[0], 1])
    if not goes_over_several(text):
        return replace(read, logit=logit, points=how.points, is_foreign=False)
    points = {
        caution: replace(one, nearest=min(one.answered, how.points[caution].nearest))
        for caution, one in ranked.points.items()
    }
    return replace(read, nearness=logit, points=points).known


def under(unit: FoundUnit) -> TextUnder:
    """Return a unit as it is read, with each of what it stands under once."""
    evidence = unit.hit.evidence
    sections = (evidence.section or "").split(SECTION_SIGN)
    heads = _once([evidence.title, *sections, *unit.read.unit.heads])
    return TextUnder(head=heads, text=_told(unit, heads))


def _told(unit: FoundUnit, heads: Sequence[str]) -> str:
    """Return a unit as it is read: what is labelled as a sentence that says it of its thing."""
    label = label_of(unit.text) if unit.read.unit.kind is LineKind.FIELD else ""
    if not label or not heads or fold(label.split()[0]) in STOP_WORDS:
        return unit.text  # a label that begins so is the beginning of a sentence
    value = unit.text.partition(":")[2].strip()
    return f"The {label} of {heads[-1]} is {value}." if value else unit.text


def _once(heads: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (one.strip().strip(_SIGNS) for one in heads))))
