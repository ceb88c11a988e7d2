"""How fast work goes and how long it will still take: smoothed, so that it settles."""

from __future__ import annotations

from collections.abc import Mapping

_HALF_LIFE_SECONDS = 20.0
# Before that, what was done says nothing of what is to come.
_LEAST_SECONDS = 1.0


class Rate:
    """An amount for each second, in which the latest half minute counts most; times in seconds."""

    def __init__(self, now: float) -> None:
        """Begin with nothing."""
        self._amount = 0.0
        self._seconds = 0.0
        self._at = now

    def add(self, amount: float, now: float) -> None:
        """Take in what was done since the last call."""
        passed = max(now - self._at, 0.0)
        fade = 0.5 ** (passed / _HALF_LIFE_SECONDS)
        self._amount = self._amount * fade + amount
        self._seconds = self._seconds * fade + passed
        self._at = now

    @property
    def per_second(self) -> float:
        """Return the amount for each second, 0 while too little time has passed."""
        return self._amount / self._seconds if self._seconds >= _LEAST_SECONDS else 0.0


class Pace:
    """How far several pieces of work are together, each of a size of its own."""

    def __init__(self, sizes: Mapping[str, float], now: float) -> None:
        """Take the size of every piece, in any unit."""
        self._sizes = dict(sizes)
        self._shares = dict.fromkeys(sizes, 0.0)
        self._left = float(sum(sizes.values()))
        self._rate = Rate(now)

    def reach(self, piece: str, share: float, *, now: float) -> None:
        """Say that so much of a piece, from 0 to 1, is done."""
        if piece not in self._sizes:
            return
        more = max(min(share, 1.0) - self._shares[piece], 0.0)
        self._shares[piece] += more
        done = more * self._sizes[piece]
        self._left = max(self._left - done, 0.0)
        self._rate.add(done, now)

    @property
    def seconds_left(self) -> float | None:
        """Return about how many seconds are left; None while that cannot be known."""
        if all(share >= 1.0 for share in self._shares.values()):
            return 0.0
        rate = self._rate.per_second
        return self._left / rate if rate > 0 else None
