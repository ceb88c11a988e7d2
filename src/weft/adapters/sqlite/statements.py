"""The queries of `queries.sql` by name; the scope's fragment is put in where they ask for it."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from types import MappingProxyType

_NAMED = re.compile(
    r"^-- name: (\w+)\n((?:--[^\n]*\n)+)(.*?)(?=^-- name:|\Z)", re.MULTILINE | re.DOTALL
)


@cache
def statements() -> MappingProxyType[str, str]:
    """Return every query by its name."""
    text = files("weft.adapters.sqlite").joinpath("queries.sql").read_text(encoding="utf-8")
    found = {name: body.strip() for name, _, body in _NAMED.findall(text)}
    readable = found["readable"]
    return MappingProxyType(
        {name: body.replace("{readable}", readable) for name, body in found.items()}
    )


def schema() -> str:
    """Return the script that makes a knowledge base's tables."""
    return files("weft.adapters.sqlite").joinpath("schema.sql").read_text(encoding="utf-8")
