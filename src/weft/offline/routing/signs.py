"""The signs in a question's words that tell who should answer it, as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from weft.domain.outside.shipped import sheet as read_sheet
from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.offline.routing.words import READ

Doubles = npt.NDArray[np.float64]
_SHAPES = ("short", "long", "korean", "none")
_SHORT, _LONG = 4, 14
_NO_ANSWERER = frozenset({"number", "asks", "both"})


class RoutingSign(BaseModel):
    """A pattern, with questions that have it and that do not."""

    model_config = ConfigDict(extra="forbid")

    pattern: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


@cache
def sheet() -> Mapping[str, RoutingSign]:
    """Return the signs by name."""
    rows = read_sheet("weft.offline.routing", "signs")
    return {name: RoutingSign.model_validate(row) for name, row in rows.items()}


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {name: pattern(sign.pattern, re.IGNORECASE) for name, sign in sheet().items()}


@cache
def names() -> tuple[str, ...]:
    """Return the names of the numbers that `signs_of` gives, in their order."""
    return (*sheet(), *_SHAPES)


def signs_of(question: str) -> Doubles:
    """Return float64[names]: 1 for a sign that the question has, and for its shape, else 0."""
    said = " ".join(question[:READ].split())
    found = {name: bool(one.search(said)) for name, one in _patterns().items()}
    words = len(said.split())
    shapes = {
        "short": words <= _SHORT,
        "long": words >= _LONG,
        "korean": has_hangul(said),
        "none": not any(has for name, has in found.items() if name not in _NO_ANSWERER),
    }
    return np.array([*found.values(), *shapes.values()], dtype=np.float64)
