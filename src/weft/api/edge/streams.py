"""Server-sent events: how a stream is written, kept alive and let go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from weft.api.edge.metrics import Meters
from weft.domain.frozen import dataclass

PING_SECONDS = 15.0
MEDIA_TYPE = "text/event-stream"
# In an OpenAPI document: what a stream's reply looks like.
DESCRIBED: dict[str, Any] = {
    MEDIA_TYPE: {
        "schema": {
            "type": "object",
            "description": "Server-sent events; `data` is JSON.",
            "required": ["data"],
            "properties": {
                "event": {"type": "string"},
                "data": {"type": "string"},
                "id": {"type": "string"},
            },
        }
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    """One event of a stream; `data` is JSON, or text that is sent as it is."""

    data: object
    event: str | None = None
    id: int | None = None

    def written(self) -> bytes:
        """Return the event as it goes over the wire."""
        said = self.data if isinstance(self.data, str) else json.dumps(self.data, default=str)
        number = None if self.id is None else str(self.id)
        return format_sse_event(data_str=said, event=self.event, id=number)


def streamed(
    events: AsyncIterator[StreamEvent], meters: Meters, *, headers: Mapping[str, str] | None = None
) -> StreamingResponse:
    """Return a reply that sends events as they come, with a comment where none comes for long."""
    return StreamingResponse(
        _written(events, meters),
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no", **(headers or {})},
    )


async def _written(events: AsyncIterator[StreamEvent], meters: Meters) -> AsyncIterator[bytes]:
    """Write events; whoever goes away in the middle ends their making too."""
    meters.open_streams.inc()
    upcoming: asyncio.Task[StreamEvent | None] | None = None
    try:
        while True:
            upcoming = upcoming or asyncio.ensure_future(_next(events))
            done, _ = await asyncio.wait({upcoming}, timeout=PING_SECONDS)
            if not done:
                yield KEEPALIVE_COMMENT
                continue
            event, upcoming = upcoming.result(), None
            if event is None:
                return
            yield event.written()
    finally:
        meters.open_streams.dec()
        if upcoming is not None:
            upcoming.cancel()
            await asyncio.wait({upcoming})
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()


async def _next(events: AsyncIterator[StreamEvent]) -> StreamEvent | None:
    return await anext(events, None)
