"""Does a text bear out a sentence? Asked of a model, where there is one."""

from __future__ import annotations

from typing import Protocol


class Judge(Protocol):
    """Judges whether one text entails another.

    It has a say in wording alone: that numbers, dates, names, negations and roles agree is made
    sure of before it is asked, since a judge may err and may be talked to by what it reads.
    """

    async def entails(self, premise: str, sentence: str) -> float:
        """Return the probability, 0 to 1, that whoever believes `premise` believes `sentence`."""
        ...
