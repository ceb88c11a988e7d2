"""How long a model may take for a chunk: by its size and by how the model has been of late."""

from __future__ import annotations

_WEIGHT = 0.3
_TIMES_USUAL = 4.0
_SMALLEST_CHUNK = 200


class AdaptiveTimeout:
    """Knows the usual time of a model per 1,000 characters, from what it has seen.

    `least`, `first` and `most` are seconds: never less, before anything is known, never more.
    """

    def __init__(self, *, least: float = 5.0, first: float = 60.0, most: float = 300.0) -> None:
        self._least = least
        self._first = first
        self._most = most
        self._usual: float | None = None

    def seconds(self, characters: int) -> float:
        """Return how long to wait for a chunk of so many characters."""
        if self._usual is None:
            return min(self._first, self._most)
        wanted = _TIMES_USUAL * self._usual * max(characters, _SMALLEST_CHUNK) / 1000
        return min(max(wanted, self._least), self._most)

    def learn(self, characters: int, seconds: float) -> None:
        """Take in how long a chunk took, or how long it was waited for in vain."""
        seen = seconds * 1000 / max(characters, _SMALLEST_CHUNK)
        self._usual = seen if self._usual is None else self._usual + _WEIGHT * (seen - self._usual)
