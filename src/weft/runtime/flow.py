"""Flows as data: nodes, edges, budget and exits, read from YAML or written in Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Annotated, ClassVar

from weft.domain.errors import InvalidFlow
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.domain.outside.limits import FORBID, Limit, checked
from weft.domain.outside.written import written
from weft.runtime.amounts import NO_LIMITS, Limits

DEFAULT = "default"

# Paths are made of ids with `/` and `#`, answers are keyed by a path and `?`.
NodeId = Annotated[str, Limit(pattern=r"^[\w.:-]+$")]
_Count = Annotated[int, Limit(ge=1)]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """How often a node is tried in all, and the first pause between tries, doubled each time."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    attempts: _Count = 1
    backoff_s: Annotated[float, Limit(ge=0)] = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """One node: `uses` names the code that runs (none needed for a parallel node).

    `outcomes` are all that a node with conditional edges may return as `goto`. An optional node's
    failure does not fail the run; where it is the first of a parallel branch, the whole branch is
    optional. `join` overrides where the branches of a parallel node meet.

    A map node runs one of the flow's `children`, named by `flow`, once for each child that its code
    asks for, `most` at most; what came of them is put into the state under `into`.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    id: NodeId
    kind: NodeKind = NodeKind.STATE
    uses: str = ""
    params: Mapping[str, object] = field(default_factory=dict)
    retry: Retry = Retry()
    timeout_s: Annotated[float, Limit(gt=0)] | None = None
    optional: bool = False
    outcomes: tuple[str, ...] = ()
    join: str = ""
    flow: str = ""
    into: str = ""
    most: _Count = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An edge: `when` is matched against a result's `goto`, `bound` limits a loop's turns."""

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    source: str
    target: str
    kind: EdgeKind = EdgeKind.SEQUENTIAL
    when: str | None = None
    bound: _Count | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSpec:
    """A flow: a run past its budget goes on at `budget_exit`, if there is one.

    `children` are the flows that its map nodes run.
    """

    __pydantic_config__: ClassVar[Mapping[str, str]] = FORBID

    name: str
    entry: str
    exits: tuple[str, ...]
    nodes: tuple[NodeSpec, ...]
    edges: tuple[Edge, ...] = ()
    budget: Limits = NO_LIMITS
    budget_exit: str = ""
    children: tuple[FlowSpec, ...] = ()
    max_concurrency: _Count = 8

    @classmethod
    def from_data(cls, data: object) -> FlowSpec:
        """Return the flow that plain data describes, or raise `InvalidFlow` naming the field."""
        return checked(cls, data, wrong=_wrong)

    @classmethod
    def from_yaml(cls, text: str) -> FlowSpec:
        """Return the flow that a YAML text describes, or raise `InvalidFlow`."""
        import yaml  # here, because shipped flows are written in Python

        try:
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise InvalidFlow(f"the flow is not YAML: {error}") from error
        return cls.from_data(data)

    def fingerprint(self) -> str:
        """Return a hash of the whole flow: a saved frontier fits only the flow it came from."""
        return digest(json.dumps(written(self), separators=(",", ":"), ensure_ascii=False))


def _wrong(place: str, said: str) -> InvalidFlow:
    return InvalidFlow(f"{place or 'the flow'}: {said}", field=place)
