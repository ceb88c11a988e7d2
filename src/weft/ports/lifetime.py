"""The hold on an opened knowledge base."""

from __future__ import annotations

from typing import Protocol


class Lifetime(Protocol):
    """Keeps what was opened until it is let go."""

    async def save(self) -> None:
        """Keep the arrays for the next start, so that they need not be built again."""
        ...

    async def close(self) -> None:
        """Let go of the knowledge base; what was acknowledged is stored."""
        ...
