"""Patterns for paths, as a .gitignore has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    written: str
    shape: re.Pattern[str]
    folders_only: bool
    takes_back: bool


class Patterns:
    """An ordered list of patterns: the last one that matches a path decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Take one pattern a line; blank lines and those that begin with `#` say nothing.

        `*` and `?` stay within a name, `**` spans folders; with a `/` before its end a pattern
        counts from the root; `/` at its end means folders; `!` takes back what an earlier one left
        out.
        """
        meaning = (line.strip() for line in lines)
        self._patterns = [_read(line) for line in meaning if line and not line.startswith("#")]

    def match(self, relative: str, *, folder: bool) -> str:
        """Return the pattern that leaves a path out, as it was written; empty if none does."""
        for pattern in reversed(self._patterns):
            if (folder or not pattern.folders_only) and pattern.shape.fullmatch(relative):
                return "" if pattern.takes_back else pattern.written
        return ""


def glob(pattern: str) -> re.Pattern[str]:
    """Return what a pattern means: a whole path if it has a `/`, else a name at any depth."""
    body = pattern.removeprefix("/")
    anywhere = "" if "/" in pattern else r"(?:.*/)?"
    return re.compile(
        anywhere + "".join(map(_part, re.split(r"(\*\*/|\*\*|\*|\?)", body))), re.DOTALL
    )


def _read(line: str) -> _Pattern:
    body = line.removeprefix("!")
    return _Pattern(
        written=line,
        shape=glob(body.rstrip("/")),
        folders_only=body.endswith("/"),
        takes_back=line.startswith("!"),
    )


def _part(part: str) -> str:
    meanings = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    return meanings.get(part) or re.escape(part)
