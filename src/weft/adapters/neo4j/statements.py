"""The queries of the `.cypher` files by name, with identifiers put in."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType

from weft.domain.outside.shipped import shipped_file, shipped_text

_NAMED = re.compile(
    r"^// name: (\w+)\n((?://[^\n]*\n)+)(.*?)(?=^// name:|\Z)", re.MULTILINE | re.DOTALL
)
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@cache
def statements() -> MappingProxyType[str, str]:
    """Return every query by its name."""
    found: dict[str, str] = {}
    folder = shipped_file("weft.adapters.neo4j", "")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".cypher"):
            for name, _, body in _NAMED.findall(file.read_text(encoding="utf-8")):
                if found.setdefault(name, body.strip()) != body.strip():
                    raise ValueError(f"two queries are named {name}")
    return MappingProxyType(found)


@cache
def statement(name: str, identifier: str | None = None) -> str:
    """Return a query by its name, with an identifier, quoted, where it says `{identifier}`.

    An identifier is a label or a relationship type that the vocabulary knows, never data.
    """
    text = statements()[name]
    if identifier is None:
        return text
    if not _IDENTIFIER.fullmatch(identifier):
        raise ValueError("an identifier is a letter, then letters, digits and underscores")
    return text.replace("{identifier}", f"`{identifier}`")


@cache
def schema() -> MappingProxyType[str, str]:
    """Return the statements that make a knowledge base's constraints and indexes, by their name."""
    text = shipped_text("weft.adapters.neo4j", "schema.cypher")
    lines = [line for line in text.splitlines() if line.startswith("CREATE ")]
    return MappingProxyType({line.split()[2]: line.removesuffix(";") for line in lines})
