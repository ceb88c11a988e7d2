"""Patterns that are compiled when they are first used.

A question needs few of the patterns that the rules have, and compiling one takes as long as
reading a page with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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


Replacement = str | Callable[[re.Match[str]], str]


class LateNeedingPattern:
    """Stands for a pattern that is not compiled for a text in which it cannot find anything."""

    def __init__(self, text: str, flags: int, *, may_find: Callable[[str], bool]) -> None:
        """Take what `re.compile` takes, and what tells whether a text may have a match."""
        self.pattern = text
        self.flags = flags
        self._may_find = may_find

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)

    def search(self, text: str) -> re.Match[str] | None:
        """Do as the compiled pattern does."""
        return self._compiled.search(text) if self._may_find(text) else None

    def match(self, text: str) -> re.Match[str] | None:
        """Do as the compiled pattern does."""
        return self._compiled.match(text) if self._may_find(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Do as the compiled pattern does."""
        return self._compiled.finditer(text) if self._may_find(text) else iter(())

    def sub(self, new: Replacement, text: str) -> str:
        """Do as the compiled pattern does."""
        return self._compiled.sub(new, text) if self._may_find(text) else text


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern as `re.compile` does, but compiled at its first use."""
    return cast("re.Pattern[str]", LatePattern(text, flags))


def korean_pattern(text: str) -> LateNeedingPattern:
    """Return a pattern all of whose matches have or stand beside a Korean sign."""
    return LateNeedingPattern(text, 0, may_find=lambda read: not read.isascii())


def figure_pattern(text: str, flags: int = 0) -> LateNeedingPattern:
    """Return a pattern all of whose matches have a digit."""
    return LateNeedingPattern(text, flags, may_find=lambda read: any(map(str.isdigit, read)))


def needing_pattern(text: str, *needed: str, flags: int = 0) -> LateNeedingPattern:
    """Return a pattern all of whose matches have one of some strings, in whatever case."""

    def may_find(read: str) -> bool:
        folded = read.casefold()
        return any(one in folded for one in needed)

    return LateNeedingPattern(text, flags, may_find=may_find)
