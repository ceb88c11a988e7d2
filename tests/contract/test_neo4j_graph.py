"""What a person finds in the server's own browser, and what opening a database refuses."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from contract.stores import address, wipe
from weft.adapters.neo4j.database import Neo4jDatabase, Row
from weft.adapters.neo4j.query_plans import QUERIES, parameters, warm
from weft.adapters.neo4j.store import Neo4jStore, NewBaseSettings, open_store
from weft.adapters.neo4j.vocabulary import vocabulary
from weft.domain.claim import Claim, Mention, Method
from weft.domain.document import Document
from weft.domain.errors import BadInput, IndexMismatch, KnowledgeBaseExists, NotFound
from weft.domain.ids import ClaimId
from weft.domain.patch import Patch
from weft.ontology.catalog import load_baseline
from weft.platform.identity import principal_scope
from weft.ports.publishing import Fence
from weft.stores.values import texts
from worlds import DIMENSIONS, WRITER, Draft, patch_of, put

pytestmark = pytest.mark.anyio
on_servers = pytest.mark.parametrize(
    "number",
    [
        pytest.param("", marks=pytest.mark.server("neo4j"), id="neo4j 5.26"),
        pytest.param("_2", marks=pytest.mark.server("neo4j-2"), id="neo4j 2026"),
    ],
)
EVERYONE = frozenset({"tenant:*"})
MADE = NewBaseSettings(settings={"embedder": "test"}, dimensions=DIMENSIONS)
WORDS = vocabulary(load_baseline())


@asynccontextmanager
async def database(number: str) -> AsyncIterator[Neo4jDatabase]:
    """Yield a server's database with nothing in it, and leave nothing in it."""
    opened = Neo4jDatabase(address(number))
    try:
        await wipe(opened)
        yield opened
        await wipe(opened)
    finally:
        await opened.close()


@asynccontextmanager
async def store(number: str, made: NewBaseSettings | None = MADE) -> AsyncIterator[Neo4jStore]:
    opened = await open_store(address(number), lambda made_with: WORDS, tenant="local", made=made)
    try:
        yield opened
    finally:
        await opened.close()


async def rows(opened: Neo4jDatabase, text: str) -> list[Row]:
    return await opened.reading(lambda t: t.run_text(text, None, name="look"))


def told() -> Patch:
    """Return a document that says something of things known and unknown to the ontology."""
    patch = patch_of(Draft("doc9", EVERYONE, ((3,), (1,))))
    chunk = patch.passages[0].chunk
    mention = Mention(
        chunk_id=chunk.id, start=0, end=6, surface="Li Wei", name="li wei", entity_class="person"
    )
    team = replace(mention, surface="Payments team", name="payments team", entity_class="crew")
    claim = Claim(
        id=ClaimId("1" * 32),
        chunk_id=chunk.id,
        subject_name="li wei",
        subject_class="person",
        predicate="leads",
        object_name="payments team",
        object_class="crew",
        value=None,
        start=0,
        end=30,
        method=Method.GENERATED,
        confidence=0.7,
    )
    likes = replace(claim, id=ClaimId("2" * 32), predicate="likes")
    seat = replace(
        claim, id=ClaimId("3" * 32), predicate="seat", object_name=None, object_class=None, value=7
    )
    return replace(patch, mentions=(mention, team), claims=(claim, likes, seat))


async def shape(opened: Neo4jDatabase) -> tuple[Counter[str], Counter[str]]:
    """Return how many nodes of each set of labels there are, and relationships of each type."""
    nodes = await rows(opened, "MATCH (n) RETURN labels(n)")
    edges = await rows(opened, "MATCH ()-[r]->() RETURN type(r)")
    named = (":".join(sorted(texts(labels))) for (labels,) in nodes)
    return Counter(named), Counter(str(kind) for (kind,) in edges)


@on_servers
async def test_a_document_is_a_graph_to_browse(number: str) -> None:
    async with database(number) as opened, store(number) as held:
        await put(held, told())
        nodes, edges = await shape(opened)
        assert nodes["Entity:Person"] == nodes["Entity"] == 1
        assert nodes["Document"] == 1
        assert nodes["Chunk"] == nodes["Evidence"] == 2
        assert edges["PART_OF"] == edges["OF"] == 2
        assert edges["LEADS"] == edges["RELATED_TO"] == edges["STATES"] == 1
        claims = await rows(
            opened,
            "MATCH (a)-[r:LEADS|RELATED_TO]->(b) RETURN a.name, r.predicate, b.name, r.claim_id, "
            "r.doc_id, r.start, r.end, r.confidence ORDER BY r.claim_id",
        )
        document = told().document.id
        assert claims == [
            ["li wei", "leads", "payments team", "1" * 32, document, 0, 30, 0.7],
            ["li wei", "likes", "payments team", "2" * 32, document, 0, 30, 0.7],
        ]
        parts = "MATCH (:Chunk)-[r:PART_OF]->(:Document) RETURN r.chunk_index AS at ORDER BY at"
        assert await rows(opened, parts) == [[0], [1]]


@on_servers
@pytest.mark.parametrize("order", [("doc0", "doc1"), ("doc1", "doc0")])
async def test_references_are_drawn_whichever_end_came_first(
    number: str, order: tuple[str, str]
) -> None:
    drawn = "MATCH (s:Document)-[r:REFERENCES]->(t) RETURN s.title, t.title, r.kinds, r.v = s.v"
    async with database(number) as opened, store(number) as held:
        drafts = {name: Draft(name, EVERYONE, ((6,),)) for name in order}
        await put(held, *(patch_of(drafts[name]) for name in order))
        assert await rows(opened, drawn) == [["doc1", "doc0", ["jira_key"], True]]
        for name in order:  # and drawn again when either end is replaced
            await put(held, patch_of(replace(drafts[name], chunks=((6,), (1,)))))
            assert await rows(opened, drawn) == [["doc1", "doc0", ["jira_key"], True]]


@on_servers
async def test_what_is_deleted_leaves_a_hash_and_no_orphan(number: str) -> None:
    async with database(number) as opened, store(number) as held:
        patches = [patch_of(Draft(f"doc{n}", EVERYONE, ((2, 6), (4,)))) for n in range(3)]
        await put(held, told(), *patches)
        bare = replace(told(), mentions=(), claims=(), document=again(told()))
        fence = await put(held, bare)
        nodes, edges = await shape(opened)
        assert "Entity" not in nodes
        assert not {"LEADS", "RELATED_TO"} & set(edges)
        for patch in (told(), *patches):
            assert await held.publishing.delete(WRITER, patch.document.id, fence=fence)
        nodes, edges = await shape(opened)
        assert nodes == {"Kb": 1, "Fence": 1, "Deleted": 4}
        assert not edges


def again(patch: Patch) -> Document:
    """Return the document at another version."""
    return replace(patch.document, version=f"again-{patch.document.version}")


@on_servers
async def test_another_tenant_can_write_nothing(number: str) -> None:
    stranger = principal_scope(
        tenant="other", actor="user:x", groups=(), permissions={"kb.read", "kb.write"}
    )
    fence = Fence(key="world", number=99)
    async with database(number) as opened, store(number) as held:
        await put(held, told())
        before = await shape(opened)
        publishing = held.publishing
        with pytest.raises(NotFound):
            await publishing.publish(stranger, told(), expected_version=None, fence=fence)
        with pytest.raises(NotFound):
            await publishing.delete(stranger, told().document.id, fence=fence)
        with pytest.raises(NotFound):
            await publishing.reclassify(stranger, again(told()), fence=fence)
        with pytest.raises(NotFound):
            await publishing.issue_fence(stranger, "world")
        assert await shape(opened) == before


@on_servers
async def test_opening_makes_nothing_it_was_not_asked_for(number: str) -> None:
    async with database(number) as opened:
        with pytest.raises(NotFound):
            async with store(number, made=None):
                pass
        assert await rows(opened, "MATCH (n) RETURN count(n)") == [[0]]
        await opened.write(lambda t: t.run_text("CREATE (:Someone)", None, name="other"))
        with pytest.raises(BadInput):
            async with store(number):
                pass
        assert await rows(opened, "MATCH (n) RETURN count(n)") == [[1]]


@on_servers
async def test_another_schema_is_refused_by_name(number: str) -> None:
    async with database(number) as opened:
        async with store(number):
            pass
        await opened.write(lambda t: t.run_text("MATCH (k:Kb) SET k.schema = 99", None, name="x"))
        with pytest.raises(IndexMismatch, match="schema 99"):
            async with store(number):
                pass


@on_servers
async def test_a_relation_new_to_the_ontology_gets_its_index(number: str) -> None:
    indexed = "SHOW INDEXES YIELD name WHERE name = 'WORKS_FOR' RETURN count(*)"
    async with database(number) as opened:
        async with store(number):
            pass
        await opened.write(lambda t: t.run_text("DROP INDEX WORKS_FOR", None, name="x"))
        await opened.write(lambda t: t.run_text("MATCH (k:Kb) SET k.types = []", None, name="x"))
        async with store(number):
            pass
        assert await rows(opened, indexed) == [[1]]


@on_servers
async def test_a_base_is_made_only_where_none_is(number: str) -> None:
    named = replace(MADE, name="First", is_new=True)
    async with database(number):
        async with store(number, named) as first:
            fence = Fence(key="world", number=1)
            assert await first.publishing.issue_fence(WRITER, "world") == fence
        for tenant, said in (("local", "'First'"), ("other", "another tenant")):
            with pytest.raises(KnowledgeBaseExists, match=said) as refused:
                await open_store(
                    address(number),
                    lambda made_with: WORDS,
                    tenant=tenant,
                    made=replace(named, name="Second"),
                )
            assert ("First" in refused.value.message) is (tenant == "local")
        async with store(number, None) as again:
            assert again.made_with["embedder"] == "test"
        other = await open_store(
            address(number), lambda made_with: WORDS, tenant="other", made=None
        )
        assert not other.made_with
        await other.close()


@on_servers
async def test_plans_are_made_without_finding_anything(number: str) -> None:
    async with database(number) as opened, store(number) as held:
        fence = await held.publishing.issue_fence(WRITER, "world")
        patch = patch_of(Draft("doc0", EVERYONE, ((1, 2),)))
        await held.publishing.publish(WRITER, patch, expected_version=None, fence=fence)
        before = await opened.read("base")
        for name in QUERIES:
            rows = await opened.read(name, parameters(name))
            shown = [value for row in rows for value in row if isinstance(value, list)]
            assert name in {"base", "changed"} or not any(shown), name
        await warm(opened, stopped=asyncio.Event())
        assert await opened.read("base") == before
