"""Which knowledge base is meant by what somebody says: its name, its title or its folder."""

from __future__ import annotations

from contextlib import suppress

from weft.bases.naming import folder_key, path_of, same_title
from weft.domain.errors import BadInput, UnknownKnowledgeBase
from weft.domain.ids import is_knowledge_base_name
from weft.domain.scope import Scope
from weft.ports.records.bases import Bases, RegisteredBase


async def find(bases: Bases, scope: Scope, given: str) -> RegisteredBase:
    """Return what a name, a unique title or the path of a folder means, opening nothing.

    Raises `UnknownKnowledgeBase`, or `BadInput` for a title that several have.
    """
    if is_knowledge_base_name(given):
        with suppress(UnknownKnowledgeBase):
            return await bases.named(scope, given)
    found = await titled(bases, scope, given)
    if len(found) > 1:
        names = ", ".join(base.name for base in found)
        raise BadInput(f"Several knowledge bases are called '{given}': {names}. Give the name.")
    if found:
        return found[0]
    try:
        return await bases.of_folder(scope, folder_key(path_of(given)))
    except UnknownKnowledgeBase:
        raise UnknownKnowledgeBase(f"There is no knowledge base '{given}'.", name=given) from None


async def titled(bases: Bases, scope: Scope, title: str) -> list[RegisteredBase]:
    """Return the knowledge bases of a title, ordered by name."""
    return [base for base in await bases.listed(scope) if same_title(base.title, title)]
