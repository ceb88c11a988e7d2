"""The port `Passwords` by argon2-cffi, with the parameters of RFC 9106 for little memory."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING

from weft.domain.errors import BadInput

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST = 10
_LONGEST = 1000
# So that a crowd signing in takes neither all processors nor all memory.
_AT_ONCE = 2


class ArgonPasswords:
    """Argon2id: 64 MiB, three passes."""

    def __init__(self) -> None:
        """Load nothing yet: most calls have to do with no password."""
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def hashed(self, password: str) -> str:
        """Return what is kept of a password; raises `BadInput` for one that is too short."""
        if not SHORTEST <= len(password) <= _LONGEST:
            raise BadInput(f"A password has {SHORTEST} to {_LONGEST} characters.")
        async with self._turns:
            return await asyncio.to_thread(lambda: _hasher().hash(password))

    async def matches(self, kept: str, password: str) -> bool:
        """Tell whether a password is the kept one."""
        async with self._turns:
            found = await asyncio.to_thread(self._verified, kept or _nobody(), password)
        return found and bool(kept)

    def _verified(self, kept: str, password: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        try:
            return _hasher().verify(kept, password[: _LONGEST + 1])
        except (VerificationError, InvalidHashError):
            return False


@lru_cache(maxsize=1)
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=3, memory_cost=65536, parallelism=1)


@lru_cache(maxsize=1)
def _nobody() -> str:
    """Return a hash for those who have none: whoever guesses names learns nothing by the time."""
    return _hasher().hash("nobody has this")
