"""Flows as data: nodes, edges, budget and exits, read from YAML or written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from weft.domain.errors import InvalidFlow
from weft.domain.ids import digest
from weft.runtime.amounts import NO_LIMITS, Limits

DEFAULT = "default"

# Paths are made of ids with `/` and `#`, answers are keyed by a path and `?`.
NodeId = Annotated[str, StringConstraints(pattern=r"^[\w.:-]+$")]
_FROZEN = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class NodeKind(StrEnum):
    """What a node does; the simple engine saves its frontier around agents and tools."""

    AGENT = "agent"
    STATE = "state"
    DECISION = "decision"
    PARALLEL = "parallel"
    TOOL = "tool"
    MAP = "map"


class EdgeKind(StrEnum):
    """When an edge is taken."""

    SEQUENTIAL = "sequential"
    CONDITIONAL = "conditional"
    PARALLEL = "parallel"
    LOOP = "loop"


class Retry(BaseModel):
    """How often a node is tried in all, and the first pause between tries, doubled each time."""

    model_config = _FROZEN

    attempts: int = Field(default=1, ge=1)
    backoff_s: float = Field(default=0.1, ge=0)


class NodeSpec(BaseModel):
    """One node: `uses` names the code that runs (none needed for a parallel node).

    `outcomes` are all that a node with conditional edges may return as `goto`. An optional node's
    failure does not fail the run; where it is the first of a parallel branch, the whole branch is
    optional. `join` overrides where the branches of a parallel node meet.

    A map node runs one of the flow's `children`, named by `flow`, once for each child that its code
    asks for, `most` at most; what came of them is put into the state under `into`.
    """

    model_config = _FROZEN

    id: NodeId
    kind: NodeKind = NodeKind.STATE
    uses: str = ""
    params: Mapping[str, object] = Field(default_factory=dict)
    retry: Retry = Retry()
    timeout_s: float | None = Field(default=None, gt=0)
    optional: bool = False
    outcomes: tuple[str, ...] = ()
    join: str = ""
    flow: str = ""
    into: str = ""
    most: int = Field(default=16, ge=1)


class Edge(BaseModel):
    """An edge: `when` is matched against a result's `goto`, `bound` limits a loop's turns."""

    model_config = _FROZEN

    source: str
    target: str
    kind: EdgeKind = EdgeKind.SEQUENTIAL
    when: str | None = None
    bound: int | None = Field(default=None, ge=1)


class FlowSpec(BaseModel):
    """A flow: a run past its budget goes on at `budget_exit`, if there is one.

    `children` are the flows that its map nodes run.
    """

    model_config = _FROZEN

    name: str
    entry: str
    exits: tuple[str, ...]
    nodes: tuple[NodeSpec, ...]
    edges: tuple[Edge, ...] = ()
    budget: Limits = NO_LIMITS
    budget_exit: str = ""
    children: tuple[FlowSpec, ...] = ()
    max_concurrency: int = Field(default=8, ge=1)

    @classmethod
    def from_data(cls, data: object) -> FlowSpec:
        """Return the flow that plain data describes, or raise `InvalidFlow` naming the field."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise InvalidFlow(f"{place or 'the flow'}: {first['msg']}", field=place) from error

    @classmethod
    def from_yaml(cls, text: str) -> FlowSpec:
        """Return the flow that a YAML text describes, or raise `InvalidFlow`."""
        try:
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise InvalidFlow(f"the flow is not YAML: {error}") from error
        return cls.from_data(data)

    def fingerprint(self) -> str:
        """Return a hash of the whole flow: a saved frontier fits only the flow it came from."""
        return digest(self.model_dump_json())
