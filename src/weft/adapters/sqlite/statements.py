"""The queries of `queries.sql` by name; the scope's fragment is put in where they ask for it."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType

from weft.domain.outside.shipped import shipped_text

# Chunks of one part of the index for substrings share all of their number but so many bits.
PART_BITS = 12
_NAMED = re.compile(
    r"^-- name: (\w+)\n((?:--[^\n]*\n)+)(.*?)(?=^-- name:|\Z)", re.MULTILINE | re.DOTALL
)


@cache
def statements() -> MappingProxyType[str, str]:
    """Return every query by its name."""
    text = shipped_text("weft.adapters.sqlite", "queries.sql")
    found = {name: body.strip() for name, _, body in _NAMED.findall(text)}
    readable = found["readable"]
    return MappingProxyType(
        {
            name: body.replace("{readable}", readable).replace("{bits}", str(PART_BITS))
            for name, body in found.items()
        }
    )


@cache
def of_part(name: str, part: int) -> str:
    """Return a query about one part of the index for substrings."""
    return statements()[name].replace("{part}", str(part))


def text_part(part: int) -> str:
    """Return the script that makes a part of the index for substrings and fills it."""
    script = shipped_text("weft.adapters.sqlite", "text_part.sql")
    return script.replace("{part}", str(part)).replace("{bits}", str(PART_BITS))


def schema() -> str:
    """Return the script that makes a knowledge base's tables."""
    return shipped_text("weft.adapters.sqlite", "schema.sql")
