"""What happened in a run: the one record that every trace, stream and replay is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from weft.domain.ids import RunId


class EventType(StrEnum):
    """The kinds of events, in the words of the glossary."""

    RUN_STARTED = "run_started"
    NODE_STARTED = "node_started"
    NODE_FINISHED = "node_finished"
    NODE_FAILED = "node_failed"
    TOKENS = "tokens"
    TOOL_REQUESTED = "tool_requested"
    TOOL_FINISHED = "tool_finished"
    ACTION_REQUESTED = "action_requested"
    ACTION_FINISHED = "action_finished"
    EVIDENCE_FOUND = "evidence_found"
    STATE_PATCHED = "state_patched"
    BUDGET_UPDATED = "budget_updated"
    BUDGET_EXCEEDED = "budget_exceeded"
    SUSPENDED = "suspended"
    RESUMED = "resumed"
    POLICY_VIOLATION = "policy_violation"
    ANSWER = "answer"
    RUN_FINISHED = "run_finished"
    RUN_FAILED = "run_failed"
    RUN_CANCELLED = "run_cancelled"


TERMINAL = frozenset({EventType.RUN_FINISHED, EventType.RUN_FAILED, EventType.RUN_CANCELLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """One event of a run; `seq` counts from 1, `parent` and `sources` name nodes of the same run.

    `data` is JSON; text from documents is in it by reference (chunk ids), never as such.
    """

    seq: int
    run_id: RunId
    ts: datetime
    type: EventType
    node: str = ""
    parent: str = ""
    sources: tuple[str, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)
