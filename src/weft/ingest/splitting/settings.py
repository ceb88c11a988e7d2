"""How large chunks are, and the version of how they are cut."""

from __future__ import annotations

from weft.domain.frozen import dataclass

VERSION = "2"


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSettings:
    """How large chunks are, title and special tokens included, and how much two pieces share."""

    chunk_tokens: int = 256
    overlap: int = 32
