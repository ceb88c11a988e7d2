"""What happened in a run: the one record that every trace, stream and replay is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from weft.domain.frozen import dataclass
from weft.domain.ids import RunId


class EventType(StrEnum):
    """The kinds of events, in the words of the glossary, each with what it carries."""

    RUN_STARTED = "run_started"
    """A run has begun; `data`: flow, agent."""
    NODE_STARTED = "node_started"
    """A node begins."""
    NODE_FINISHED = "node_finished"
    """A node has ended well."""
    NODE_FAILED = "node_failed"
    """A node has failed; `data`: node (its path), code, message of the error."""
    TOKENS = "tokens"
    """A piece of an answer that is still being written."""
    MODEL_CALLED = "model_called"
    """A model has replied or failed; `data`: model, ms, ok, input_tokens, output_tokens, estimated
    (the tokens are), money, path (who asked), prompt, hashes of its instructions and of all that
    was asked, recalled (paid for before)."""
    TOOL_REQUESTED = "tool_requested"
    """A tool is about to be called; `data`: tool, action_id, args."""
    TOOL_FINISHED = "tool_finished"
    """A tool call has ended; `data`: tool, action_id, status, cached, latency_ms, chunks."""
    ACTION_REQUESTED = "action_requested"
    """The screen is asked to act; `data`: id, tool, arguments."""
    ACTION_FINISHED = "action_finished"
    """The screen has acted."""
    EVIDENCE_FOUND = "evidence_found"
    """Passages were found; `data`: evidence, chunks, documents, knowledge_bases by their ids."""
    STATE_PATCHED = "state_patched"
    """A node has changed the state; `data`: a summary of each changed key."""
    BUDGET_UPDATED = "budget_updated"
    """A node has spent; `data`: what it used itself."""
    BUDGET_EXCEEDED = "budget_exceeded"
    """The budget is used up and the run takes its exit; `data`: which limit."""
    SUSPENDED = "suspended"
    """The run waits for an answer from outside; `data`: key, request (what is asked)."""
    RESUMED = "resumed"
    """The run goes on; `data`: answers (their keys), after (the last event before)."""
    POLICY_VIOLATION = "policy_violation"
    """The policy has stopped or changed a text; `data`: the place and the rule."""
    ANSWER = "answer"
    """The answer stands; `data`: outcome, refused, offline, sentences (count), chunks,
    documents."""
    RUN_FINISHED = "run_finished"
    """The run has ended well; the last event."""
    RUN_FAILED = "run_failed"
    """The run has failed; `data`: the error's code and message; the last event."""
    RUN_CANCELLED = "run_cancelled"
    """The run was cancelled; the last event."""


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
