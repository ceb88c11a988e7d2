"""Fields at the head of a text: `Key: value` lines, and YAML between two lines of dashes."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import pairwise

from weft.adapters.reader.numbers import storable
from weft.domain.document import Value
from weft.domain.frozen import dataclass
from weft.domain.record import Block, BlockKind

_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9_.-]{0,60}):(?:[ \t]+(\S.*)?)?$")
_FEWEST_FIELDS = 3
_MOST_KEYS = 64
_LONGEST_VALUE = 300
_LONGEST_FRONT_MATTER = 20_000
_DASHES = re.compile(r"---[ \t]*\n")
_FRONT_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY_LINE = re.compile(r"^[^\s#-]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The fields of a text: their blocks, their values by key, and where the body begins."""

    body: int = 0
    blocks: list[Block] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)

    def value(self, *keys: str) -> str:
        """Return the first value that stands under one of `keys`, case apart; else empty."""
        folded = {key.casefold(): value for key, value in self.values.items()}
        return next((str(folded[key]) for key in keys if folded.get(key)), "")


def header_lines(text: str) -> Header:
    """Return the header of a text that begins with three or more `Key: value` lines."""
    fields: list[tuple[str, int, int]] = []
    at = 0
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        line = text[at:end]
        if fields and line[:1] in (" ", "\t"):
            key, start, _ = fields[-1]
            fields[-1] = (key, start, end)
        elif found := _FIELD.match(line):
            fields.append((found[1], at, end))
        else:
            break
        at = end + 1
    if len(fields) < _FEWEST_FIELDS:
        return Header()
    return Header(
        body=min(at, len(text)), blocks=_blocks(text, fields), values=_values(text, fields)
    )


def _blocks(text: str, fields: list[tuple[str, int, int]]) -> list[Block]:
    return [
        Block(start=start, end=start + len(text[start:end].rstrip()), kind=BlockKind.FIELD)
        for _, start, end in fields
    ]


def _values(text: str, fields: list[tuple[str, int, int]]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for key, start, end in fields:
        said = " ".join(text[start + len(key) + 1 : end].split())
        before = values.get(key)
        if before is None and len(values) >= _MOST_KEYS:
            continue
        values[key] = (f"{before}; {said}" if before else said)[:_LONGEST_VALUE]
    return values


def front_matter(text: str) -> Header:
    """Return the YAML at the head of a Markdown text; what is not a plain value is left out."""
    # Imported where it is needed: few texts have front matter, and the import takes 20 ms.
    import yaml

    opening = _DASHES.match(text)
    closing = _FRONT_END.search(text, opening.end()) if opening else None
    if opening is None or closing is None or closing.end() > _LONGEST_FRONT_MATTER:
        return Header()
    inner = text[opening.end() : closing.start()]
    try:
        loaded = yaml.safe_load(inner)
    except (yaml.YAMLError, ValueError, RecursionError):
        return Header()
    if not isinstance(loaded, dict):
        return Header()
    starts = [opening.end() + line.start() for line in _KEY_LINE.finditer(inner)]
    bounds = [0, *starts[1:], closing.end()]
    spans = [("", start, end) for start, end in pairwise(bounds)]
    values = {str(key): _plain(value) for key, value in list(loaded.items())[:_MOST_KEYS]}
    kept: dict[str, Value] = {key: value for key, value in values.items() if value is not None}
    return Header(body=closing.end(), blocks=_blocks(text, spans), values=kept)


def _plain(value: object) -> Value:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return storable(value)
    if isinstance(value, list):
        parts = [str(part) for part in value if isinstance(part, str | int | float)]
        return "; ".join(parts)[:_LONGEST_VALUE] or None
    if isinstance(value, dict) or value is None:
        return None
    return str(value)[:_LONGEST_VALUE]
