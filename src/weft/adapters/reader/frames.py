"""Messages on a pipe: four bytes of length, most significant first, then JSON in UTF-8."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest:
    """A file that a parser is asked for: its path, the way to a member of it, where to begin.

    `columns` are the columns of its tables that mean another one, by their names.
    """

    path: Path
    first_page: int = 0
    inside: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    def packed(self) -> bytes:
        """Return the request as it goes over the pipe."""
        said = {"path": os.path.abspath(self.path), "first_page": self.first_page}
        return packed_exactly({**said, "inside": self.inside, "columns": dict(self.columns)})

    @classmethod
    def of(cls, message: Mapping[str, object]) -> FileRequest:
        """Return the request that a message is."""
        inside, columns = message.get("inside"), message.get("columns")
        return cls(
            path=Path(str(message["path"])),
            first_page=int(str(message["first_page"])),
            inside=tuple(map(str, inside)) if isinstance(inside, list) else (),
            columns=columns if isinstance(columns, dict) else {},
        )


def packed(message: Mapping[str, object]) -> bytes:
    """Return a message as it goes over the pipe; what UTF-8 cannot hold becomes `?`, in place."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return LENGTH.pack(len(body)) + body


def packed_exactly(message: Mapping[str, object]) -> bytes:
    """Return a message whose texts arrive unchanged, file names that are not UTF-8 included."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return LENGTH.pack(len(body)) + body


def received(pipe: BinaryIO) -> dict[str, object] | None:
    """Return the next message, or None when the other side has closed the pipe."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    body = pipe.read(LENGTH.unpack(head)[0])
    loaded = json.loads(body)
    return loaded if isinstance(loaded, dict) else None
