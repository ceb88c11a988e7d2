"""The record of tool calls, by which a tool never runs twice for one action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope


class ToolStatus(StrEnum):
    """How a tool call ended."""

    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool about to run for one action of a run; `args` is JSON."""

    run_id: RunId
    action_id: str
    tool: str
    args: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What came of a call: `output` is any JSON value."""

    status: ToolStatus
    output: object
    latency_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """A call and its outcome (None while there is none).

    `begun_before` without an outcome means that a former attempt may or may not have acted: a tool
    that only reads may run again, others must not. With `source_deleted`, arguments and output were
    emptied because a document the run read is gone.
    """

    call: ToolCall
    outcome: ToolOutcome | None
    begun_before: bool
    source_deleted: bool = False


class ToolRuns(Protocol):
    """Keeps tool calls, unique by tenant, run and action, under the same rights as `Runs`."""

    async def begin(self, scope: Scope, call: ToolCall) -> ToolRun:
        """Write that a call begins, or return what there is of it from before.

        Raises `NotFound` for a run that is not the caller's, `InvalidToolCall` when the action's id
        was used for another tool or other arguments.
        """
        ...

    async def finish(
        self, scope: Scope, run_id: RunId, action_id: str, *, outcome: ToolOutcome
    ) -> bool:
        """Write the outcome of a call; False if it had one already, which stays.

        Raises `NotFound` for an action that did not begin.
        """
        ...

    async def of_run(self, scope: Scope, run_id: RunId) -> list[ToolRun]:
        """Return the calls of a run in the order in which they began."""
        ...
