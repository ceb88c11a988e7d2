"""Files whose pages are pictures: read by text recognition where nothing else gives their text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from weft.domain.ledger import FileStatus
from weft.domain.record import Block, BlockKind, Record
from weft.ports.files.ocr import Ocr, PictureText
from weft.ports.reader import FileReading, Reader

_BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_LONGEST_BEGINNING = max(map(len, _BEGINNINGS))
_APART = re.compile(r"\n[ \t]*\n\s*")
_SHORTEST_TITLE, _LONGEST_TITLE = 3, 100
_SENTENCE_ENDS = (".", "!", "?", ",", ";", ":")


class PictureReader:
    """A `Reader` that hands to text recognition what another one finds no text in.

    Files within files are left as they are: nothing that runs a program unpacks them.
    """

    def __init__(self, reader: Reader, ocr: Ocr) -> None:
        """Read by `reader` first."""
        self._reader = reader
        self._ocr = ocr

    @property
    def version(self) -> str:
        """Return the version of the other reader: what reads pictures has its own."""
        return self._reader.version

    async def read(
        self,
        path: Path,
        inside: Sequence[str] = (),
        *,
        columns: Mapping[str, str] | None = None,
    ) -> FileReading:
        """Return the records of a file; of pictures one, its pages in order."""
        reading = await self._reader.read(path, inside, columns=columns)
        if inside:
            return reading
        is_picture = reading.status is FileStatus.UNSUPPORTED and await _is_picture(path)
        if not (is_picture or reading.pages):
            return reading
        if self._ocr.missing:
            return replace(reading, reason=f"{reading.reason}; {self._ocr.missing}")
        try:
            found = await self._ocr.read(path, pages=reading.pages)
        except OSError as gone:
            reason = f"cannot be opened: {gone.strerror}"
            return FileReading(status=FileStatus.UNREADABLE, reason=reason)
        return _reading(found, path.name, by=f"ocr: {self._ocr.name}")

    async def close(self) -> None:
        """End the processes of the other reader."""
        await self._reader.close()


def _reading(found: PictureText, name: str, *, by: str) -> FileReading:
    record = _record(found.pages, name)
    if record.content:
        return FileReading(
            status=FileStatus.READ, reason=by, records=(record,), skipped=found.skipped
        )
    failed = f"; {found.skipped[0]}" if found.skipped else ""
    count = f"{len(found.pages)} pages" if len(found.pages) > 1 else "the picture"
    reason = f"nothing is written on {count} that can be read ({by}{failed})"
    return FileReading(status=FileStatus.NO_TEXT, reason=reason)


def _record(pages: Sequence[str], name: str) -> Record:
    """Return the pages as one record, a paragraph a block; a short first line is the title."""
    parts, blocks, length = list[str](), list[Block](), 0
    title = ""
    for number, page in enumerate(pages, 1):
        for paragraph in filter(None, (each.strip() for each in _APART.split(page))):
            if blocks:
                parts.append("\n\n")
                length += 2
            elif _is_title(paragraph):
                title = paragraph
            kind = BlockKind.HEADING if title and not blocks else BlockKind.PARAGRAPH
            level = int(kind is BlockKind.HEADING)
            end = length + len(paragraph)
            blocks.append(Block(start=length, end=end, kind=kind, level=level, page=number))
            parts.append(paragraph)
            length = end
    return Record(
        content="".join(parts),
        title=title or name,
        blocks=tuple(blocks),
        metadata={"reader": "ocr", "pages": len(pages)},
    )


def _is_title(paragraph: str) -> bool:
    fits = _SHORTEST_TITLE <= len(paragraph) <= _LONGEST_TITLE and "\n" not in paragraph
    return fits and any(map(str.isalpha, paragraph)) and not paragraph.endswith(_SENTENCE_ENDS)


async def _is_picture(path: Path) -> bool:
    try:
        start = await asyncio.to_thread(_start, path)
    except OSError:
        return False
    return start.startswith(_BEGINNINGS)


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_LONGEST_BEGINNING)
