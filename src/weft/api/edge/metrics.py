"""Meters of one service, in the text form that Prometheus reads."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import Scope as Asked

from weft.api.edge.run_meters import RunMeters
from weft.domain.frozen import dataclass
from weft.ports.telemetry.logs import Logs

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)


@dataclass(slots=True)
class ObservedRequest:
    """What is known of a request while it is answered."""

    status: int = 500

    def see(self, status: int) -> None:
        """Take the status that was sent."""
        self.status = status


class Meters:
    """Counts requests, runs and streams; each service has a registry of its own."""

    def __init__(self, logs: Logs | None = None) -> None:
        """Begin at nought; requests are written to a log too, if one is given."""
        self._logs = logs
        self.registry = CollectorRegistry()
        self.runs = RunMeters(self.registry)
        self._requests = Counter(
            "weft_http_requests",
            "Requests answered.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "weft_http_request_seconds",
            "Seconds from a request to the end of its answer.",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._runs = Counter(
            "weft_runs", "Answering runs ended.", ["status"], registry=self.registry
        )
        self.open_runs = Gauge(
            "weft_runs_open", "Answering runs under way or waiting.", registry=self.registry
        )
        self.open_streams = Gauge(
            "weft_streams_open", "Event streams being sent.", registry=self.registry
        )

    @contextmanager
    def request(self, scope: Asked) -> Iterator[ObservedRequest]:
        """Measure one request; its route is known once it has been answered."""
        seen, began = ObservedRequest(), time.perf_counter()
        try:
            yield seen
        finally:
            route = getattr(scope.get("route"), "path", None) or "other"
            self._requests.labels(scope["method"], route, str(seen.status)).inc()
            seconds = time.perf_counter() - began
            self._seconds.labels(route).observe(seconds)
            if self._logs is not None:
                self._logs.tell(
                    "request",
                    method=scope["method"],
                    route=route,
                    status=seen.status,
                    ms=round(seconds * 1000, 1),
                    **_code_of(scope),
                )

    def run_ended(self, status: str) -> None:
        """Count a run that ended."""
        self._runs.labels(status).inc()

    def shown(self) -> bytes:
        """Return all meters as text."""
        return generate_latest(self.registry)


def _code_of(scope: Asked) -> dict[str, str]:
    """Return the name of the error that a request was answered with, for its line; else nothing."""
    code = scope.get("state", {}).get("code", "")
    return {"code": code} if code else {}
