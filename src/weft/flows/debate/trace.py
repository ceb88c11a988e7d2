"""A debate's events as the steps that people see: who was asked, what came, what was made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from weft.domain.event import EventType, RunEvent

_TYPES = {"fan-out": "FANOUT", "collect": "COLLECT", "synthesis": "SYNTHESIS"}
_ENDS = frozenset({EventType.NODE_FINISHED, EventType.NODE_FAILED})
_Step = dict[str, object]


def trace_steps(events: Sequence[RunEvent]) -> list[_Step]:
    """Return the steps FANOUT, DEBATE (one an agent), COLLECT and SYNTHESIS of a run's events.

    What leads to what stands in `metadata.parent` and `metadata.sources` and nowhere else; both
    name steps by their ids, which are the paths of their nodes. They stand in the order in which
    they began: which agent is quicker says nothing.
    """
    starts = {one.node: one for one in events if one.type is EventType.NODE_STARTED}
    steps: dict[str, _Step] = {}
    for event in events:
        kind = _kind(event)
        if kind and event.node in starts:
            steps[event.node] = _step(kind, starts[event.node], event)
    began = [steps[node] for node in starts if node in steps]
    return [_with_known_edges(step, steps) for step in began]


def _kind(event: RunEvent) -> str:
    """Return the type of the step that an event ends; empty if it ends none."""
    if event.type not in _ENDS or "phase" not in event.data:
        return ""
    return "DEBATE" if "kb" in event.data else _TYPES.get(str(event.data["phase"]), "")


def _step(kind: str, start: RunEvent, end: RunEvent) -> _Step:
    tags: Mapping[str, object] = end.data
    told = {name: tags[name] for name in ("phase", "kb", "agent", "agent_count") if name in tags}
    failed = end.type is EventType.NODE_FAILED
    return {
        "id": end.node,
        "type": kind,
        "agent": tags.get("agent", ""),
        "status": "failed" if failed else "finished",
        "ms": round((end.ts - start.ts).total_seconds() * 1000, 1),
        "metadata": {**told, "parent": start.parent, "sources": list(start.sources)},
    }


def _with_known_edges(step: _Step, steps: Mapping[str, _Step]) -> _Step:
    """Return a step whose edges name other steps alone; what collects names its sources."""
    metadata = step["metadata"]
    assert isinstance(metadata, dict)
    parent = metadata["parent"] if metadata["parent"] in steps else ""
    sources = [one for one in metadata["sources"] if one in steps]
    if step["type"] == "COLLECT" and parent:
        parent, sources = "", [parent]
    return {**step, "metadata": {**metadata, "parent": parent, "sources": sources}}
