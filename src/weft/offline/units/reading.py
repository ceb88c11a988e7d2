"""The first units once more, each read together with the question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

import numpy as np

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.offline.units.order import RankedUnits
from weft.offline.units.unit_features import FoundUnit
from weft.ports.embedder import CrossReader, TextUnder

_SECTIONS = " > "
_SIGNS = "#*|_ "


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondReading:
    """How many units are read, and what the reader's score weighs beside that of the order."""

    most: int
    weight: float


@lru_cache(maxsize=1)
def shipped_reading() -> SecondReading:
    """Return what comes with the product."""
    held = files("weft.offline.units").joinpath("reading.json").read_text(encoding="utf-8")
    body = json.loads(held)
    return SecondReading(most=int(body["most"]), weight=float(body["weight"]))


def read_again(text: str, ranked: RankedUnits, *, reader: CrossReader | None) -> RankedUnits:
    """Return units in the order of both scores, those that are not read behind.

    Where there is no reader, or it cannot read the language, all stays as it is.
    """
    if reader is None or has_hangul(text):
        return ranked
    how = shipped_reading()
    first = ranked.units[: how.most]
    if len(first) <= 1:
        return ranked
    found = reader.read(text, [under(one) for one in first])
    if found is None:
        return ranked
    scores = np.array(ranked.scores[: len(first)]) + how.weight * found[:, 0]
    order = np.argsort(-scores, kind="stable")
    units = (*(first[n] for n in order), *ranked.units[len(first) :])
    return replace(ranked, units=units)


def under(unit: FoundUnit) -> TextUnder:
    """Return a unit as it is read, with each of what it stands under once."""
    evidence = unit.hit.evidence
    sections = (evidence.section or "").split(_SECTIONS)
    return TextUnder(head=_once([evidence.title, *sections, *unit.read.unit.heads]), text=unit.text)


def _once(heads: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (one.strip().strip(_SIGNS) for one in heads))))
