"""What the platform's chat gives: a message, cards to show, the trace, how it came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from weft.api.routes.sessions import MessageShape
from weft.api.shapes.answers import AnswerShape, CitationShape, MeaningShape
from weft.api.shapes.debate import TraceStepShape
from weft.api.shapes.trace import Trace

Mode = Literal["router", "debate", "semantic", "rag"]


class CardShape(BaseModel):
    """Something to show beside the message: the answer, one agent's, a cited passage."""

    kind: Literal["answer", "agent", "citation"]
    title: str
    text: str
    kb: str = ""
    status: str = ""
    reason: str = ""
    citations: list[CitationShape] = Field(default_factory=list)


class TraceSummary(BaseModel):
    """How many steps there were, of each type, and the milliseconds they took in all."""

    steps: int
    types: dict[str, int]
    ms: float


class UiPayload(BaseModel):
    """What a screen needs beside the message.

    `entity_candidates` are things that a name of the question may mean, where the mode finds any;
    `meanings` what a refused question may ask of tables.
    """

    cards: list[CardShape]
    trace_summary: TraceSummary
    entity_candidates: list[dict[str, Any]]
    meanings: list[MeaningShape] = Field(default_factory=list)


class RuntimeControl(BaseModel):
    """That another mode answered than the one that was asked for, and why."""

    requested_mode: Mode
    executed_mode: Mode
    reason: str


class RuntimePayload(BaseModel):
    """How the message came about; what the mode's flow gives besides stands here too."""

    model_config = ConfigDict(extra="allow")

    run_id: str
    outcome: str
    offline: bool
    took_ms: float
    notes: list[str]


class PlatformReply(BaseModel):
    """A turn of the platform's chat; `history` are the messages of its conversation so far."""

    session_id: str
    conversation_id: str
    mode: Mode
    assistant_message: str
    trace_steps: list[TraceStepShape]
    ui_payload: UiPayload
    runtime_payload: RuntimePayload
    runtime_control: RuntimeControl | None = None
    history: list[MessageShape]
    run_id: str


class PlatformSession(BaseModel):
    """The messages of a session's last conversation, the oldest first."""

    session_id: str
    conversation_id: str
    history: list[MessageShape]


def steps_of(answer: AnswerShape, trace: Trace) -> list[TraceStepShape]:
    """Return the steps that a flow tells itself, else those of the run's trace."""
    told: Sequence[Mapping[str, Any]] | None = answer.payload.get("trace_steps")
    if told is not None:
        return [TraceStepShape.model_validate(one) for one in told]
    steps = {step.node for step in trace.steps}
    leading = [(edge.source, edge.target) for edge in trace.edges if edge.source in steps]
    return [
        TraceStepShape.model_validate(
            {
                "id": step.node,
                "type": "STEP",
                "agent": "",
                "status": step.status,
                "ms": step.ms or 0.0,
                "metadata": {
                    "parent": step.parent if step.parent in steps else "",
                    "sources": sorted(
                        source
                        for source, target in leading
                        if target == step.node and source != step.parent
                    ),
                    "phase": step.node,
                },
            }
        )
        for step in trace.steps
        if step.node
    ]


def ui_payload(answer: AnswerShape, steps: Sequence[TraceStepShape]) -> UiPayload:
    """Return what a screen shows of an answer."""
    return UiPayload(
        cards=[*_cards(answer)],
        trace_summary=TraceSummary(
            steps=len(steps),
            types=dict(sorted(Counter(step.type for step in steps).items())),
            ms=answer.took_ms,
        ),
        entity_candidates=list(answer.payload.get("semantic_context", {}).get("matches", ())),
        meanings=answer.meanings,
    )


def _cards(answer: AnswerShape) -> list[CardShape]:
    found = [CardShape(kind="answer", title="", text=answer.answer, citations=answer.citations)]
    standing = {one["kb"]: one for one in answer.payload.get("agent_statuses", ())}
    for one in answer.payload.get("debate_results", ()):
        status = standing[one["kb"]]
        found.append(
            CardShape(
                kind="agent",
                title=one["agent"],
                text=one["response"],
                kb=one["kb"],
                status=status["status"],
                reason=status["reason"],
                citations=one["citations"],
            )
        )
    cited = answer.citations or answer.nearest
    found += [
        CardShape(kind="citation", title=one.title, text=one.snippet, kb=one.kb, citations=[one])
        for one in cited
    ]
    return found


def runtime_payload(answer: AnswerShape, besides: Mapping[str, object]) -> RuntimePayload:
    """Return how an answer came about; `besides` stands in place of what its flow gives."""
    given = {name: value for name, value in answer.payload.items() if name != "trace_steps"}
    return RuntimePayload.model_validate(
        {
            **given,
            **besides,
            "run_id": answer.run_id,
            "outcome": str(answer.outcome),
            "offline": answer.offline,
            "took_ms": answer.took_ms,
            "notes": [one.text for one in answer.notes],
        }
    )
