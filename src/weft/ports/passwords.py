"""Passwords: kept as hashes that are dear to try."""

from __future__ import annotations

from typing import Protocol


class Passwords(Protocol):
    """Makes and checks hashes; both take some 50 ms of a processor, off the event loop."""

    async def hashed(self, password: str) -> str:
        """Return what is kept of a password; raises `BadInput` for one that is too short."""
        ...

    async def matches(self, kept: str, password: str) -> bool:
        """Tell whether a password is the kept one; nothing kept costs as much and is a "no"."""
        ...
