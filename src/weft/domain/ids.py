"""Identifiers: names for strings, and the one way to make them from content."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import NewType

DocumentId = NewType("DocumentId", str)
ChunkId = NewType("ChunkId", str)
ClaimId = NewType("ClaimId", str)
RunId = NewType("RunId", str)

_BYTES_HASH = re.compile(r"[0-9a-f]{64}")
_KNOWLEDGE_BASE_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9]*$")


def digest(*parts: str | bytes) -> str:
    """Return 32 hexadecimal digits of a BLAKE2b hash; each part is framed by its length."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def bytes_hash(blocks: Iterable[bytes]) -> str:
    """Return 64 hexadecimal digits of the BLAKE2b hash of bytes, however they are cut."""
    state = hashlib.blake2b(digest_size=32)
    for block in blocks:
        state.update(block)
    return state.hexdigest()


def is_bytes_hash(name: str) -> bool:
    """Tell whether a text has the form of a `bytes_hash`."""
    return bool(_BYTES_HASH.fullmatch(name))


def number(text: str) -> int:
    """Return a 63-bit number made from a text's BLAKE2b hash."""
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw, "little") & 0x7FFF_FFFF_FFFF_FFFF


def is_knowledge_base_name(name: str) -> bool:
    """Tell whether a name may name a knowledge base: a letter, then letters and digits."""
    return bool(_KNOWLEDGE_BASE_NAME.fullmatch(name))
