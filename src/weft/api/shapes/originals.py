"""The file of a document as it leaves: what its first bytes say it is, and how it is sent."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from pydantic import BaseModel

from weft.ingest.originals import Original

_LONGEST_MARK = 8
# What a browser may draw by itself, known by its first bytes: nothing in it runs with the rights of
# this service. All else is handed out to be saved, whatever its name says it is.
_SHOWN = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
)
OTHER = "application/octet-stream"
KINDS = (OTHER, *(kind for _, kind in _SHOWN))


class OriginalShape(BaseModel):
    """The file that a document came from: its name, its kind as it is sent, its size in bytes."""

    name: str
    media_type: str
    size: int


async def described(found: Original) -> OriginalShape:
    """Return what is known of an open file, which stays at its first byte."""
    start = await asyncio.to_thread(found.file.read, _LONGEST_MARK)
    found.file.seek(0)
    kind = next((kind for mark, kind in _SHOWN if start.startswith(mark)), OTHER)
    return OriginalShape(name=found.name, media_type=kind, size=found.size)


def headers_of(shape: OriginalShape) -> dict[str, str]:
    """Return the headers under which a file is sent."""
    way = "attachment" if shape.media_type == OTHER else "inline"
    name = quote(shape.name.encode("utf-8", "replace"), safe="")
    return {
        "Content-Type": shape.media_type,
        "Content-Length": str(shape.size),
        "Content-Disposition": f"{way}; filename*=UTF-8''{name}",
    }
