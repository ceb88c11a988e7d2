"""A run's trace as documents: a record for each span, in the words of the ontology `tracing`.

What is in them is what a trace has, with the question: no text of a document, and no answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from weft.domain.event import EventType, RunEvent
from weft.platform.tracing.spans import RunSpan, TracedRun, spans_of

_SHORT = 8
_TOLD = {
    "weft.flow": "Flow",
    "weft.status": "Status",
    "gen_ai.agent.name": "Agent",
    "gen_ai.tool.name": "Tool",
    "weft.tool.status": "Status",
    "gen_ai.request.model": "Model",
    "gen_ai.usage.input_tokens": "Prompt tokens",
    "gen_ai.usage.output_tokens": "Completion tokens",
    "weft.usage.dollars": "Cost",
    "db": "Knowledge base",
    "weft.question": "Question",
}


def trace_records(
    run: TracedRun, events: Sequence[RunEvent], *, actor: str
) -> list[dict[str, object]]:
    """Return records (id, title, content, metadata) of a run and each step of it.

    `actor` is who asked. A run without events gives none.
    """
    spans = spans_of(run, events)
    titles = {span.key: _title(span, run) for span in spans}
    read = _read(events)
    return [
        {
            "id": f"{run.run_id}/{span.key or 'run'}",
            "title": titles[span.key],
            "content": "\n".join(_lines(span, titles, read, actor)),
            "metadata": {"run": run.run_id, "flow": run.flow},
        }
        for span in spans
    ]


def _title(span: RunSpan, run: TracedRun) -> str:
    short = run.run_id[:_SHORT]
    return f"Run {short}" if span.parent is None else f"Step {span.name} of run {short}"


def _lines(
    span: RunSpan,
    titles: Mapping[str, str],
    read: Mapping[str, Sequence[str]],
    actor: str,
) -> Iterator[str]:
    """Yield what a span tells, a labelled line for each."""
    yield f"Kind: {_kind(span)}"
    if span.parent is None:
        yield f"Asked by: {actor}"
    else:
        yield f"Run: {titles['']}"
        yield f"Parent: {titles[span.parent]}"
    for name, label in _TOLD.items():
        if span.attributes.get(name) not in (None, ""):
            yield f"{label}: {span.attributes[name]}"
    yield f"Started at: {span.began.isoformat(timespec='milliseconds')}"
    yield f"Ended at: {span.ended.isoformat(timespec='milliseconds')}"
    yield f"Duration: {round((span.ended - span.began).total_seconds() * 1000, 1)} ms"
    if span.error:
        yield f"Error: {span.error}"
    if read.get(span.key):
        yield f"Documents: {', '.join(read[span.key])}"


def _kind(span: RunSpan) -> str:
    if span.parent is None:
        return "run"
    said = span.attributes.get("gen_ai.operation.name")
    return {"execute_tool": "tool call", "chat": "model call"}.get(str(said), "step")


def _read(events: Sequence[RunEvent]) -> Mapping[str, Sequence[str]]:
    """Return the documents that each node found, by its path."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for event in events:
        documents = event.data.get("documents")
        if event.type is EventType.EVIDENCE_FOUND and isinstance(documents, list | tuple):
            found[event.node] |= dict.fromkeys(map(str, documents))
    return {node: list(each) for node, each in found.items()}
