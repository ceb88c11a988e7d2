"""The state of a run of the `router` flow."""

from __future__ import annotations

from dataclasses import dataclass

from weft.flows.asking import Asking
from weft.flows.rag.state import RagState, begin


@dataclass(frozen=True, slots=True, kw_only=True)
class RouterState(RagState):
    """What a run knows: `specialist` is who was chosen of those who were `there`."""

    specialist: str = ""
    there: tuple[str, ...] = ()


def begin_routing(asking: Asking) -> RouterState:
    """Return the state that a run begins with."""
    plain = begin(asking)
    return RouterState(
        question=plain.question,
        talk=plain.talk,
        within=plain.within,
        unsupported=plain.unsupported,
    )
