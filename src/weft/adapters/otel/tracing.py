"""The port `Traces` over OTLP: a thread of its own sends, so a dead collector costs nothing."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from queue import Empty, Full, Queue

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from weft import __version__
from weft.domain.display import without_secrets
from weft.domain.errors import WeftError
from weft.domain.event import RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.platform.tracing import spans
from weft.platform.tracing.parent import TraceParent, current_parent
from weft.platform.tracing.spans import RunSpan, SpanNames, TracedRun, spans_of
from weft.ports.records.runs import Runs
from weft.ports.telemetry.tracing import TraceStanding

# Runs that wait to be sent; more are lost, and counted.
_MOST_WAITING = 256
_SEND_SECONDS = 1.0
_CLOSE_SECONDS = 1.0
_LOOK_SECONDS = 0.02
_GATHER_SECONDS = 0.3
_MOST_OPEN = 1_000
_MOST_AT_ONCE = 64
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_KINDS = {
    spans.SpanKind.INTERNAL: SpanKind.INTERNAL,
    spans.SpanKind.SERVER: SpanKind.SERVER,
    spans.SpanKind.CLIENT: SpanKind.CLIENT,
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector:
    """Where spans go: the whole address, headers, and what the service says of itself.

    `tells_questions`: a span may hold the question of its run, as the record keeps it.
    """

    address: str
    headers: Mapping[str, str]
    service: str = "weft"
    about: Mapping[str, str] | None = None
    tells_questions: bool = False


class OtlpTraces:
    """Sends spans of runs as they end."""

    def __init__(
        self,
        collector: Collector,
        runs: Runs,
        *,
        provider: str,
        names: Callable[[str], SpanNames],
    ) -> None:
        """Take the collector, the record of runs, the model's provider, and names by flow."""
        _silence()
        self._collector = collector
        self._runs = runs
        self._provider = provider
        self._names = names
        self._exporter = _exporter(collector)
        own = {"service.name": collector.service, "service.version": __version__}
        self._resource = Resource({**(collector.about or {}), **own})
        self._scope = InstrumentationScope("weft", __version__)
        self._waiting: Queue[Callable[[], list[ReadableSpan]]] = Queue(_MOST_WAITING)
        self._reading: set[asyncio.Task[None]] = set()
        self._told: dict[RunId, list[RunEvent]] = {}
        self._sent = self._lost = 0
        self._is_sending = self._is_closed = False
        self._hurry = threading.Event()
        self._reason = ""
        self._thread = threading.Thread(target=self._send, name="weft-traces", daemon=True)
        self._thread.start()

    @property
    def standing(self) -> TraceStanding:
        """Return how sending stands."""
        return TraceStanding(
            address=without_secrets(self._collector.address),
            sent=self._sent,
            lost=self._lost,
            waiting=self._waiting.qsize() + len(self._reading),
            reason=self._reason,
        )

    def observe(self, events: Sequence[RunEvent]) -> None:
        """Take in what a run writes down, so that nothing need be read at its end."""
        for event in events:
            self._told.setdefault(event.run_id, []).append(event)
        while len(self._told) > _MOST_OPEN:
            del self._told[next(iter(self._told))]

    def ended(self, scope: Scope, run_id: RunId) -> None:
        """Have a run's spans sent; never waits, and never fails."""
        events, parent = self._told.pop(run_id, []), current_parent()
        if self._is_closed or len(self._reading) >= _MOST_WAITING:
            self._lost += 1
            return
        is_whole = bool(events) and events[0].seq == 1
        if is_whole and not self._collector.tells_questions:
            self._enter(scope, _traced(run_id, events[0].data), events, parent)
            return
        task = asyncio.create_task(self._read(scope, run_id, parent))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def close(self) -> None:
        """Send what waits, for a second at most, and let go."""
        until = time.monotonic() + _CLOSE_SECONDS
        self._hurry.set()
        if self._reading:
            await asyncio.wait(set(self._reading), timeout=_CLOSE_SECONDS)
        await asyncio.to_thread(self._drain, until)
        self._is_closed = True
        for task in self._reading:
            task.cancel()

    def _drain(self, until: float) -> None:
        while time.monotonic() < until and (self._waiting.qsize() or self._is_sending):
            time.sleep(_LOOK_SECONDS)

    async def _read(self, scope: Scope, run_id: RunId, parent: TraceParent | None) -> None:
        try:
            run = await self._runs.get(scope, run_id)
            events = await self._runs.events(scope, run_id)
        except WeftError as error:
            self._lost, self._reason = self._lost + 1, error.code
            return
        told = {"flow": run.header.flow, "agent": run.header.agent}
        question = run.header.preview if self._collector.tells_questions else ""
        self._enter(scope, replace(_traced(run_id, told), question=question), events, parent)

    def _enter(
        self,
        scope: Scope,
        run: TracedRun,
        events: Sequence[RunEvent],
        parent: TraceParent | None,
    ) -> None:
        run = replace(run, provider=self._provider, names=self._names(run.flow))
        try:
            # Spans are made by the thread that sends them: the run goes on meanwhile.
            self._waiting.put_nowait(
                lambda: self._readable(scope, run, spans_of(run, events), parent)
            )
        except Full:
            self._lost, self._reason = self._lost + 1, "too many wait"

    def _readable(
        self, scope: Scope, run: TracedRun, found: Sequence[RunSpan], parent: TraceParent | None
    ) -> list[ReadableSpan]:
        seed = f"{scope.tenant}/{run.run_id}"
        trace = int(parent.trace_id, 16) if parent else int(_digest(seed, 32), 16)
        outer = None if parent is None else _context(trace, int(parent.span_id, 16), remote=True)

        @cache
        def context(key: str) -> SpanContext:
            return _context(trace, int(_digest(f"{seed}/{key}", 16), 16) or 1)

        return [
            ReadableSpan(
                name=one.name,
                context=context(one.key),
                parent=outer if one.parent is None else context(one.parent),
                resource=self._resource,
                attributes=dict(one.attributes),
                kind=_KINDS[one.kind],
                status=_status(one.error),
                start_time=_nanoseconds(one.began),
                end_time=_nanoseconds(max(one.began, one.ended)),
                instrumentation_scope=self._scope,
            )
            for one in found
        ]

    def _send(self) -> None:
        while not self._is_closed:
            with suppress(Empty):
                runs = [self._waiting.get(timeout=_LOOK_SECONDS * 10)]
                self._is_sending = True
                # Those that end at about the same time go together: a request is what it costs.
                self._hurry.wait(_GATHER_SECONDS)
                while not self._waiting.empty() and len(runs) < _MOST_AT_ONCE:
                    runs.append(self._waiting.get())
                self._export(runs)
                self._is_sending = False

    def _export(self, runs: Sequence[Callable[[], list[ReadableSpan]]]) -> None:
        try:
            found = [span for run in runs for span in run()]
            is_sent = self._exporter.export(found) is SpanExportResult.SUCCESS
            reason = "the collector does not answer, or refuses"
        except (OSError, ValueError, RuntimeError, LookupError, TypeError) as error:
            is_sent, reason = False, type(error).__name__
        if is_sent:
            self._sent, self._reason = self._sent + len(runs), ""
        else:
            self._lost, self._reason = self._lost + len(runs), reason


def _traced(run_id: RunId, said: Mapping[str, object]) -> TracedRun:
    return TracedRun(
        run_id=run_id, flow=str(said.get("flow", "")), agent=str(said.get("agent", ""))
    )


def answers(collector: Collector) -> bool:
    """Tell whether a collector takes in a request without spans; waits a second at most."""
    _silence()
    return _exporter(collector).export([]) is SpanExportResult.SUCCESS


def _exporter(collector: Collector) -> OTLPSpanExporter:
    # In a second no second try fits: one that is away is given up at once.
    return OTLPSpanExporter(
        endpoint=collector.address, headers=dict(collector.headers), timeout=_SEND_SECONDS
    )


def _silence() -> None:
    # A collector that is away is told by the standing, not by lines of the library.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)


def _context(trace: int, span: int, *, remote: bool = False) -> SpanContext:
    return SpanContext(trace_id=trace, span_id=span, is_remote=remote, trace_flags=_SAMPLED)


def _status(error: str) -> Status:
    return Status(StatusCode.ERROR, error) if error else Status(StatusCode.OK)


def _digest(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def _nanoseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // (moment.resolution) * 1000
