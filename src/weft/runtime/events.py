"""The recorder: gives a run's events their numbers and hands them on in order."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from weft.domain.event import TERMINAL, EventType, RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.runtime.context import EMPTY, EventDraft

# How long an event may wait for company before a reader sees it, in seconds.
LINGER_S = 0.05


class EventSink(Protocol):
    """Keeps events."""

    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        """Add events at the end of their run's record.

        An event whose run and number are there already is the same one sent again, since the first
        acknowledgement was lost: it is left out.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOrigin:
    """Where in a run an event happens: the node's path, what led to it, and all that did."""

    node: str = ""
    parent: str = ""
    sources: tuple[str, ...] = ()


NOWHERE = EventOrigin()


class Recorder:
    """Numbers the events of one run without gaps; after the terminal one it takes no more."""

    def __init__(self, run_id: RunId, scope: Scope, *, sink: EventSink, clock: Clock) -> None:
        self.seq = 0  # the number of the last event
        self.is_closed = False
        self._run_id = run_id
        self._scope = scope
        self._sink = sink
        self._now = clock.now
        self._buffer: list[RunEvent] = []
        self._lock = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None

    def emit(
        self, kind: EventType, place: EventOrigin = NOWHERE, *, data: Mapping[str, object] = EMPTY
    ) -> None:
        """Take an event; it reaches the sink with the next flush, or soon by itself."""
        if self.is_closed:
            # A node that did not stop when it was cancelled may still talk; nobody listens.
            return
        self.seq += 1
        self._buffer.append(
            RunEvent(
                seq=self.seq,
                run_id=self._run_id,
                ts=self._now(),
                type=kind,
                node=place.node,
                parent=place.parent,
                sources=place.sources,
                data=dict(data),
            )
        )
        if kind in TERMINAL:
            self._close()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LINGER_S, self._on_timer)

    def emit_draft(self, draft: EventDraft, place: EventOrigin) -> None:
        """Take an event that a node drafted, with its own sources."""
        where = EventOrigin(node=place.node, parent=place.parent, sources=draft.sources)
        self.emit(draft.type, where, data=draft.data)

    async def flush(self) -> None:
        """Hand what is waiting to the sink; what it raises is raised, and the events are kept."""
        async with self._lock:
            if self._buffer:
                batch = tuple(self._buffer)
                await self._sink.append(self._scope, batch)
                del self._buffer[: len(batch)]

    def _close(self) -> None:
        self.is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        if self._buffer and self._flushing is None:
            self._flushing = asyncio.get_running_loop().create_task(self.flush())
            self._flushing.add_done_callback(self._on_flushed)

    def _on_flushed(self, task: asyncio.Task[None]) -> None:
        self._flushing = None
        if not task.cancelled():
            # What failed is still in the buffer: the flush at the node's end will say so.
            task.exception()
