"""The keys of an issuer over time: read when needed, not too often, and not kept for ever."""

from __future__ import annotations

import asyncio
from typing import Protocol

from weft.adapters.jose.compact import TokenHeader
from weft.adapters.jose.refusals import TokenFault, refused
from weft.adapters.jose.signing_keys import SigningKey, fitting, read_keys
from weft.domain.errors import WeftError
from weft.ports.clock import Clock

# Seconds. A key that its issuer took back is good here for as long as FRESH; while the issuer is
# away, for as long as KEPT. Who sends tokens of unknown keys causes one reading in SELDOM.
FRESH = 600.0
KEPT = 3600.0
SELDOM = 60.0
# While there is no key at all, nobody is let in.
_SOON = 5.0


class KeySource(Protocol):
    """Where an issuer publishes its keys."""

    async def read(self) -> bytes:
        """Return the set of keys (JWKS) as of now, or raise a `WeftError`."""
        ...


class KeyRing:
    """Finds the keys that may have signed a token."""

    def __init__(self, source: KeySource, clock: Clock) -> None:
        """Read nothing yet."""
        self._source = source
        self._clock = clock
        self._keys: tuple[SigningKey, ...] = ()
        self._read_at = 0.0
        self._tried_at: float | None = None
        self._reading: asyncio.Task[None] | None = None

    async def find(self, header: TokenHeader) -> list[SigningKey]:
        """Return the keys that fit a token.

        Raises `Unauthenticated` where there are none for it, or none at all.
        """
        found = fitting(self._keys, header)
        if self._is_due(bool(found)):
            reading = self._begin()
            if not found or self._age() > KEPT:
                # Whoever stops waiting must not end the reading for the others.
                await asyncio.shield(reading)
                found = fitting(self._keys, header)
        if not self._keys or self._age() > KEPT:
            raise refused(TokenFault.KEYS_AWAY)
        if not found:
            raise refused(TokenFault.KEY)
        return found

    def _age(self) -> float:
        return self._clock.elapsed() - self._read_at

    def _is_due(self, is_found: bool) -> bool:
        """Tell whether the keys are to be read, or a reading that is under way waited for."""
        if is_found and self._age() <= FRESH:
            return False
        if self._reading is not None and not self._reading.done():
            return True
        pause = SELDOM if self._keys and self._age() <= KEPT else _SOON
        return self._tried_at is None or self._clock.elapsed() - self._tried_at >= pause

    def _begin(self) -> asyncio.Task[None]:
        """Return the reading that is under way, or a new one: never two at once."""
        if self._reading is None or self._reading.done():
            self._tried_at = self._clock.elapsed()
            self._reading = asyncio.create_task(self._read())
        return self._reading

    async def _read(self) -> None:
        try:
            keys = await asyncio.to_thread(read_keys, await self._source.read())
        except WeftError:
            # The keys that there are hold until they are too old.
            return
        self._keys, self._read_at = keys, self._clock.elapsed()
