"""Opening one database: its schema, its settings, and the parts that work on it."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Mapping
from contextlib import AsyncExitStack

from weft.adapters.neo4j.database import Address, Neo4jDatabase, Noticed
from weft.adapters.neo4j.documents import Neo4jDocuments
from weft.adapters.neo4j.feed import Feed
from weft.adapters.neo4j.holdings import Neo4jHoldings
from weft.adapters.neo4j.knowledge import Neo4jKnowledge
from weft.adapters.neo4j.ledger import Neo4jLedger
from weft.adapters.neo4j.links import Neo4jLinks
from weft.adapters.neo4j.publishing import Neo4jPublishing
from weft.adapters.neo4j.query_plans import warm
from weft.adapters.neo4j.snapshots import VIEW_SECONDS, Neo4jSnapshots
from weft.adapters.neo4j.statements import schema, statement
from weft.adapters.neo4j.vocabulary import Vocabulary, WordsOf
from weft.domain.errors import BadInput, IndexMismatch, KnowledgeBaseExists
from weft.domain.frozen import dataclass
from weft.runtime.tasks import insist
from weft.stores.canonical import canonical
from weft.stores.missing import no_content
from weft.stores.values import texts, whole

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Neo4jStore:
    """All ports of one knowledge base, on one database; `made_with` is empty for other tenants."""

    knowledge: Neo4jKnowledge
    publishing: Neo4jPublishing
    holdings: Neo4jHoldings
    ledger: Neo4jLedger
    links: Neo4jLinks
    documents: Neo4jDocuments
    made_with: Mapping[str, str]
    database: Neo4jDatabase
    snapshots: Neo4jSnapshots
    warming: asyncio.Task[None]
    stopped: asyncio.Event

    async def save(self) -> None:
        """Take in what changed, where anyone asked for the arrays; the next start reads them anew.

        The server keeps everything else.
        """
        if self.snapshots.is_loaded:
            await self.snapshots.refresh()

    async def close(self) -> None:
        """Wait for what is being built, then let go of the server."""
        self.stopped.set()
        await self.warming
        await self.snapshots.settle()
        await self.database.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBaseSettings:
    """What a new knowledge base is made with; one that `is_new` may not be there already."""

    settings: Mapping[str, str]
    dimensions: int
    name: str = ""
    is_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """The knowledge base's own node."""

    schema: int
    identity: str
    tenant: str
    name: str
    settings: Mapping[str, str]
    types: frozenset[str]

    @property
    def dimensions(self) -> int:
        """Return the size of the vectors, 0 without an embedder."""
        return int(self.settings["dimensions"])


async def open_store(
    address: Address,
    words_of: WordsOf,
    *,
    tenant: str,
    made: NewBaseSettings | None,
    noticed: Noticed | None = None,
) -> Neo4jStore:
    """Open the knowledge base of a database, or make it there; others only compare what it has.

    Its labels and relationship types are those of the settings that it was made with.

    Without `made` nothing is made: raises `NotFound` instead. Raises `KnowledgeBaseExists` where
    it is to be new and is not, `IndexMismatch` where it was made by another schema of Weft,
    `BadInput` where the database holds something else, and `StoreUnavailable` where the server
    does not answer.
    """
    database = Neo4jDatabase(address, noticed=noticed)
    async with AsyncExitStack() as given_up:
        # Nobody has it yet who could close it, a caller that is cancelled neither.
        given_up.push_async_callback(lambda: insist(database.close()))
        base = await _prepare(database, words_of, tenant, made)
        given_up.pop_all()
    words = words_of(base.settings)
    stopped = asyncio.Event()
    snapshots = Neo4jSnapshots(
        Feed(database.read, base.dimensions),
        base.dimensions,
        seconds=VIEW_SECONDS * address.patience,
    )
    return Neo4jStore(
        knowledge=Neo4jKnowledge(database, snapshots),
        publishing=Neo4jPublishing(database, words),
        holdings=Neo4jHoldings(database, words),
        ledger=Neo4jLedger(database),
        links=Neo4jLinks(database),
        documents=Neo4jDocuments(database, words),
        made_with=base.settings if base.tenant == tenant else {},
        database=database,
        snapshots=snapshots,
        # Beside the first calls: whoever asks how things are does not wait for all plans.
        warming=asyncio.create_task(warm(database, stopped=stopped)),
        stopped=stopped,
    )


async def _prepare(
    database: Neo4jDatabase, words_of: WordsOf, tenant: str, made: NewBaseSettings | None
) -> _Base:
    """Bring the schema up to date and return what the knowledge base was made with.

    The knowledge base's node comes last: without it all of this is done again.
    """
    base, identity = await _look(database), ""
    if base is None:
        if made is None:
            raise no_content()
        words = words_of(made.settings)
        await _make_indexes(database, words)
        identity = await _make(database, words, tenant, made)
        base = await _look(database)
        assert base is not None
    if made is not None and made.is_new and base.identity != identity:
        raise _occupied(database, base, tenant)
    if base.schema != SCHEMA_VERSION:
        raise IndexMismatch(
            f"The knowledge base at {database.address.uri} has schema {base.schema}, not "
            f"{SCHEMA_VERSION}; use the version of Weft that made it, or make it anew."
        )
    words = words_of(base.settings)
    if not base.types.issuperset(words.all_types()):
        await _make_indexes(database, words)
        types = sorted(base.types.union(words.all_types()))
        await database.write(lambda t: t.run("keep_types", {"types": types}))
    return base


async def _look(database: Neo4jDatabase) -> _Base | None:
    """Return the knowledge base's node, None in an empty database."""
    rows = await database.read("base")
    number, identity, tenant, settings, types, is_used, name = rows[0]
    if number is None:
        if is_used:
            raise BadInput(
                f"The database at {database.address.uri} holds data that is not Weft's; a "
                "knowledge base needs a database of its own."
            )
        return None
    return _Base(
        schema=whole(number),
        identity=str(identity),
        tenant=str(tenant),
        name=str(name or ""),
        settings={str(key): str(value) for key, value in json.loads(str(settings)).items()},
        types=frozenset(texts(types or [])),
    )


def _occupied(database: Neo4jDatabase, base: _Base, tenant: str) -> KnowledgeBaseExists:
    """Say what is there; of another tenant's not even the name."""
    place = f"The database '{database.address.name}' of {database.address.uri}"
    if base.tenant != tenant:
        return KnowledgeBaseExists(f"{place} holds a knowledge base of another tenant.")
    named = f" '{base.name}'" if base.name else ""
    return KnowledgeBaseExists(
        f"{place} holds the knowledge base{named} already; --attach uses it as it is.",
        name=base.name,
    )


async def _make(
    database: Neo4jDatabase, words: Vocabulary, tenant: str, made: NewBaseSettings
) -> str:
    """Make the knowledge base's node unless another process was first; return our identity."""
    settings = {**made.settings, "dimensions": str(made.dimensions)}
    parameters: dict[str, object] = {
        "identity": (identity := uuid.uuid4().hex),
        "tenant": tenant,
        "schema": SCHEMA_VERSION,
        "settings": canonical(settings),
        "types": words.all_types(),
        "name": made.name,
    }
    await database.write(lambda t: t.run("make_base", parameters))
    return identity


async def _make_indexes(database: Neo4jDatabase, words: Vocabulary) -> None:
    """Make the constraints and indexes that are missing."""
    ((names,),) = await database.read("indexes")
    there = set(texts(names))
    wanted = dict(schema()) | {each: statement("claim_index", each) for each in words.all_types()}
    missing = [text for name, text in wanted.items() if name not in there]
    if missing:
        await database.change_schema(missing)
