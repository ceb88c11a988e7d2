"""The trace that a request comes with, by the header `traceparent` of the W3C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern

_HEADER = pattern(r"00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")
_NONE = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceParent:
    """The trace, 32 hex digits, and the span in it that asks, 16."""

    trace_id: str
    span_id: str


_PARENT: ContextVar[TraceParent | None] = ContextVar("weft_trace_parent", default=None)


def parent_in(header: str) -> TraceParent | None:
    """Return what a header names; None for an empty one and for one that is not as it must be."""
    found = _HEADER.fullmatch(header)
    if found is None or not found[1].strip(_NONE) or not found[2].strip(_NONE):
        return None
    return TraceParent(trace_id=found[1], span_id=found[2])


@contextmanager
def within_trace(parent: TraceParent | None) -> Iterator[None]:
    """Let every run that begins inside be a part of a trace."""
    token = _PARENT.set(parent)
    try:
        yield
    finally:
        _PARENT.reset(token)


def current_parent() -> TraceParent | None:
    """Return the trace that is gone on with, None where a run begins its own."""
    return _PARENT.get()
