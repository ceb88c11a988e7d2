"""The routing roles: whom a question is handed to, and which side of the graph answers it."""

from __future__ import annotations

import json
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from weft.agents.roles import Role, RoleSettings
from weft.domain.frozen import dataclass
from weft.ports.embedder import Embedder

_SETTINGS = RoleSettings(max_turns=2, max_tokens=4_000, timeout_s=15.0, retries=1)


class Specialist(StrEnum):
    """One of the four of whom the router chooses exactly one."""

    GRAPH = "graph"
    VECTOR = "vector"
    WEB = "web"
    TABLE = "table"


class GraphSide(StrEnum):
    """The property graph, the RDF side with its ontology, or both."""

    LPG = "lpg"
    RDF = "rdf"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToRoute:
    """A question, and the specialists at hand.

    `vector` is the question read by the embedder `read_by`, where there is one: only rules use it.
    """

    question: str
    among: tuple[Specialist, ...] = tuple(Specialist)
    vector: tuple[float, ...] = ()
    read_by: str = ""

    def told(self) -> str:
        """Return the question and who is there, as JSON."""
        return json.dumps({"question": self.question, "among": self.among}, ensure_ascii=False)


async def to_route(question: str, embedder: Embedder | None) -> ToRoute:
    """Return a question as whoever routes it is given it, read by an embedder if there is one."""
    if embedder is None or not embedder.fingerprint:
        return ToRoute(question=question)
    (vector,) = await embedder.queries([question])
    return ToRoute(
        question=question, vector=tuple(map(float, vector)), read_by=embedder.fingerprint
    )


class Routed(BaseModel):
    """The one specialist that a question is handed to."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    specialist: Specialist


class Sided(BaseModel):
    """The side of the graph by which a question is answered."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    side: GraphSide


ROUTER: Role[ToRoute, Routed] = Role(
    name="router", prompt="route", output=Routed, tell=ToRoute.told, settings=_SETTINGS
)
SIDE_ROUTER: Role[ToRoute, Sided] = Role(
    name="side_router", prompt="side", output=Sided, tell=ToRoute.told, settings=_SETTINGS
)
