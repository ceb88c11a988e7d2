"""The rule of the router: what a question's signs and words weigh for each that may answer.

Weights are data (`weights.json`), learned by `bench/learn_routing.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Generic, TypeVar

import numpy as np

from weft.agents.routing import GraphSide, Specialist
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import sheet
from weft.offline.routing.signs import Doubles, names, signs_of
from weft.offline.routing.words import words_of

C = TypeVar("C", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeliest(Generic[C]):
    """What was chosen, and how likely each was."""

    choice: C
    chances: Mapping[C, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadQuestion:
    """A question, and its vector by the embedder that is called `read_by`, where there is one."""

    text: str
    vector: tuple[float, ...] = ()
    read_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weights:
    """What each sign (float64[choices, signs]) and each word (float64[choices]) weighs.

    `meaning` is what a vector of the embedder `read_by` weighs: float64[choices, dimensions].
    """

    choices: tuple[str, ...]
    signs: Doubles
    words: Mapping[str, Doubles]
    meaning: Doubles
    read_by: str
    intercepts: Doubles


def specialist_for(
    question: ReadQuestion, *, among: Collection[Specialist] = tuple(Specialist)
) -> Likeliest[Specialist]:
    """Return who of those at hand should answer a question; raises `BadInput` where nobody is."""
    if not among:
        raise BadInput("Nobody is there to hand the question to.")
    return _route(question, "specialists", [one for one in Specialist if one in among])


def side_for(question: ReadQuestion) -> Likeliest[GraphSide]:
    """Return by which side of the graph a question should be answered."""
    return _route(question, "sides", list(GraphSide))


def _route(question: ReadQuestion, kind: str, among: list[C]) -> Likeliest[C]:
    weights = _weights(kind)
    scores = weights.signs @ signs_of(question.text) + weights.intercepts
    known = [weights.words[word] for word in words_of(question.text) if word in weights.words]
    if known:
        scores = scores + np.sum(known, axis=0) / np.sqrt(len(known))
    if question.read_by == weights.read_by and len(question.vector) == weights.meaning.shape[1]:
        scores = scores + weights.meaning @ np.array(question.vector)
    at = [weights.choices.index(str(one)) for one in among]
    chances = softmax(scores[at])
    best = int(np.argmax(chances))
    told = {one: round(float(chance), 4) for one, chance in zip(among, chances, strict=True)}
    return Likeliest(choice=among[best], chances=told)


def softmax(scores: Doubles) -> Doubles:
    """Return scores as chances, along the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances: Doubles = raised / raised.sum(axis=-1, keepdims=True)
    return chances


@cache
def _weights(kind: str) -> _Weights:
    body: Mapping[str, Any] = sheet("weft.offline.routing", "weights")[kind]
    if tuple(body["signs"]) != names():
        raise BadInput(f"the weights of '{kind}' are for other signs; learn them again")
    return _Weights(
        choices=tuple(body["choices"]),
        signs=np.array([*body["signs"].values()], dtype=np.float64).T,
        words={word: np.array(row, dtype=np.float64) for word, row in body["words"].items()},
        meaning=np.array(body["meaning"], dtype=np.float64),
        read_by=body["read_by"],
        intercepts=np.array(body["intercepts"], dtype=np.float64),
    )
