"""What a debate looks like over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from weft.api.shapes.answers import AnswerShape, CitationShape, NoteShape, SentenceShape
from weft.domain.answer import Outcome

Standing = Literal["ready", "degraded", "blocked"]


class StepMetadata(BaseModel):
    """What a step is about; edges are drawn from `parent` and `sources` and from nothing else."""

    model_config = ConfigDict(extra="allow")

    parent: str
    sources: list[str]
    phase: str


class TraceStepShape(BaseModel):
    """A step of a run as people see it: FANOUT, DEBATE (one an agent), COLLECT, SYNTHESIS."""

    id: str
    type: str
    agent: str
    status: str
    ms: float
    metadata: StepMetadata


class DebateResultShape(BaseModel):
    """What one agent answered; `citations` have the numbers of its own response."""

    agent: str
    kb: str
    status: Literal["answered", "failed", "waiting"]
    response: str
    citations: list[CitationShape]


class AgentStatusShape(BaseModel):
    """How the agent of a knowledge base stands, and why if not well."""

    kb: str
    agent: str
    status: Standing
    reason: str


class PositionShape(BaseModel):
    """One side of a contradiction: a sentence of the answer, and whose it is."""

    sentence: int
    text: str
    kbs: list[str]
    citations: list[int]


class DisagreementShape(BaseModel):
    """Sentences that contradict each other, side by side."""

    positions: list[PositionShape]


class DebateReply(BaseModel):
    """What came of a debate.

    `debate_state` is `ready` where all that were asked answered, `blocked` where none could be
    asked, else `degraded`. `response` is the supervisor's answer; `sentences` are the same with
    their checked citations. `outcome` is `answered`, `nearest` or `nothing`, as of every answer.
    """

    response: str
    debate_results: list[DebateResultShape]
    agent_statuses: list[AgentStatusShape]
    debate_state: Standing
    degraded: bool
    disagreements: list[DisagreementShape]
    trace_steps: list[TraceStepShape]
    outcome: Outcome
    sentences: list[SentenceShape]
    citations: list[CitationShape]
    notes: list[NoteShape]
    refused: bool
    offline: bool
    run_id: str
    took_ms: float = Field(ge=0)


def debate_reply(answer: AnswerShape) -> DebateReply:
    """Return the reply of a debate, from its answer with what the flow tells besides."""
    told: Mapping[str, Any] = answer.payload
    own = {name: getattr(answer, name) for name in DebateReply.model_fields if name not in told}
    return DebateReply.model_validate({**told, **own}, from_attributes=True)
