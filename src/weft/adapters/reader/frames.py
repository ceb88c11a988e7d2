"""Messages on a pipe: four bytes of length, most significant first, then JSON in UTF-8."""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Mapping

LENGTH = struct.Struct(">I")


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
