"""Plans of the reading queries, made before anyone waits for them.

A server that has just started takes up to seconds to plan its first queries, which is longer than
a reader waits.
"""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import suppress
from functools import partial

from weft.adapters.neo4j.database import Neo4jDatabase, Parameters, Transaction
from weft.adapters.neo4j.statements import statement
from weft.domain.errors import StoreUnavailable

# As a reader asks them; the first is among the slowest to plan.
QUERIES = (
    "sightings",
    "base",
    "state",
    "version",
    "changed",
    "changed_chunks",
    "chunks",
    "text",
    "documents",
    "edges",
    "entities",
    "claims",
    "claims_of_subjects",
    "claims_of_objects",
    "containing",
    "links",
    "seen_ends",
    "settings",
    "files",
    "page",
    "chunk_counts_of",
    "one_document",
    "opened_document",
    "document_chunks",
    "literal_claims",
)
# Nothing is found by these; each has the type that a reader's has.
_NOTHING: Parameters = {
    "tenant": "",
    "principals": [],
    "identity": "",
    "id": "",
    "after": "",
    "name": "",
    "phrase": "\0",
    "text": "\0",
    "since": 0,
    "limit": 1,
    "ids": [],
    "docs": [],
    "keys": [],
    "names": [],
    "parts": [],
    "paths": None,
    "places": False,
    "classes": [],
    "pieces": [],
    "sources": None,
    "source": None,
    "documents": None,
    "types": None,
    "origins": None,
    "until": None,
    "kinds": None,
    "relations": None,
}
_SECONDS = 5.0
# A query that was planned before is answered sooner.
_PLANNED_SECONDS = 0.05
_PARAMETER = re.compile(r"\$(\w+)")


def parameters(name: str) -> Parameters:
    """Return what a query is asked with so that it finds nothing."""
    return {each: _NOTHING[each] for each in _PARAMETER.findall(statement(name))}


async def warm(database: Neo4jDatabase, *, stopped: asyncio.Event) -> None:
    """Have a server that has no plans yet make them; ask one that has them a single query.

    Ends after the query it is at when it is stopped, and where the server does not answer.
    """
    for name in QUERIES:
        began = time.monotonic()
        with suppress(StoreUnavailable):  # whoever asks next is told
            await database.reading(partial(_ask, name), seconds=_SECONDS)
        if stopped.is_set() or time.monotonic() - began >= _SECONDS:
            return
        if name == QUERIES[0] and time.monotonic() - began < _PLANNED_SECONDS:
            return


async def _ask(name: str, transaction: Transaction) -> None:
    await transaction.run(name, parameters(name))
