"""What is asked of a flow, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal
from typing import Any

from weft.agents.rewriting import PastTurn
from weft.domain.answer import Answer
from weft.domain.entity import EntityOverride
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.conversations import MessageSource
from weft.ports.records.tape import RunSource
from weft.runtime.amounts import Limits
from weft.verification.citations import Unsupported

# In characters: more than anybody types, and what one search is given at most.
LONGEST_QUESTION = 2000


def checked_question(text: str) -> str:
    """Return a question without the space around it, or raise `BadInput`: it is empty, too long."""
    question = text.strip()
    if not question:
        raise BadInput("The question is empty.")
    if len(question) > LONGEST_QUESTION:
        raise BadInput(
            f"A question has at most {LONGEST_QUESTION:,} characters; this one has "
            f"{len(question):,}.",
            limit=LONGEST_QUESTION,
            length=len(question),
        )
    return question


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The conversation that a question goes on from.

    `turns` are its turns, the oldest first, `documents` those of the last one, checked against the
    scope already, and `read` all documents that the turns have words of.
    """

    turns: tuple[PastTurn, ...] = ()
    documents: tuple[MessageSource, ...] = ()
    read: tuple[RunSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question to a flow; `flow` is the default one and `run_id` made up when not given.

    `within` narrows the documents that it is answered from, inside every search; `unsupported` is
    what becomes of sentences that are borne out in part (None: what the settings say); `overrides`
    are what a person says that names of the question mean. `about` are words for what the question
    goes on from, and `rounds` how often agents of a debate may speak; `mode` is how a
    question is researched (empty: as the question has it). `meaning` is the id of one of the
    meanings that an answer offered, to be told. One that `names_none` was given all that there
    were: of these it is answered from what is left when its run begins. Raises `BadInput` for a
    question that is empty or too long.
    """

    question: str
    knowledge_bases: tuple[str, ...]
    flow: str = ""
    talk: Talk | None = None
    within: DocumentFilter = field(default_factory=DocumentFilter)
    unsupported: Unsupported | None = None
    limits: Limits | None = None
    run_id: RunId | None = None
    overrides: tuple[EntityOverride, ...] = ()
    about: str = ""
    rounds: int = 1
    mode: str = ""
    meaning: str = ""
    names_none: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no question; a run that is gone on with has its own already."""
        if self.question or self.run_id is None:
            checked_question(self.question)

    @property
    def written(self) -> tuple[str, ...]:
        """Return what the person wrote: now, and before in the conversation; no other words."""
        earlier = self.talk.turns if self.talk is not None else ()
        return (self.question, *(turn.question for turn in earlier))


# The dimensions of a budget as callers name them, and as the kernel does.
_DIMENSIONS = {
    "tokens": "tokens",
    "money": "money",
    "time": "wall_s",
    "iterations": "iterations",
    "tool_calls": "tool_calls",
}
# More than anybody has, and fit for any table.
_MOST = Decimal(10**12)


def limits_of(budget: Mapping[str, object]) -> Limits:
    """Return the limits that a caller names: tokens, money, time (s), iterations, tool_calls.

    Raises `BadInput` naming what is none of these or no number.
    """
    found: dict[str, Any] = {}
    for name, value in budget.items():
        if name not in _DIMENSIONS:
            raise BadInput(f"a budget has no '{name}'; it has: {', '.join(_DIMENSIONS)}")
        if value is None:
            continue
        found[_DIMENSIONS[name]] = _amount(name, value)
    return Limits(**found)


def _amount(name: str, value: object) -> Decimal | float | int:
    """Return a part of a budget as the kernel counts it, or raise `BadInput`."""
    try:
        number = Decimal(str(value))
    except ArithmeticError:
        raise BadInput(f"the budget of {name} is no number: {value}") from None
    if not number.is_finite() or not 0 <= number <= _MOST:
        raise BadInput(f"the budget of {name} is no amount: {value}")
    if name == "money":
        return number
    if name == "time":
        return float(number)
    if number != int(number):
        raise BadInput(f"the budget of {name} is no whole number: {value}")
    return int(number)


def limits_data(limits: Limits) -> dict[str, object]:
    """Return limits as callers name them, as JSON."""
    held = {name: getattr(limits, own) for name, own in _DIMENSIONS.items()}
    return {
        name: str(value) if isinstance(value, Decimal) else value
        for name, value in held.items()
        if value is not None
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOutcome:
    """What a run gave: its answer, and what its flow gives besides, as JSON."""

    answer: Answer
    payload: Mapping[str, object] = field(default_factory=dict)
