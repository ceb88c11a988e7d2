"""Identifiers: names for strings, and the one way to make them from content."""

from __future__ import annotations

import hashlib
import re
from typing import NewType

DocumentId = NewType("DocumentId", str)
ChunkId = NewType("ChunkId", str)
ClaimId = NewType("ClaimId", str)
RunId = NewType("RunId", str)

_KNOWLEDGE_BASE_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9]*$")


def digest(*parts: str | bytes) -> str:
    """Return 32 hexadecimal digits of a BLAKE2b hash; each part is framed by its length."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def number(text: str) -> int:
    """Return a 63-bit number made from a text's BLAKE2b hash."""
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw, "little") & 0x7FFF_FFFF_FFFF_FFFF


def is_knowledge_base_name(name: str) -> bool:
    """Tell whether a name may name a knowledge base: a letter, then letters and digits."""
    return bool(_KNOWLEDGE_BASE_NAME.fullmatch(name))
