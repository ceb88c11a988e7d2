"""Patterns for paths, as a .gitignore has them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.language.patterns import pattern

# What is more than itself in a name: wildcards, a set of letters, a sign that is meant as such.
_SIGNS = pattern(r"(\*|\?|\[[!^]?[^\]/!^][^\]/]*\]|\\.)")
_MOST_SPANS = 3
_PARTS = pattern(r"(\*\*/|\*\*|/)")


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

        `*`, `?` and `[a-z]` stay within a name, `**` spans folders, `\\` takes the next sign as
        itself; with a `/` before its end a pattern counts from the root; `/` at its end means
        folders; `!` takes back what an earlier one left out.
        """
        meaning = (line.rstrip() for line in lines)
        self._patterns = [_read(line) for line in meaning if line and not line.startswith("#")]
        # Most paths are spoken of by no line: they are tried against all of them at once.
        shapes = (f"(?:{line.shape.pattern})" for line in self._patterns)
        self._any = re.compile("|".join(shapes), re.DOTALL) if self._patterns else None

    def match(self, relative: str, *, folder: bool) -> str | None:
        """Return the pattern that leaves a path out, as it was written.

        Empty if the path was taken back, None if no pattern speaks of it.
        """
        if self._any is None or not self._any.fullmatch(relative):
            return None
        for line in reversed(self._patterns):
            if (folder or not line.folders_only) and line.shape.fullmatch(relative):
                return "" if line.takes_back else line.written
        return None


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of folders within folders, outermost first: the innermost that speaks decides.

    Of each: the folder's own path from the root, ending in `/`, and its patterns.
    """

    levels: tuple[tuple[str, Patterns], ...]

    def within(self, folder: str, patterns: Patterns) -> IgnoreRules:
        """Return these rules and those of one more folder."""
        return IgnoreRules((*self.levels, (folder, patterns)))

    def match(self, relative: str, *, folder: bool) -> str:
        """Return the pattern that leaves a path out, as it was written; empty if none does."""
        for prefix, patterns in reversed(self.levels):
            said = patterns.match(relative.removeprefix(prefix), folder=folder)
            if said is not None:
                return said
        return ""


def glob(written: str) -> re.Pattern[str]:
    """Return what a pattern means: a whole path if it has a `/`, else a name at any depth.

    Raises `BadInput` for one that spans folders so often that a path could be tried for ever, and
    for a set of letters that runs backwards.
    """
    body = re.sub(r"(?:\*\*/)+", "**/", re.sub(r"\*{3,}", "**", written.removeprefix("/")))
    if body.count("**") > _MOST_SPANS:
        raise BadInput(f"the pattern '{written[:80]}' has ** more than {_MOST_SPANS} times.")
    anywhere = "" if "/" in written else r"(?:.*/)?"
    try:
        return re.compile(anywhere + "".join(map(_part, _PARTS.split(body))), re.DOTALL)
    except re.error as wrong:
        raise BadInput(f"the pattern '{written[:80]}' cannot be read: {wrong.msg}.") from wrong


def _read(line: str) -> _Pattern:
    body = line.removeprefix("!")
    return _Pattern(
        written=line,
        shape=glob(body.rstrip("/")),
        folders_only=body.endswith("/"),
        takes_back=line.startswith("!"),
    )


def _part(part: str) -> str:
    meanings = {"**/": r"(?:.*/)?", "**": r".*", "/": "/"}
    return meanings.get(part) or _name(part)


def _name(part: str) -> str:
    """Return the meaning of a part without `/`.

    What stands between two `*` is taken where it comes first: a later place could not help, and
    trying each would take for ever.
    """
    fixed = [""]
    for sign in _SIGNS.split(part):
        if sign == "*":
            fixed.append("")
        else:
            fixed[-1] += _meaning(sign)
    first, *inner = fixed
    if not inner:
        return first
    return first + "".join(f"(?>[^/]*?{each})" for each in inner[:-1]) + "[^/]*" + inner[-1]


def _meaning(sign: str) -> str:
    """Return the meaning of one sign or of plain text: a wildcard, a set, or itself."""
    if sign == "?":
        return "[^/]"
    if not _SIGNS.fullmatch(sign):
        return re.escape(sign)
    if not sign.startswith("["):
        return re.escape(sign[1:])
    signs = sign[1:-1].replace("\\", "\\\\").replace("[", "\\[")
    negated = signs[0] in "!^"
    return f"(?!/)[{'^' if negated else ''}{signs[negated:]}]"
