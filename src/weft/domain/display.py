"""Stored text as it is shown: on one line and without marks; what is cited stays as it is."""

from __future__ import annotations

import re

# What would steer a terminal, or turn the order of what stands beside it.
_STEERING = re.compile("[\x00-\x08\x0b-\x1b\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_UNFIT = re.compile(f"{_STEERING.pattern}|[\ud800-\udfff]")
_FIELD = re.compile(r"[^\W\d_][\w .()/-]{0,39}:\s+\S")
_CELLS = re.compile(r"\|(.*)\|")
_RULE = re.compile(r"[\s:|-]*")
# Markdown and reStructuredText: links, code, emphasis. Code has brackets right behind a word.
_MARKS = (
    (re.compile(r"(?<!\w)!?\[([^\[\]\n]+)\]\([^()\s]*\)"), r"\1"),
    (re.compile(r"`([^`<>\n]+?)\s*<[^<>\s]+>`__?"), r"\1"),
    (re.compile(r"(?<![`\w])(`{1,2})([^`\n]+)\1_{0,2}(?![`\w])"), r"\2"),
    (re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
)


# Links, images and HTML, which a reader of Markdown would fetch or run.
_ACTIVE = re.compile(r"(?<=\])(?=[(\[:])|(?=<[A-Za-z/!?])")


def harmless(text: str) -> str:
    """Return a text without control characters; line ends, tabs and the writing itself stay."""
    return _STEERING.sub("", text)


def escaped(json_text: str) -> str:
    """Return a JSON text of the same value in which no string steers a terminal.

    Halves of surrogate pairs, as names of files may hold, are escaped too: they are no UTF-8.
    """
    return _UNFIT.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)


def in_markdown(text: str) -> str:
    """Return a text that a reader of Markdown shows as it is, with no link, image or HTML in it."""
    return "\n".join(_ACTIVE.sub(r"\\", without_marks(line)) for line in text.split("\n"))


def on_one_line(text: str) -> str:
    """Return a text on one line, harmless; the fields of a row, one a line, stand apart."""
    lines = [" ".join(harmless(line).split()) for line in text.splitlines()]
    lines = [line for line in lines if line]
    fields = sum(bool(_FIELD.match(line)) for line in lines)
    return (" · " if len(lines) > 1 and fields * 2 > len(lines) else " ").join(lines)


def without_marks(text: str) -> str:
    """Return a text of one line without the marks of its format; the cells of a row stand apart."""
    row = _CELLS.fullmatch(text.strip())
    if row and not _RULE.fullmatch(row[1]):
        text = " · ".join(cell for part in row[1].split("|") if (cell := part.strip()))
    for mark, words in _MARKS:
        text = mark.sub(words, text)
    return text
