"""The sources that one caller may narrow a question to: of documents it may read, of no others."""

from __future__ import annotations

from collections.abc import Iterable

from weft.domain.scope import Scope
from weft.ingest.seen_files import seen_files
from weft.ports.store import Store

# A type of documents may be named as a source is.
_TYPES = frozenset({"file", "record"})


async def seen_sources(scope: Scope, stores: Iterable[Store]) -> frozenset[str]:
    """Return the names of all readable sources and the types of documents, in folded case."""
    found = set(_TYPES)
    for store in stores:
        readable = await seen_files(scope, store, await store.ledger.files(scope, None))
        found |= {entry.source.casefold() for entry in readable}
    return frozenset(found)
