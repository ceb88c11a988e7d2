"""The state of a run of the `router` flow."""

from __future__ import annotations

from weft.domain.frozen import dataclass
from weft.flows.asking import Asking
from weft.flows.semantic.state import SemanticState, begin_semantic


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterState(SemanticState):
    """What a run knows: `specialist` is who was chosen of those who were `there`.

    What names mean, and what a person chose, is found out where the graph is asked.
    """

    specialist: str = ""
    there: tuple[str, ...] = ()


def begin_routing(asking: Asking) -> RouterState:
    """Return the state that a run begins with."""
    plain = begin_semantic(asking)
    return RouterState(
        question=plain.question,
        talk=plain.talk,
        within=plain.within,
        unsupported=plain.unsupported,
        overrides=plain.overrides,
        meaning=asking.meaning,
    )
