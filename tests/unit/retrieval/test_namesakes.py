"""Who bears a name, in a real store: what curators say of it, and who may not know."""

from __future__ import annotations

import pytest

from contract.stores import Store, sqlite
from weft.domain.claim import Link, LinkKind, LocalEntity
from weft.language.names import normalise
from weft.ports.knowledge import DocumentFilter, EntityFilter
from weft.ports.store import Base
from weft.retrieval.document_passages import pages
from weft.retrieval.namesakes import namesakes
from worlds import SMALL, WRITER, put_drafts, scope_of

pytestmark = pytest.mark.anyio


async def fill(store: Store) -> Base:
    await put_drafts(store, *SMALL)
    return Base(name="World", knowledge=store.knowledge, links=store.links)


async def apart(base: Base) -> tuple[LocalEntity, LocalEntity]:
    """Return local entities of two names, one of an open document, one of the closed."""
    names = frozenset(
        [one.name for key in "aeiou" for one in await base.knowledge.entities(WRITER, key, 50)]
    )
    rows = await base.knowledge.sightings(WRITER, EntityFilter(names=names), 500)
    found = sorted({row.entity for row in rows})
    closed = next(one for one in found if one.document_id.endswith("doc2"))
    shared = {one.name for one in found if one.document_id.endswith("doc2")}
    left = next(one for one in found if one.name not in shared)
    return left, closed


async def test_a_curators_word_makes_two_names_those_of_one_bearer() -> None:
    async with sqlite() as store:
        base = await fill(store)
        left, closed = await apart(base)
        before = await namesakes([base], WRITER, left.name)
        assert all(closed.name not in map(normalise, one.names) for one in before)
        link = Link(
            left=left,
            right=closed,
            kind=LinkKind.SAME_AS,
            method="person",
            score=1.0,
            reason="",
            author="user:x",
        )
        await store.links.add(WRITER, link)
        [one] = [b for b in await namesakes([base], WRITER, left.name) if b.names]
        assert closed.name in {normalise(name) for name in one.names}
        assert ("World", closed.document_id) in one.documents
        for other in await namesakes([base], scope_of("group:green"), left.name):
            assert ("World", closed.document_id) not in other.documents
            assert closed.name not in {normalise(name) for name in other.names}


async def test_a_base_without_links_knows_of_no_bearer() -> None:
    async with sqlite() as store:
        base = await fill(store)
        plain = Base(name="World", knowledge=store.knowledge)
        left, _ = await apart(base)
        assert await namesakes([plain], WRITER, left.name) == ()
        assert await namesakes([base], WRITER, "no such name") == ()


async def test_all_passages_of_a_document_come_in_order_to_those_who_may_read_it() -> None:
    async with sqlite() as store:
        base = await fill(store)
        every = await base.knowledge.find(WRITER, DocumentFilter(contains={"uri": "doc"}), 9)
        found = [(base.name, one.id) for one in every]
        assert {str(key).rsplit("/", 1)[-1] for _, key in found} == {"doc0", "doc1", "doc2"}
        hits = await pages([base], WRITER, found)
        places = [(hit.evidence.document_id, hit.evidence.chunk_index) for hit in hits]
        assert places == sorted(places)
        assert len(hits) == sum(len(draft.chunks) for draft in SMALL)
        seen = await pages([base], scope_of("group:green"), found)
        assert {hit.evidence.document_id.rsplit("/", 1)[-1] for hit in seen} == {"doc0", "doc1"}
        assert await pages([base], WRITER, [("Elsewhere", found[0][1])]) == []
        first = DocumentFilter(contains={"uri": "doc0"})
        some = await pages([base], WRITER, found, within=first)
        assert {hit.evidence.document_id.rsplit("/", 1)[-1] for hit in some} == {"doc0"}
