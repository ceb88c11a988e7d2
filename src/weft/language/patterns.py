"""Patterns that are compiled when they are first used.

A question needs few of the patterns that the rules have, and compiling one takes as long as
reading a page with it.
"""

from __future__ import annotations

import re
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


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return the pattern as `re.compile` does, but compiled at its first use."""
    return cast("re.Pattern[str]", LatePattern(text, flags))
