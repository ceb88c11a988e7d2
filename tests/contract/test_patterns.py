"""Graph patterns give the same on every backend, and what is hidden changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.stores import BACKENDS, EXAMPLES, Opener, Store, sqlite
from weft.domain.acl import acl_class
from weft.domain.claim import Claim, Link, LinkKind, LocalEntity, Mention, Method, claim_id
from weft.domain.document import Chunk, Document, Span, Value, chunk_id, document_version
from weft.domain.entity import Entity
from weft.domain.errors import BadInput
from weft.domain.ids import DocumentId, digest
from weft.domain.patch import Passage, Patch
from weft.domain.pattern import (
    Comparison,
    GraphPattern,
    MatchedLiteral,
    Matches,
    PatternHop,
    PropertyFilter,
    Shape,
    Toward,
)
from weft.domain.scope import Scope
from weft.index.local_facts import local_facts
from weft.ontology.catalog import load_baseline
from weft.retrieval.entities import EntityPorts
from weft.retrieval.pattern import match
from worlds import ACLS, PRINCIPALS, WRITER, scope_of

pytestmark = pytest.mark.timeout(60 + 12 * EXAMPLES)
opener = pytest.mark.parametrize("opener", BACKENDS.values(), ids=BACKENDS.keys())
few = settings(max_examples=EXAMPLES, deadline=None)

OPEN = frozenset({"tenant:*"})
BLUE = frozenset({"group:blue"})
PERSON, FIRM, PLACE, DATE = "person", "organization", "place", "date"
Thing = tuple[str, str]
LI, ADA, KIM = ("li wei", PERSON), ("ada", PERSON), ("김철수", PERSON)
ACME, ACME_LONG, ORBIT = ("acme", FIRM), ("acme corporation", FIRM), ("orbit", FIRM)
SEOUL = ("seoul", PLACE)
INJECTIONS = (
    "'",
    '"',
    "`",
    "\\",
    "}) DETACH DELETE",
    "x'}) DETACH DELETE n //",
    "works_for`]->() DETACH DELETE n //",
    "'; DROP TABLE claim; --",
    "%",
    "\u0000",
    "🙂",
)


@dataclass(frozen=True)
class Page:
    """A document of one chunk, drawn: what it says, each a subject, a relation and an object."""

    name: str
    acl: frozenset[str]
    says: tuple[tuple[Thing, str, Thing | int | str], ...]
    mentions: tuple[Thing, ...] = ()


def patch_of(page: Page) -> Patch:
    """Return the patch of a drawn page; every entity that it speaks of is mentioned."""
    key = DocumentId(f"file:pages/{page.name}")
    things = [s for s, _, _ in page.says] + [o for _, _, o in page.says if isinstance(o, tuple)]
    named = sorted({*things, *page.mentions})
    text = " ".join(name for name, _ in named) or "nothing"
    chunk = Chunk(
        id=chunk_id(key, text, chunk_index=0),
        document_id=key,
        chunk_index=0,
        text=text,
        start=0,
        end=len(text),
        sentences=(Span(start=0, end=len(text)),),
    )
    document = Document(
        id=key,
        source="pages",
        type="file",
        title=page.name,
        uri=page.name,
        version=document_version(digest(repr(page)), acl_class(page.acl)),
        acl=page.acl,
    )
    facts = local_facts(page.name, text, sentences=chunk.sentences)
    return Patch(
        document=document,
        text=text,
        passages=(Passage(chunk=chunk, facts=facts, vectors=None, outcome=Method.GENERATED),),
        mentions=tuple(_mention(chunk, *thing) for thing in named),
        claims=tuple({c.id: c for c in (_claim(chunk, *said) for said in page.says)}.values()),
    )


def _mention(chunk: Chunk, name: str, kind: str) -> Mention:
    at = chunk.text.find(name)
    return Mention(
        chunk_id=chunk.id,
        start=at,
        end=at + len(name),
        surface=name.title(),
        name=name,
        entity_class=kind,
    )


def _claim(chunk: Chunk, subject: Thing, relation: str, said: Thing | int | str) -> Claim:
    thing = said if isinstance(said, tuple) else None
    value: Value = said if not isinstance(said, tuple) else None
    spoken = thing[0] if thing else repr(value)
    return Claim(
        id=claim_id(chunk.id, subject[0], predicate=relation, said=spoken, start=0),
        chunk_id=chunk.id,
        subject_name=subject[0],
        subject_class=subject[1],
        predicate=relation,
        object_name=thing[0] if thing else None,
        object_class=thing[1] if thing else None,
        value=value,
        start=0,
        end=chunk.end,
        method=Method.GENERATED,
        confidence=0.5,
    )


WORLD = (
    Page("a", OPEN, ((LI, "works_for", ACME), (ACME, "founded_in", 1999))),
    Page("b", OPEN, ((LI, "born_in", SEOUL), (ACME, "located_in", SEOUL))),
    Page("c", BLUE, ((ADA, "works_for", ACME), (ORBIT, "founded_in", "2004-05-01"))),
    Page("d", OPEN, ((KIM, "leads", ACME_LONG), (ACME_LONG, "acquired_by", ORBIT))),
)
SAME = (("a", ACME), ("d", ACME_LONG))


async def fill(store: Store, pages: Iterable[Page]) -> None:
    fence = await store.publishing.issue_fence(WRITER, "pages")
    held = await store.holdings.versions(WRITER, None)
    for page in pages:
        patch = patch_of(page)
        await store.publishing.publish(
            WRITER, patch, expected_version=held.get(patch.document.id), fence=fence
        )


def local(page: str, thing: Thing) -> LocalEntity:
    key = DocumentId(f"file:pages/{page}")
    return LocalEntity(document_id=key, name=thing[0], entity_class=thing[1])


async def join(store: Store, left: LocalEntity, right: LocalEntity, kind: LinkKind) -> None:
    link = Link(
        left=left, right=right, kind=kind, method="person", score=1.0, reason="", author="user:x"
    )
    await store.links.add(WRITER, link)


async def ask(store: Store, pattern: GraphPattern, scope: Scope = WRITER) -> Matches:
    graph = EntityPorts(knowledge=store.knowledge, links=store.links)
    return await match(graph, scope, pattern=pattern, ontology=load_baseline())


def ways(matches: Matches) -> list[tuple[str, ...]]:
    """Return the names along each match."""
    return [
        tuple(n.members[0].name if isinstance(n, Entity) else repr(n.value) for n in each.nodes)
        for each in matches.found
    ]


def named(*names: str) -> Shape:
    return Shape(names=frozenset(names))


def hop(
    *relations: str, toward: Toward = Toward.OBJECT, reaches: Shape | None = None
) -> PatternHop:
    return PatternHop(relations=frozenset(relations), toward=toward, reaches=reaches or Shape())


@opener
@pytest.mark.anyio
async def test_a_pattern_goes_from_document_to_document(opener: Opener) -> None:
    async with opener() as store:
        await fill(store, WORLD)
        to_place = GraphPattern(start=named("li wei"), hops=(hop("works_for"), hop("located_in")))
        (found,) = (await ask(store, to_place)).found
        assert [n.members[0].name for n in found.nodes if isinstance(n, Entity)] == [
            "li wei",
            "acme",
            "seoul",
        ]
        documents = [[claim.document_id for claim in step] for step in found.steps]
        assert documents == [["file:pages/a"], ["file:pages/b"]]
        back = GraphPattern(start=named("acme"), hops=(hop("works_for", toward=Toward.SUBJECT),))
        assert ways(await ask(store, back)) == [("acme", "li wei"), ("acme", "ada")]
        assert ways(await ask(store, back, scope_of())) == [("acme", "li wei")]
        year = GraphPattern(start=named("acme"), hops=(hop("founded_in"),))
        (found,) = (await ask(store, year)).found
        assert found.nodes[-1] == MatchedLiteral(value=1999)


@opener
@pytest.mark.anyio
async def test_linked_entities_are_one_node(opener: Opener) -> None:
    leaders = GraphPattern(
        start=named("acme"), hops=(hop("leads", "works_for", toward=Toward.SUBJECT),)
    )
    async with opener() as store:
        await fill(store, WORLD)
        assert len((await ask(store, leaders)).found) == 2
        await join(store, local("a", ACME), local("d", ACME_LONG), LinkKind.SAME_AS)
        linked = await ask(store, leaders)
        assert [way[1] for way in ways(linked)] == ["li wei", "ada", "김철수"]
        node = linked.found[0].nodes[0]
        assert isinstance(node, Entity)
        assert {member.name for member in node.members} == {"acme", "acme corporation"}
        assert local("b", ACME) in node.members
        await join(store, local("b", ACME), local("d", ACME_LONG), LinkKind.NOT_SAME_AS)
        node = (await ask(store, leaders)).found[0].nodes[0]
        assert isinstance(node, Entity)
        assert local("b", ACME) not in node.members


@opener
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("comparison", "value", "firms"),
    [
        (Comparison.EQUALS, 1999, ["acme"]),
        (Comparison.EQUALS, "1999", ["acme"]),
        (Comparison.AT_LEAST, 2000, ["orbit"]),
        (Comparison.AT_MOST, "2004-06", ["acme", "orbit"]),
        (Comparison.AT_MOST, 1998.5, []),
        (Comparison.CONTAINS, "05-0", ["orbit"]),
        (Comparison.EQUALS, None, []),
    ],
)
async def test_conditions_are_on_stated_values(
    opener: Opener, comparison: Comparison, value: Value, firms: list[str]
) -> None:
    condition = PropertyFilter(name="founded_in", comparison=comparison, value=value)
    shape = Shape(classes=frozenset({FIRM}), where=(condition,))
    async with opener() as store:
        await fill(store, WORLD)
        assert [way[0] for way in ways(await ask(store, GraphPattern(start=shape)))] == firms
        reached = GraphPattern(start=Shape(classes=frozenset({PERSON})), hops=(hop(reaches=shape),))
        assert {way[1] for way in ways(await ask(store, reached))} == set(firms) & {"acme"}


@opener
@pytest.mark.anyio
async def test_the_limit_cuts_in_order_and_says_so(opener: Opener) -> None:
    async with opener() as store:
        await fill(store, WORLD)
        people = GraphPattern(start=Shape(classes=frozenset({PERSON})))
        whole = await ask(store, people)
        assert not whole.is_cut
        cut = await ask(store, replace(people, limit=2))
        assert cut.is_cut
        assert cut.found == whole.found[:2]


@opener
@pytest.mark.anyio
@pytest.mark.parametrize("said", INJECTIONS)
async def test_names_are_data(opener: Opener, said: str) -> None:
    page = Page("x", OPEN, ((LI, "works_for", (f"{said} firm", FIRM)),))
    is_storable = "\u0000" not in said
    async with opener() as store:
        await fill(store, (*WORLD, page) if is_storable else WORLD)
        before = [line async for line in store.holdings.export(WRITER)]
        pattern = GraphPattern(
            start=named(f"{said} firm"), hops=(hop("works_for", toward=Toward.SUBJECT),)
        )
        expected = [(f"{said} firm", "li wei")] if is_storable else []
        assert ways(await ask(store, pattern)) == expected
        where = PropertyFilter(name="founded_in", comparison=Comparison.CONTAINS, value=said)
        await ask(store, GraphPattern(start=Shape(where=(where,))))
        for wrong in (
            GraphPattern(start=Shape(classes=frozenset({said}))),
            GraphPattern(start=named("acme"), hops=(hop(said),)),
            GraphPattern(start=Shape(where=(replace(where, name=said),))),
        ):
            with pytest.raises(BadInput):
                await ask(store, wrong)
        assert [line async for line in store.holdings.export(WRITER)] == before


@pytest.mark.anyio
@pytest.mark.parametrize(
    "pattern",
    [
        GraphPattern(start=Shape()),
        GraphPattern(start=named("acme"), hops=(PatternHop(),) * 4),
        GraphPattern(start=named("acme"), limit=0),
        GraphPattern(start=named("acme"), limit=201),
        GraphPattern(start=named(*(str(number) for number in range(21)))),
        GraphPattern(start=named("acme"), hops=(hop("works for"),)),
        GraphPattern(start=Shape(classes=frozenset({"company"}))),
    ],
)
async def test_a_pattern_keeps_to_its_bounds(pattern: GraphPattern) -> None:
    async with sqlite() as store:
        with pytest.raises(BadInput):
            await ask(store, pattern)


THINGS = (LI, ADA, KIM, ACME, ACME_LONG, ORBIT, SEOUL)
RELATIONS = ("works_for", "leads", "located_in", "acquired_by", "founded_in")
sayings = st.tuples(
    st.sampled_from(THINGS),
    st.sampled_from(RELATIONS),
    st.one_of(st.sampled_from(THINGS), st.integers(1990, 1993)),
).filter(lambda said: said[0] != said[2])
worlds = st.lists(
    st.builds(
        Page,
        name=st.sampled_from([f"p{n}" for n in range(7)]),
        acl=st.sampled_from(ACLS),
        says=st.lists(sayings, max_size=4).map(tuple),
        mentions=st.lists(st.sampled_from(THINGS), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda page: page.name,
)
conditions = st.builds(
    PropertyFilter,
    name=st.just("founded_in"),
    comparison=st.sampled_from(Comparison),
    value=st.integers(1990, 1993),
)
shapes = st.builds(
    Shape,
    classes=st.sets(st.sampled_from((PERSON, FIRM, PLACE)), max_size=2).map(frozenset),
    names=st.sets(st.sampled_from([name for name, _ in THINGS]), max_size=2).map(frozenset),
    where=st.lists(conditions, max_size=1).map(tuple),
)
patterns = st.builds(
    GraphPattern,
    start=shapes.filter(lambda shape: not shape.is_empty),
    hops=st.lists(
        st.builds(
            PatternHop,
            relations=st.sets(st.sampled_from(RELATIONS), max_size=2).map(frozenset),
            toward=st.sampled_from(Toward),
            reaches=st.one_of(st.just(Shape()), shapes),
        ),
        max_size=3,
    ).map(tuple),
    limit=st.integers(1, 20),
)
Joins = list[tuple[int, int, LinkKind]]
joins = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.sampled_from(LinkKind)), max_size=4
)


async def answered(
    opener: Opener, pages: list[Page], links: Joins, asked: list[GraphPattern], scope: Scope
) -> list[Matches]:
    """Return the matches in a store of these pages, linked as far as the scope can see."""
    ends = sorted({local(p.name, t) for p in pages for t in _things(p)})
    async with opener() as store:
        await fill(store, pages)
        for left, right, kind in links:
            one, other = ends[left % len(ends)], ends[right % len(ends)]
            if one != other:
                await join(store, one, other, kind)
        return [await ask(store, pattern, scope) for pattern in asked]


def _things(page: Page) -> set[Thing]:
    spoken = {o for _, _, o in page.says if isinstance(o, tuple)}
    return {*page.mentions, *spoken, *(s for s, _, _ in page.says)} or set()


@opener
@few
@given(
    pages=worlds,
    asked=st.lists(patterns, min_size=1, max_size=3),
    groups=st.sets(st.sampled_from(PRINCIPALS)),
    links=joins,
)
def test_hidden_claims_change_nothing(
    opener: Opener,
    pages: list[Page],
    asked: list[GraphPattern],
    groups: set[str],
    links: Joins,
) -> None:
    """With links among what can be read alone; what is hidden has its own."""
    scope = scope_of(*sorted(groups))
    shown = [page for page in pages if page.acl & scope.principals and _things(page)]
    hidden = [page for page in pages if not page.acl & scope.principals]
    kept = links if shown else []

    async def check() -> None:
        part = await answered(opener, shown, kept, asked, scope)
        ends = sorted({local(p.name, t) for p in shown for t in _things(p)})
        async with opener() as store:
            await fill(store, [*hidden, *shown])
            others = sorted({local(p.name, t) for p in hidden for t in _things(p)})
            for left, right, kind in kept:
                one, other = ends[left % len(ends)], ends[right % len(ends)]
                if one != other:
                    await join(store, one, other, kind)
                if others:  # one end of this is hidden
                    await join(store, one, others[right % len(others)], kind)
            assert [await ask(store, pattern, scope) for pattern in asked] == part

    anyio.run(check)


@opener
@few
@given(pages=worlds, asked=st.lists(patterns, min_size=1, max_size=3), links=joins)
def test_every_backend_answers_as_sqlite_does(
    opener: Opener, pages: list[Page], asked: list[GraphPattern], links: Joins
) -> None:
    kept = [page for page in pages if _things(page)]

    async def check() -> None:
        wanted = await answered(sqlite, kept, links if kept else [], asked, WRITER)
        shuffled = list(reversed(kept))
        assert await answered(opener, shuffled, links if kept else [], asked, WRITER) == wanted

    anyio.run(check)
