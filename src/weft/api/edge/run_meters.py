"""Meters of runs and of ingestion: a projection of what runs write down, and of stages.

Labels are names of flows, nodes, tools and models: never a text, a person or a knowledge base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from weft.domain.event import TERMINAL, EventType, RunEvent
from weft.domain.ids import RunId
from weft.platform.stages import StageEnd
from weft.stores.timing import StoreCall

_SECONDS = (0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600)
_CHILD = "(child run)"
# Runs whose begin was seen here; one that never ends is forgotten in time.
_MOST_OPEN = 10_000


class RunMeters:
    """Counts what runs do, event by event, and how long the stages of ingestion take."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Take the registry of the service."""
        self._begun: dict[tuple[RunId, str], tuple[datetime, str]] = {}
        self._flows: dict[RunId, str] = {}
        self._runs = Counter(
            "weft_flow_runs", "Runs ended, by flow.", ["flow", "status"], registry=registry
        )
        self._seconds = _histogram(registry, "weft_flow_seconds", "Seconds of a run.", "flow")
        self._nodes = _histogram(
            registry, "weft_node_seconds", "Seconds of a node of a flow.", "flow", "node"
        )
        self._failed = Counter(
            "weft_node_failures", "Nodes that failed.", ["flow", "node"], registry=registry
        )
        self._budgets = Counter(
            "weft_budget_exceeded", "Budgets used up.", ["flow", "dimension"], registry=registry
        )
        self._calls = Counter(
            "weft_model_calls", "Calls of a model.", ["model", "status"], registry=registry
        )
        self._call_seconds = _histogram(
            registry, "weft_model_call_seconds", "Seconds of a model's reply.", "model"
        )
        self._tokens = Counter(
            "weft_model_tokens", "Tokens of models.", ["model", "direction"], registry=registry
        )
        self._dollars = Counter(
            "weft_model_dollars", "Dollars, where prices are known.", ["model"], registry=registry
        )
        self._tools = Counter(
            "weft_tool_calls", "Calls of tools.", ["tool", "status"], registry=registry
        )
        self._tool_seconds = _histogram(
            registry, "weft_tool_call_seconds", "Seconds of a tool's call.", "tool"
        )
        self._stages = Histogram(
            "weft_ingest_stage_seconds",
            "Seconds of a stage of ingestion, for one document or file.",
            ["stage", "status"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._stores = Histogram(
            "weft_store_call_seconds",
            "Seconds of a call of a knowledge base's store.",
            ["store", "operation", "status"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._standing = _Standing(registry)

    def observe(self, events: Sequence[RunEvent]) -> None:
        """Count what events tell."""
        for event in events:
            self._observe(event)

    def stage(self, end: StageEnd) -> None:
        """Count a stage of ingestion."""
        status = "ok" if end.is_done else "failed"
        self._stages.labels(end.name, status).observe(end.seconds)

    def store(self, call: StoreCall) -> None:
        """Count a call of a store."""
        status = "ok" if call.is_done else "failed"
        self._stores.labels(call.store, call.operation, status).observe(call.seconds)

    def stand(
        self,
        jobs: Mapping[tuple[str, str], int],
        bases: Mapping[str, int],
        *,
        traces: tuple[int, int, int],
    ) -> None:
        """Take how jobs (by kind and status), knowledge bases (by state) and traces stand now."""
        self._standing.take(jobs, bases, traces=traces)

    def _observe(self, event: RunEvent) -> None:
        flow = self._flows.get(event.run_id, "other")
        match event.type:
            case EventType.RUN_STARTED:
                self._begin(event)
            case EventType.NODE_STARTED:
                self._begun[event.run_id, event.node] = (event.ts, _node(event))
            case EventType.NODE_FINISHED | EventType.NODE_FAILED:
                self._end_node(event, flow)
            case EventType.MODEL_CALLED:
                self._model(event.data)
            case EventType.TOOL_FINISHED:
                self._tool(event.data)
            case EventType.BUDGET_EXCEEDED:
                self._budgets.labels(flow, str(event.data.get("dimension", "other"))).inc()
            case _ if event.type in TERMINAL:
                self._end(event, flow)

    def _begin(self, event: RunEvent) -> None:
        self._flows[event.run_id] = str(event.data.get("flow", "other"))
        self._begun[event.run_id, ""] = (event.ts, "")
        while len(self._flows) > _MOST_OPEN:
            self._forget(next(iter(self._flows)))

    def _end_node(self, event: RunEvent, flow: str) -> None:
        began, node = self._begun.pop((event.run_id, event.node), (event.ts, "other"))
        self._nodes.labels(flow, node).observe(max(0.0, (event.ts - began).total_seconds()))
        if event.type is EventType.NODE_FAILED:
            self._failed.labels(flow, node).inc()

    def _tool(self, data: Mapping[str, object]) -> None:
        tool = str(data.get("tool", ""))
        self._tools.labels(tool, str(data.get("status", ""))).inc()
        self._tool_seconds.labels(tool).observe(_number(data.get("latency_ms")) / 1000)

    def _end(self, event: RunEvent, flow: str) -> None:
        status = event.type.value.removeprefix("run_")
        self._runs.labels(flow, status).inc()
        known = self._begun.get((event.run_id, ""))
        if known is not None:
            self._seconds.labels(flow).observe(max(0.0, (event.ts - known[0]).total_seconds()))
        self._forget(event.run_id)

    def _forget(self, run_id: RunId) -> None:
        self._flows.pop(run_id, None)
        for key in [key for key in self._begun if key[0] == run_id]:
            del self._begun[key]

    def _model(self, data: Mapping[str, object]) -> None:
        model = str(data.get("model", ""))
        self._calls.labels(model, "ok" if data.get("ok") else "failed").inc()
        self._call_seconds.labels(model).observe(_number(data.get("ms")) / 1000)
        if data.get("recalled"):
            return  # it was paid for before
        self._tokens.labels(model, "input").inc(_number(data.get("input_tokens")))
        self._tokens.labels(model, "output").inc(_number(data.get("output_tokens")))
        if "money" in data:
            self._dollars.labels(model).inc(float(str(data["money"])))


class _Standing:
    """What is looked at when the meters are read."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._jobs = Gauge("weft_jobs", "Jobs.", ["kind", "status"], registry=registry)
        self._bases = Gauge(
            "weft_knowledge_bases", "Knowledge bases, by state.", ["state"], registry=registry
        )
        self._traces = Counter(
            "weft_traces", "Runs whose traces were sent or lost.", ["state"], registry=registry
        )
        self._waiting = Gauge(
            "weft_traces_waiting", "Runs whose traces wait to be sent.", registry=registry
        )
        self._known = (0, 0)

    def take(
        self,
        jobs: Mapping[tuple[str, str], int],
        bases: Mapping[str, int],
        *,
        traces: tuple[int, int, int],
    ) -> None:
        for (kind, status), count in jobs.items():
            self._jobs.labels(kind, status).set(count)
        for state, count in bases.items():
            self._bases.labels(state).set(count)
        *ended, waiting = traces
        self._waiting.set(waiting)
        for state, count, known in zip(("sent", "lost"), ended, self._known, strict=True):
            self._traces.labels(state).inc(max(0, count - known))
        self._known = (traces[0], traces[1])


def _histogram(registry: CollectorRegistry, name: str, says: str, *labels: str) -> Histogram:
    return Histogram(name, says, labels, buckets=_SECONDS, registry=registry)


def _node(event: RunEvent) -> str:
    """Return the name of a node, the same for every visit; child runs are all called alike."""
    if "flow" in event.data:
        return _CHILD
    return event.node.rpartition("/")[2].partition("#")[0]


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
