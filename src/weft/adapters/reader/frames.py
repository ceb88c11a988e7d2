"""Messages on a pipe: four bytes of length, most significant first, then JSON in UTF-8."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import BinaryIO

LENGTH = struct.Struct(">I")


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
