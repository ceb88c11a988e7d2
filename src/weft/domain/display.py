"""Stored text as it is shown: harmless, and on one line; what is cited stays as it is."""

from __future__ import annotations

import re

# What would steer a terminal, or turn the order of what stands beside it.
_STEERING = re.compile("[\x00-\x08\x0b-\x1b\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_UNFIT = re.compile(f"{_STEERING.pattern}|[\ud800-\udfff]")
_FIELD = re.compile(r"[^\W\d_][\w .()/-]{0,39}:\s+\S")
# Links, images and HTML, which a reader of Markdown would fetch, run or offer, bare addresses
# included; and the sign that would undo what is put before them.
_ACTIVE = re.compile(
    r"(?<=\])(?=[(\[:])|(?=<[A-Za-z/!?])|(?<=\w)(?=://)|(?<=\bwww)(?=\.)|(?<=[\w.+-])(?=@\w)"
    r"|(?=\\[!-/:-@\[-`{-~])",
    re.I,
)


# Of an address: what stands before its host, whatever signs a password has, and secret parameters.
_ENTRANT = re.compile(r"://[^\s\"'<>]*@")
_SECRET = re.compile(
    r"([?&;][\w-]*(?:pass|pwd|secret|token|key|auth|sig)[\w-]*=)[^&;\s\"'<>]*", re.I
)


def harmless(text: str) -> str:
    """Return a text without control characters; line ends, tabs and the writing itself stay."""
    return _STEERING.sub("", text)


def escaped(json_text: str) -> str:
    """Return a JSON text of the same value in which no string steers a terminal.

    Halves of surrogate pairs, as names of files may hold, are escaped too: they are no UTF-8.
    """
    return _UNFIT.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)


def without_secrets(text: str) -> str:
    """Return a text in which no address shows who opens it and with what."""
    return _SECRET.sub(r"\1***", _ENTRANT.sub("://***@", text))


def in_markdown(text: str) -> str:
    """Return a text that a reader of Markdown shows as it is, with no link, image or HTML in it."""
    return "\n".join(_ACTIVE.sub(r"\\", line) for line in text.split("\n"))


def on_one_line(text: str) -> str:
    """Return a text on one line, harmless; the fields of a row, one a line, stand apart."""
    lines = [" ".join(harmless(line).split()) for line in text.splitlines()]
    lines = [line for line in lines if line]
    fields = sum(bool(_FIELD.match(line)) for line in lines)
    return (" · " if len(lines) > 1 and fields * 2 > len(lines) else " ").join(lines)
