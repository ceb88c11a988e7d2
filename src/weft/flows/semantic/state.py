"""The state of a run of the `semantic` flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from weft.domain.entity import EntityOverride, QuestionEntity
from weft.domain.frozen import dataclass
from weft.flows.asking import Asking
from weft.flows.rag.state import RagState, begin


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticState(RagState):
    """What a run knows.

    `matches` are the names of the question with what each may mean, `unresolved` those that mean
    nothing readable; `overrides` are the person's choices, `applied` those that were possible.
    `side` is who answers; `lpg` and `rdf` are what each side was asked and found, as JSON.
    """

    overrides: tuple[EntityOverride, ...] = ()
    matches: tuple[QuestionEntity, ...] = ()
    unresolved: tuple[str, ...] = ()
    applied: tuple[EntityOverride, ...] = ()
    side: str = ""
    lpg: Mapping[str, object] = field(default_factory=dict)
    rdf: Mapping[str, object] = field(default_factory=dict)


def begin_semantic(asking: Asking) -> SemanticState:
    """Return the state that a run begins with."""
    plain = begin(asking)
    return SemanticState(
        question=plain.question,
        talk=plain.talk,
        within=plain.within,
        unsupported=plain.unsupported,
        overrides=asking.overrides,
    )
