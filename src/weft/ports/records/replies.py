"""Replies to requests that make something, kept so that the same request makes it once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """What was answered to a request: `request_hash` tells it from another of the same key."""

    request_hash: str
    status: int
    body: Mapping[str, object]


class Replies(Protocol):
    """Keeps the caller's own replies by the keys that the caller gave, for a day."""

    async def find(self, scope: Scope, key: str) -> StoredReply | None:
        """Return the reply of that key; None when nothing was asked under it yet."""
        ...

    async def keep(self, scope: Scope, key: str, reply: StoredReply) -> None:
        """Keep a reply; one that is there already stays as it is."""
        ...
