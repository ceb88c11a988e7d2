"""Messages on a pipe: four bytes of length, most significant first, then JSON in UTF-8."""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from weft.domain.frozen import dataclass

LENGTH = struct.Struct(">I")
_BLOCK = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRequest:
    """A file that a parser is asked for: its path, the way to a member of it, where to begin.

    `columns` are the columns of its tables that mean another one, by their names. The path is for
    whoever opens the file: the parser learns the name alone.
    """

    path: Path
    first_page: int = 0
    inside: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    def message(self, status: os.stat_result) -> dict[str, object]:
        """Return what a parser is told of the open file."""
        return {
            "name": self.path.name,
            "stamp": [status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size],
            "first_page": self.first_page,
            "inside": self.inside,
            "columns": dict(self.columns),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFile:
    """An open file as a parser is handed it; `stamp` tells one state of a file from another."""

    handle: int
    name: str
    stamp: tuple[int, ...] = ()
    first_page: int = 0
    inside: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, message: Mapping[str, object], handle: int) -> OpenFile:
        """Return the file that a message is about."""
        stamp, inside, columns = (message.get(key) for key in ("stamp", "inside", "columns"))
        return cls(
            handle=handle,
            name=str(message["name"]),
            stamp=tuple(map(int, stamp)) if isinstance(stamp, list) else (),
            first_page=int(str(message["first_page"])),
            inside=tuple(map(str, inside)) if isinstance(inside, list) else (),
            columns=columns if isinstance(columns, dict) else {},
        )

    def read(self, most_bytes: int) -> bytes:
        """Return its bytes from the first, one more than are allowed if there are more."""
        os.lseek(self.handle, 0, os.SEEK_SET)
        parts, left = list[bytes](), most_bytes + 1
        while left > 0 and (part := os.read(self.handle, min(left, _BLOCK))):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)


def packed(message: Mapping[str, object]) -> bytes:
    """Return a message as it goes over the pipe; what UTF-8 cannot hold becomes `?`, in place."""
    body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return LENGTH.pack(len(body)) + body


def sent(pipe: socket.socket, message: Mapping[str, object], *, handle: int) -> None:
    """Send a short message together with an open file; its texts arrive unchanged."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    socket.send_fds(pipe, [LENGTH.pack(len(body)) + body], [handle])


def received(pipe: socket.socket) -> tuple[dict[str, object], int] | None:
    """Return the next message and the file that came with it, None when the pipe was closed."""
    head, handles, _, _ = socket.recv_fds(pipe, LENGTH.size, 1)
    if len(head) < LENGTH.size or not handles:
        return None
    (left,) = LENGTH.unpack(head)
    parts = list[bytes]()
    while left and (part := os.read(pipe.fileno(), left)):
        parts.append(part)
        left -= len(part)
    loaded = json.loads(b"".join(parts))
    return (loaded, handles[0]) if isinstance(loaded, dict) else None
