"""A run's events as the steps that were taken, for a timeline or a tree."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from weft.domain.event import EventType, RunEvent
from weft.ports.records.runs import Run

_ENDS = frozenset({EventType.NODE_FINISHED, EventType.NODE_FAILED})


class StepShape(BaseModel):
    """One step; `start_ms` counts from the run's begin, `ms` is None while it goes on."""

    node: str
    parent: str
    status: str
    start_ms: float
    ms: float | None
    events: list[dict[str, object]]


class TraceEdgeShape(BaseModel):
    """A step that led to another."""

    source: str
    target: str


class Trace(BaseModel):
    """A run's steps in the order they began, and the edges between them."""

    run_id: str
    status: str
    ms: float
    steps: list[StepShape]
    edges: list[TraceEdgeShape]


def trace_of(run: Run, events: Sequence[RunEvent]) -> Trace:
    """Return the trace of a run."""
    begin = events[0].ts if events else run.header.started
    steps: dict[str, StepShape] = {}
    edges: dict[tuple[str, str], TraceEdgeShape] = {}
    last = 0.0
    for event in events:
        last = round((event.ts - begin).total_seconds() * 1000, 1)
        step = steps.get(event.node)
        if event.type is EventType.NODE_STARTED or (event.node and step is None):
            step = steps[event.node] = _begun(event, last)
            for source in filter(None, {*event.sources, event.parent}):
                edges[source, event.node] = TraceEdgeShape(source=source, target=event.node)
        if step is not None and event.type in _ENDS:
            step.status = "failed" if event.type is EventType.NODE_FAILED else "finished"
            step.ms = round(last - step.start_ms, 1)
        elif step is not None and event.type is not EventType.NODE_STARTED:
            step.events.append({"type": str(event.type), "ms": last, "data": dict(event.data)})
    return Trace(
        run_id=run.header.run_id,
        status=str(run.status),
        ms=last,
        steps=list(steps.values()),
        edges=[edges[key] for key in sorted(edges)],
    )


def _begun(event: RunEvent, now: float) -> StepShape:
    return StepShape(
        node=event.node, parent=event.parent, status="running", start_ms=now, ms=None, events=[]
    )
