"""Strings and their numbers: first those that were kept, then those that came since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from weft.index.strings.texts import FoundTexts, nothing_found


class Numbered:
    """A number once given keeps its string.

    Kept strings are looked up where they lie; only when more are taken in does memory hold all.
    """

    def __init__(self, kept: FoundTexts | None = None) -> None:
        """Begin with the strings that were kept, numbered as they lie."""
        self._kept = kept or nothing_found()
        self._numbers: dict[str, int] | None = None if len(self._kept.texts) else {}
        self._texts: list[str] = []

    def __len__(self) -> int:
        """Return how many strings there are."""
        return len(self._kept.texts) if self._numbers is None else len(self._texts)

    def number(self, text: str) -> int:
        """Return the number of a string, -1 where it has none."""
        numbers = self._numbers
        return self._kept.find(text) if numbers is None else numbers.get(text, -1)

    def text(self, number: int) -> str:
        """Return the string of a number."""
        return (self._kept.texts if self._numbers is None else self._texts)[number]

    def all(self) -> Sequence[str]:
        """Return the strings in order of their numbers."""
        return list(self._kept.texts) if self._numbers is None else self._texts

    def take(self, texts: Iterable[str]) -> tuple[list[int], list[str]]:
        """Return the numbers of some strings, and those of them that are new, in order."""
        known = self._all()
        before = len(known)
        found = [known.setdefault(text, len(known)) for text in texts]
        new = list(islice(reversed(known), len(known) - before))[::-1]
        self._texts.extend(new)
        return found, new

    def _all(self) -> dict[str, int]:
        if self._numbers is None:
            self._texts = list(self._kept.texts)
            self._numbers = {text: at for at, text in enumerate(self._texts)}
        return self._numbers
