"""The rule of the router: a line over the signs for each that may answer, the best one chosen.

Weights are data (`weights.json`), learned by `bench/learn_routing.py`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Generic, TypeVar

import numpy as np

from weft.domain.errors import BadInput
from weft.domain.route import GraphSide, Specialist
from weft.offline.routing.signs import Doubles, names, signs_of

C = TypeVar("C", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route(Generic[C]):
    """What was chosen, and how likely each was."""

    choice: C
    chances: Mapping[C, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """A line for each choice: float64[choices, signs] and float64[choices]."""

    choices: tuple[str, ...]
    weights: Doubles
    intercepts: Doubles


def specialist_for(
    question: str, *, among: Collection[Specialist] = tuple(Specialist)
) -> Route[Specialist]:
    """Return who of those at hand should answer a question; raises `BadInput` where nobody is."""
    if not among:
        raise BadInput("Nobody is there to hand the question to.")
    return _route(question, "specialists", [one for one in Specialist if one in among])


def side_for(question: str) -> Route[GraphSide]:
    """Return by which side of the graph a question should be answered."""
    return _route(question, "sides", list(GraphSide))


def _route(question: str, kind: str, among: list[C]) -> Route[C]:
    lines = _lines(kind)
    scores = lines.weights @ signs_of(question) + lines.intercepts
    at = [lines.choices.index(str(one)) for one in among]
    chances = softmax(scores[at])
    best = int(np.argmax(chances))
    told = {one: round(float(chance), 4) for one, chance in zip(among, chances, strict=True)}
    return Route(choice=among[best], chances=told)


def softmax(scores: Doubles) -> Doubles:
    """Return scores as chances, along the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances: Doubles = raised / raised.sum(axis=-1, keepdims=True)
    return chances


@cache
def _lines(kind: str) -> _Lines:
    text = files("weft.offline.routing").joinpath("weights.json").read_text(encoding="utf-8")
    body: Mapping[str, Any] = json.loads(text)[kind]
    if tuple(body["signs"]) != names():
        raise BadInput(f"the weights of '{kind}' are for other signs; learn them again")
    return _Lines(
        choices=tuple(body["choices"]),
        weights=np.array(body["weights"], dtype=np.float64),
        intercepts=np.array(body["intercepts"], dtype=np.float64),
    )
