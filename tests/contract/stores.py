"""Every knowledge backend, opened the same way for the contract suite: a new one is one line."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from neo4j import GqlStatusObject

from weft.adapters.neo4j.database import Address, Neo4jDatabase
from weft.adapters.neo4j.store import NewBaseSettings
from weft.adapters.neo4j.store import open_store as open_on_server
from weft.adapters.neo4j.vocabulary import vocabulary
from weft.adapters.sqlite.store import open_store
from weft.ontology.catalog import load_baseline
from weft.ports.documents import Documents
from weft.ports.holdings import Holdings
from weft.ports.knowledge import Knowledge
from weft.ports.ledger import Ledger
from weft.ports.links import Links
from weft.ports.publishing import Publishing
from worlds import DIMENSIONS


@dataclass(frozen=True, kw_only=True)
class Store:
    """The ports of one empty knowledge base."""

    knowledge: Knowledge
    publishing: Publishing
    holdings: Holdings
    ledger: Ledger
    links: Links
    documents: Documents


@contextlib.asynccontextmanager
async def sqlite() -> AsyncIterator[Store]:
    """Yield an empty SQLite knowledge base."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "base.db"
        store = await open_store(
            path, tenant="local", settings={"embedder": "test"}, dimensions=DIMENSIONS
        )
        try:
            yield Store(
                knowledge=store.knowledge,
                publishing=store.publishing,
                holdings=store.holdings,
                ledger=store.ledger,
                links=store.links,
                documents=store.documents,
            )
        finally:
            await store.close()


# An index that is there already; a label, a relationship type or a key that nothing has yet.
_EXPECTED = frozenset({"00NA0", "01N50", "01N51", "01N52"})
# Every call is a few round trips, and a law asks thousands.
_SECONDS = 600
# What is tested here is what is answered; how soon is tests/fault's to ask.
PATIENCE = 60.0
# Worlds that a law is tried on, for each backend: each takes servers a second or more.
EXAMPLES = int(os.environ.get("WEFT_LAW_EXAMPLES", "7"))
_in_use: set[str] = set()
# The driver says each notification once more, at length; the tests count them.
logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)


def address(number: str) -> Address:
    """Return where the server of that number is (`""` the first, `"_2"` the second)."""
    return Address(
        uri=os.environ[f"NEO4J_URI{number}"],
        user=os.environ.get(f"NEO4J_USER{number}", "neo4j"),
        password=os.environ.get(f"NEO4J_PASSWORD{number}", ""),
        patience=PATIENCE,
    )


async def wipe(database: Neo4jDatabase) -> None:
    """Take everything out of a database but its constraints and indexes."""
    await database.write(
        lambda t: t.run_text("MATCH (n) DETACH DELETE n", None, name="wipe"), seconds=60
    )


@contextlib.asynccontextmanager
async def on_neo4j(number: str) -> AsyncIterator[Store]:
    """Yield an empty knowledge base in a server's one database, and check what the server notes."""
    place = address(number)
    if place.uri in _in_use:
        raise RuntimeError("a server has one database: open one knowledge base after another")
    _in_use.add(place.uri)
    noted: Counter[tuple[str, str]] = Counter()

    def noticed(query: str, status: GqlStatusObject) -> None:
        if status.gql_status not in _EXPECTED:
            noted[query, status.status_description] += 1

    try:
        before = Neo4jDatabase(place)
        await wipe(before)
        await before.close()
        store = await open_on_server(
            place,
            lambda made_with: vocabulary(load_baseline()),
            tenant="local",
            made=NewBaseSettings(settings={"embedder": "test"}, dimensions=DIMENSIONS),
            noticed=noticed,
        )
        try:
            yield Store(
                knowledge=store.knowledge,
                publishing=store.publishing,
                holdings=store.holdings,
                ledger=store.ledger,
                links=store.links,
                documents=store.documents,
            )
        finally:
            await store.close()
    finally:
        _in_use.discard(place.uri)
    assert not noted


Opener = Callable[[], AbstractAsyncContextManager[Store]]


def _on_server(number: str, *, server: str) -> ParameterSet:
    marks = (pytest.mark.server(server), pytest.mark.timeout(_SECONDS))
    return pytest.param(partial(on_neo4j, number), marks=marks)


# A backend has one knowledge base at a time: tests that compare two open one after the other.
BACKENDS: dict[str, ParameterSet] = {
    "sqlite": pytest.param(sqlite),
    "neo4j 5.26": _on_server("", server="neo4j"),
    "neo4j 2026": _on_server("_2", server="neo4j-2"),
}
