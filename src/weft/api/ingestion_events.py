"""The events of an ingestion, told from how it stands each time it is looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from datetime import datetime, timedelta

from weft.api.edge.streams import StreamEvent
from weft.api.shapes.runs import RunShape
from weft.domain.event import EventType
from weft.ports.clock import Clock
from weft.ports.records.jobs import JobStatus

_LOOK_SECONDS = 0.25
# The last event, by how it ended.
_ENDS: Mapping[str, EventType] = {
    JobStatus.FINISHED: EventType.RUN_FINISHED,
    JobStatus.FAILED: EventType.RUN_FAILED,
    JobStatus.CANCELLED: EventType.RUN_CANCELLED,
}


async def ingestion_events(
    look: Callable[[], Awaitable[RunShape]], clock: Clock, *, after: int = 0
) -> AsyncIterator[StreamEvent]:
    """Yield an ingestion's progress as it changes, then how it ended: what is past `after`.

    Events are numbered by the milliseconds from when it was put in line, so that numbers grow
    over all connections: no list is kept of them, only how far it has come.
    """
    said: object = None
    while True:
        now = clock.now()  # before the look: it can only end later than this
        found = await look()
        number, end = _milliseconds(found, now), _ENDS.get(found.status)
        data = found.model_dump(mode="json")
        standing = found.progress, found.status
        if number > after and standing != said:
            said = standing
            yield StreamEvent(event="progress", data=data, id=number)
        if end is not None:
            if number + 1 > after:
                yield StreamEvent(event=str(end), data=data, id=number + 1)
            return
        await asyncio.sleep(_LOOK_SECONDS)


def _milliseconds(run: RunShape, now: datetime) -> int:
    """Return how long a run has been there; once it has ended one more, so that it grows."""
    until = now if run.finished is None else run.finished
    passed = (until - run.started) // timedelta(milliseconds=1)
    return max(1, passed) + (run.finished is not None)
