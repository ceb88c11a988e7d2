"""A model that fails again and again is left alone for a while, so that nobody waits for it."""

from __future__ import annotations

from weft.ports.clock import Clock

MOST_FAILURES = 3
PAUSE_S = 30.0


class Breaker:
    """Counts failures in a row of a model, whoever asks; open after three of them, for 30 s.

    Then one call is let through: when it ends well all are, else the pause begins anew.
    """

    __slots__ = ("_clock", "_failures", "_is_tried", "_until")

    def __init__(self, clock: Clock) -> None:
        """Take the clock that pauses are told by."""
        self._clock = clock
        self._failures = 0
        self._until: float | None = None
        self._is_tried = False

    @property
    def failures(self) -> int:
        """Return how many calls have failed in a row."""
        return self._failures

    def admits(self) -> bool:
        """Tell whether a call may be made; one that may is to be told of when it has ended."""
        if self._until is None:
            return True
        if self._is_tried or self._clock.elapsed() < self._until:
            return False
        self._is_tried = True
        return True

    def replied(self) -> None:
        """Take down that a call was replied to."""
        self._failures, self._until, self._is_tried = 0, None, False

    def failed(self) -> None:
        """Take down that a call failed, its repetitions included."""
        self._failures += 1
        self._is_tried = False
        if self._failures >= MOST_FAILURES:
            self._until = self._clock.elapsed() + PAUSE_S

    def left(self) -> None:
        """Take down that a call ended in a way that tells nothing of the model."""
        self._is_tried = False
