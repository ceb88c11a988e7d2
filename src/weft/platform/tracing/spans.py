"""A run as a tree of spans: a projection of its events, without any text of documents.

Names and attributes follow OpenTelemetry's conventions for generative AI.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from weft.domain.event import TERMINAL, EventType, RunEvent
from weft.domain.frozen import dataclass

Attribute = str | int | float | bool
# Of what a node tells of itself: numbers and names, none of them a text of a document.
_TAGS = ("phase", "agent_count", "sections", "tasks", "findings", "sentences", "complete")
_FAILED = "error"


class SpanKind(StrEnum):
    """What a span is: work inside, or a call of something outside."""

    INTERNAL = "internal"
    SERVER = "server"
    CLIENT = "client"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanNames:
    """How a flow's spans are called, where it is not `FLOW.NODE`.

    `nodes` are by the node's path; `children` is the name of every child run.
    """

    nodes: Mapping[str, str] = field(default_factory=dict)
    children: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpan:
    """One span: `key` names it within its run, `parent` the one around it; "" is the root."""

    key: str
    parent: str | None
    name: str
    began: datetime
    ended: datetime
    kind: SpanKind = SpanKind.INTERNAL
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedRun:
    """What is known of a run beside its events; `question` is empty unless it may be told."""

    run_id: str
    flow: str
    agent: str
    provider: str = ""
    question: str = ""
    names: SpanNames = field(default_factory=SpanNames)


def spans_of(run: TracedRun, events: Sequence[RunEvent]) -> list[RunSpan]:
    """Return the spans of a run, each after the one around it; none for a run without events."""
    if not events:
        return []
    tree = _Tree(run, events)
    return [tree.entry(), tree.whole(), *tree.nodes(), *tree.calls()]


class _Tree:
    def __init__(self, run: TracedRun, events: Sequence[RunEvent]) -> None:
        self._run = run
        self._events = events
        self._flow = run.flow
        self._began, self._ended = events[0].ts, events[-1].ts
        self._paths: set[str] = set()

    def entry(self) -> RunSpan:
        """Return the span around everything: whom was asked."""
        last = self._events[-1]
        status = last.type.value.removeprefix("run_") if last.type in TERMINAL else "suspended"
        told: dict[str, Attribute] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self._run.agent,
            "weft.flow": self._flow,
            "weft.run_id": self._run.run_id,
            "weft.status": status,
        }
        if self._run.question:
            told["weft.question"] = self._run.question
        failed = str(last.data.get("code", _FAILED)) if last.type is EventType.RUN_FAILED else ""
        return RunSpan(
            key="",
            parent=None,
            name=f"agent_server.run_{self._flow} [{self._flow}-mode]",
            began=self._began,
            ended=self._ended,
            kind=SpanKind.SERVER,
            attributes=told,
            error=failed,
        )

    def whole(self) -> RunSpan:
        """Return the span of the flow itself, with what it said of its own extent."""
        told: dict[str, Attribute] = {"phase": "orchestration"}
        for event in self._events:
            if event.type is EventType.NODE_FINISHED and event.data.get("phase") == told["phase"]:
                told |= _tags(event.data)
        return RunSpan(
            key="flow",
            parent="",
            name=f"{self._flow}.run_{self._flow}",
            began=self._began,
            ended=self._ended,
            attributes=told,
        )

    def nodes(self) -> list[RunSpan]:
        """Return a span for each visit of a node, in the order in which they began."""
        spans: dict[str, RunSpan] = {}
        for event in self._events:
            if event.type is EventType.NODE_STARTED and event.node not in spans:
                self._paths.add(event.node)
                spans[event.node] = self._node(event)
            elif event.type in {EventType.NODE_FINISHED, EventType.NODE_FAILED}:
                known = spans.get(event.node)
                if known is not None:
                    spans[event.node] = _closed(known, event)
        return list(spans.values())

    def _node(self, event: RunEvent) -> RunSpan:
        is_child = "flow" in event.data
        bare = event.node.partition("#")[0]
        names = self._run.names
        named = names.children if is_child else names.nodes.get(bare, "")
        told = _tags(event.data)
        if is_child and "kb" in event.data:
            told["db"] = str(event.data["kb"])
        return RunSpan(
            key=event.node,
            # A child run stands beside the node that asked for it, which is over long before.
            parent=self._around(self._around(event.node)) if is_child else self._around(event.node),
            name=named or f"{self._flow}.{_place(bare)}",
            began=event.ts,
            ended=self._ended,
            attributes={"weft.node": event.node, **told},
        )

    def _around(self, path: str) -> str:
        above = path.rpartition("/")[0]
        while above and above not in self._paths:
            above = above.rpartition("/")[0]
        return above or "flow"

    def calls(self) -> list[RunSpan]:
        """Return a span for each call of a model and of a tool, under the node that made it."""
        found: list[RunSpan] = []
        begun: dict[str, RunEvent] = {}
        for event in self._events:
            if event.type is EventType.MODEL_CALLED:
                found.append(self._model(event))
            elif event.type is EventType.TOOL_REQUESTED:
                begun[str(event.data.get("action_id", ""))] = event
            elif event.type is EventType.TOOL_FINISHED:
                found.append(self._tool(event, begun.get(str(event.data.get("action_id", "")))))
        return found

    def _within(self, node: str) -> str:
        return node if node in self._paths else self._around(node)

    def _model(self, event: RunEvent) -> RunSpan:
        data, model = event.data, str(event.data.get("model", ""))
        told: dict[str, Attribute] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self._run.provider,
            "gen_ai.request.model": model,
            "gen_ai.usage.input_tokens": _whole(data.get("input_tokens")),
            "gen_ai.usage.output_tokens": _whole(data.get("output_tokens")),
        }
        if "money" in data:
            told["weft.usage.dollars"] = str(data["money"])
        if data.get("recalled"):
            told["weft.recalled"] = True
        return RunSpan(
            key=f"{event.node}/model:{event.seq}",
            parent=self._within(event.node),
            name=f"chat {model}",
            began=event.ts - _milliseconds(data.get("ms")),
            ended=event.ts,
            kind=SpanKind.CLIENT,
            attributes=told,
            error="" if data.get("ok") else _FAILED,
        )

    def _tool(self, event: RunEvent, begun: RunEvent | None) -> RunSpan:
        data, tool = event.data, str(event.data.get("tool", ""))
        status = str(data.get("status", ""))
        told: dict[str, Attribute] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "weft.tool.status": status,
            "weft.tool.cached": bool(data.get("cached")),
        }
        began = event.ts - _milliseconds(data.get("latency_ms")) if begun is None else begun.ts
        return RunSpan(
            key=f"{event.node}/tool:{event.seq}",
            parent=self._within(event.node),
            name=f"execute_tool {tool}",
            began=began,
            ended=event.ts,
            attributes=told,
            error="" if status == "ok" else status or _FAILED,
        )


def _closed(span: RunSpan, event: RunEvent) -> RunSpan:
    told = {**span.attributes, **_tags(event.data)}
    failed = event.type is EventType.NODE_FAILED
    error = str(event.data.get("code", _FAILED)) if failed else span.error
    return replace(span, ended=event.ts, attributes=told, error=error)


def _tags(data: Mapping[str, object]) -> dict[str, Attribute]:
    told = {name: data[name] for name in _TAGS if name in data}
    return {name: one for name, one in told.items() if isinstance(one, Attribute)}


def _place(path: str) -> str:
    """Return a path without what tells visits and child runs apart: few names, however many."""
    return path.rpartition("/")[2].partition("#")[0]


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _milliseconds(value: object) -> timedelta:
    return timedelta(milliseconds=value) if isinstance(value, int | float) else timedelta()
