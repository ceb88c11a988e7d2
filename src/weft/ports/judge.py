"""Does a text bear out a sentence? Asked of a model, where there is one."""

from __future__ import annotations

from typing import Protocol


class Judge(Protocol):
    """Judges whether one text entails another."""

    async def entails(self, premise: str, sentence: str) -> float:
        """Return the probability, 0 to 1, that whoever believes `premise` believes `sentence`."""
        ...
