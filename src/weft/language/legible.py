"""Text that somebody typed, in a shape that rules can read in a time that grows with its length."""

from __future__ import annotations

from weft.language.patterns import pattern

# Longer than any word, name or path that a question is asked with.
LONGEST_TOKEN = 256
_LONG = pattern(rf"\S{{{LONGEST_TOKEN}}}(?=\S)")
_BLANKS = pattern(r"(\s{8})\s+")
_SIGNS = pattern(r"(([^\w\s])\2{15})\2+")


def legible(text: str) -> str:
    """Return a text without endless tokens, gaps or rows of one sign; most stay as they are.

    A token is cut after every 256 characters, a gap keeps 8 and a row of one sign 16 of its own.
    """
    return _LONG.sub(r"\g<0> ", _SIGNS.sub(r"\1", _BLANKS.sub(r"\1", text)))


def pieces(token: str) -> list[str]:
    """Return a token whole, or in pieces of 256 characters where it has more."""
    if len(token) <= LONGEST_TOKEN:
        return [token]
    return [token[at : at + LONGEST_TOKEN] for at in range(0, len(token), LONGEST_TOKEN)]
