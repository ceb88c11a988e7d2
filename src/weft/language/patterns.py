"""Patterns that are compiled when they are first used.

A question needs few of the patterns that the rules have, and compiling one takes as long as
reading a page with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import cast


class LatePattern:
    """Stands for a pattern: each of its methods is the compiled one's from the first use on."""

    def __init__(self, text: str, flags: int) -> None:
        """Take what `re.compile` takes."""
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        """Compile, and keep what was asked for, so that it is asked for once."""
        if name.startswith("_"):  # what Python itself looks for; no pattern has any of it
            raise AttributeError(name)
        found: object = getattr(re.compile(self._text, self._flags), name)
        self.__dict__[name] = found
        return found


class LateKoreanPattern:
    """Stands for a pattern that finds nothing in ASCII, and is not compiled for a text of it."""

    def __init__(self, text: str) -> None:
        """Take what `re.compile` takes, but for flags."""
        self.pattern = text

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def search(self, text: str) -> re.Match[str] | None:
        """Do as the compiled pattern does."""
        return None if text.isascii() else self._compiled.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """Do as the compiled pattern does."""
        return None if text.isascii() else self._compiled.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Do as the compiled pattern does."""
        return iter(()) if text.isascii() else self._compiled.finditer(text)

    def sub(self, new: str, text: str) -> str:
        """Do as the compiled pattern does."""
        return text if text.isascii() else self._compiled.sub(new, text)


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern as `re.compile` does, but compiled at its first use."""
    return cast("re.Pattern[str]", LatePattern(text, flags))


def korean_pattern(text: str) -> LateKoreanPattern:
    """Return a pattern all of whose matches have or stand beside a Korean sign."""
    return LateKoreanPattern(text)
