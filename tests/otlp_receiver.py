"""A collector on loopback: it reads OTLP with the official protobufs, or misbehaves."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from patience import eventually


@dataclass(slots=True)
class Received:
    """What came, and the headers that it came with; `status` is what is answered."""

    address: str = ""
    status: int = 200
    spans: list[Span] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    about: dict[str, str] = field(default_factory=dict)
    raw: bytes = b""

    def take(self, body: bytes, headers: dict[str, str]) -> None:
        """Take in what was sent."""
        self.headers.append({name.lower(): value for name, value in headers.items()})
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for each in resource.resource.attributes:
                self.about[each.key] = each.value.string_value
            for scope in resource.scope_spans:
                self.spans += scope.spans

    def wait(self, name: str) -> None:
        """Wait for a span of that name."""
        eventually(lambda: any(one.name == name for one in self.spans), what=f"a span {name}")

    def tree(self) -> list[str]:
        """Return the spans as an indented list, each under the one around it, once a name."""
        known = {one.span_id for one in self.spans}
        roots = [one for one in self.spans if one.parent_span_id not in known]
        return [line for root in roots for line in self._lines(root, 0)]

    def _lines(self, span: Span, depth: int) -> Iterator[str]:
        yield "  " * depth + span.name
        inner = [one for one in self.spans if one.parent_span_id == span.span_id]
        inner.sort(key=lambda one: (one.start_time_unix_nano, one.name))
        seen: set[tuple[str, ...]] = set()
        for one in inner:
            lines = tuple(self._lines(one, depth + 1))
            if lines not in seen:
                seen.add(lines)
                yield from lines


def attributes(span: Span) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in span.attributes:
        found[one.key] = getattr(one.value, str(one.value.WhichOneof("value")))
    return found


@contextmanager
def receiver(*, status: int = 200, hangs: bool = False) -> Iterator[Received]:
    received, over = Received(status=status), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            if hangs:
                over.wait(20)
            received.raw += body
            if received.status == 200:
                received.take(body, dict(self.headers.items()))
            self.send_response(received.status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    received.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield received
    finally:
        over.set()
        server.shutdown()
        server.server_close()
