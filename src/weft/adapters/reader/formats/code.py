"""Source code: one record a file, a block a definition, told by how its lines begin and end."""

from __future__ import annotations

import re
from itertools import pairwise

from weft.adapters.reader.decoding import decode
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.ledger import FileStatus
from weft.domain.record import Block, BlockKind, Record

_PYTHON = re.compile(r"^(?:@|(?:async[ \t]+)?def[ \t]|class[ \t]|if[ \t]+__name__\b)", re.MULTILINE)
_RUBY = re.compile(r"^(?: {2}|\t)?(?:def|class|module)[ \t]", re.MULTILINE)
_SQL = re.compile(r"^(?:create|alter|insert|select|with|drop|grant|update|delete)\b", re.M | re.I)
# In languages of braces a definition begins at the margin, or one step in where it takes arguments,
# and its first line opens a brace or leaves its arguments open. Longer lines no person wrote.
_BRACES = re.compile(
    r"""^(?:
        (?=[A-Za-z_@]) (?!(?:else|catch|finally|case|default)\b)
        [^\n;]{0,200} (?:\{[^\n]{0,200}|\(|,|\)) [ \t]*$
      | (?:[ ]{2}|[ ]{4}|\t) (?=[A-Za-z_@~])
        (?!(?:if|for|while|switch|else|catch|do|return|try|match|with)\b)
        [^\n;=(]{0,200} \([^\n;]{0,200}\{[ \t]*$
    )""",
    re.MULTILINE | re.VERBOSE,
)
_BY_SUFFIX = {"py": _PYTHON, "pyi": _PYTHON, "rb": _RUBY, "sql": _SQL}
# What a line directly above a definition begins with if it belongs to it.
_ABOVE = ("@", "#", ")", "//", "/*", "*", "--")


def read_code(source: RawFile) -> ParsedFile:
    """Return a file of code as one record, a block for each of its definitions."""
    text = decode(source)
    if not text.strip():
        raise Unread(FileStatus.NO_TEXT, "the file holds only white space")
    found = definitions(text, _BY_SUFFIX.get(source.suffix, _BRACES))
    return ParsedFile(records=[Record(content=text, title=source.name, blocks=found)])


def definitions(text: str, opening: re.Pattern[str] = _PYTHON) -> tuple[Block, ...]:
    """Return code blocks that begin where a definition, its decorators or comments do."""
    starts = [0]
    for found in opening.finditer(text):
        start = _with_lines_above(text, found.start(), lowest=starts[-1])
        if text[starts[-1] : start].strip():
            starts.append(start)
    return tuple(
        Block(start=start, end=end, kind=BlockKind.CODE)
        for start, end in _stripped(text, [*starts, len(text)])
    )


def _with_lines_above(text: str, start: int, *, lowest: int) -> int:
    """Return where the decorators and comments directly above a definition begin."""
    while start > lowest:
        above = text.rfind("\n", 0, start - 1) + 1
        if above < lowest or not text[above:start].lstrip(" \t").startswith(_ABOVE):
            break
        start = above
    return start


def _stripped(text: str, bounds: list[int]) -> list[tuple[int, int]]:
    spans = []
    for start, end in pairwise(bounds):
        words = text[start:end]
        if words.strip():
            start += len(words) - len(words.lstrip())
            spans.append((start, start + len(words.strip())))
    return spans
