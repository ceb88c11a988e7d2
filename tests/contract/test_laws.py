"""The four laws, as properties, on every backend."""

from __future__ import annotations

import struct

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.stores import BACKENDS, EXAMPLES, Opener, Store
from weft.domain.scope import Scope
from weft.ports.holdings import BaseCounts
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.hits import Query
from weft.retrieval.search import search
from worlds import (
    PRINCIPALS,
    SENTENCES,
    WRITER,
    Draft,
    Hashes,
    drafts,
    patch_of,
    put_drafts,
    scope_of,
)

pytestmark = pytest.mark.timeout(60 + 12 * EXAMPLES)
opener = pytest.mark.parametrize("opener", BACKENDS.values(), ids=BACKENDS.keys())
QUESTIONS = (
    "When did the outage of Apollo begin?",
    "Li Wei Payments team",
    "서울 김철수",
    "program",
)
few = settings(max_examples=EXAMPLES, deadline=None)


async def answers(opener: Opener, world: list[Draft], scope: Scope = WRITER) -> list[object]:
    """Return all that an empty store answers once it holds a world."""
    async with opener() as store:
        await put_drafts(store, *world)
        return await responses(store, scope)


async def export(store: Store, scope: Scope = WRITER) -> list[str]:
    return [line async for line in store.holdings.export(scope)]


async def responses(store: Store, scope: Scope) -> list[object]:
    """Return all that the ports answer to a caller, scores to the bit."""
    seen: list[object] = [await ranking(store, scope, question) for question in QUESTIONS]
    seen.append(await export(store, scope))
    seen.append(await store.holdings.counts(scope))
    wanted = DocumentFilter(types=frozenset({"file"}))
    documents = await store.knowledge.find(scope, wanted, 100)
    seen.append(documents)
    seen.append(await store.knowledge.neighbours(scope, [d.id for d in documents], 3))
    seen.append(await store.knowledge.entities(scope, "apollo", 100))
    seen.append(await store.knowledge.containing(scope, "apollo", 100))
    seen.append(await store.ledger.outcomes(scope))
    return seen


async def ranking(store: Store, scope: Scope, question: str) -> list[tuple[object, ...]]:
    """Return all of a search: passages in order, scores to the bit, ways through the graph."""
    base = Base(name="World", knowledge=store.knowledge)
    seen: list[tuple[object, ...]] = []
    for embedder in (Hashes(), None):
        query = Query(text=question, top_k=50, per_document=50, explain=True)
        found = await search([base], embedder, scope, query=query)
        seen += [
            (
                hit.evidence,
                struct.pack("<d", hit.score),
                struct.pack(f"<{1 + len(hit.cosines)}d", hit.cosine, *hit.cosines),
            )
            for hit in found.hits
        ]
        seen.append((found.terms, found.passages, found.notes, found.explanations))
    return seen


@opener
@few
@given(world=drafts())
def test_publishing_twice_is_publishing_once(opener: Opener, world: list[Draft]) -> None:
    async def check() -> None:
        async with opener() as store:
            await put_drafts(store, *world)
            before = await export(store)
            version = (await store.knowledge.view(WRITER)).version
            await put_drafts(store, *world)
            assert await export(store) == before
            assert (await store.knowledge.view(WRITER)).version == version

    anyio.run(check)


@opener
@few
@given(world=drafts(), data=st.data())
def test_any_order_gives_the_same_store(
    opener: Opener, world: list[Draft], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(world))

    async def check() -> None:
        assert await answers(opener, world) == await answers(opener, shuffled)

    anyio.run(check)


@opener
@few
@given(world=drafts(), data=st.data())
def test_a_deleted_document_was_never_there(
    opener: Opener, world: list[Draft], data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.sampled_from([draft.name for draft in world])))

    kept = [draft for draft in world if draft.name not in gone]

    async def check() -> None:
        async with opener() as store:
            await put_drafts(store, *world)
            await responses(store, WRITER)  # the caches are warm with what will be deleted
            fence = await store.publishing.issue_fence(WRITER, "world")
            for draft in world:
                if draft.name in gone:
                    key = patch_of(draft).document.id
                    assert await store.publishing.delete(WRITER, key, fence=fence)
            seen = await responses(store, WRITER)
        assert seen == await answers(opener, kept)

    anyio.run(check)


@opener
@few
@given(world=drafts(), groups=st.sets(st.sampled_from(PRINCIPALS)))
def test_what_is_hidden_changes_nothing(
    opener: Opener, world: list[Draft], groups: set[str]
) -> None:
    scope = scope_of(*sorted(groups))
    readable = [draft for draft in world if draft.acl & scope.principals]

    async def check() -> None:
        async with opener() as store:
            await put_drafts(store, *world)
            await ranking(store, WRITER, QUESTIONS[0])
            seen = await responses(store, scope)
        assert seen == await answers(opener, readable, scope)

    anyio.run(check)


@opener
@few
@given(world=drafts(), data=st.data())
def test_a_replaced_document_is_only_its_new_self(
    opener: Opener, world: list[Draft], data: st.DataObject
) -> None:
    """Editing texts and ACLs in place ends where publishing the last state alone ends."""
    edits = {draft.name: draft for draft in data.draw(drafts())}
    last = [edits.get(draft.name, draft) for draft in world]

    scopes = (WRITER, scope_of("group:blue"), scope_of())

    async def check() -> None:
        async with opener() as store:
            await put_drafts(store, *world)
            await responses(store, WRITER)
            await put_drafts(store, *last)
            seen = [await responses(store, scope) for scope in scopes]
        async with opener() as store:
            await put_drafts(store, *last)
            assert seen == [await responses(store, scope) for scope in scopes]

    anyio.run(check)


@opener
def test_another_tenant_sees_nothing(opener: Opener) -> None:
    from weft.platform.identity import principal_scope

    stranger = principal_scope(
        tenant="other", actor="user:x", groups=PRINCIPALS, permissions={"kb.read"}
    )
    world = [Draft("doc0", frozenset({"tenant:*"}), ((0, 1), (6,)))]

    async def check() -> None:
        async with opener() as store:
            await put_drafts(store, *world)
            shown = await ranking(store, stranger, SENTENCES[0])
            assert all(len(row) == 4 for row in shown)  # no passage, only what is known of none
            assert {row[1] for row in shown} == {0}
            counts = await store.holdings.counts(stranger)
            assert counts == BaseCounts(documents=0, chunks=0, mentions=0, claims=0, references=0)
            assert await store.holdings.settings(stranger) == {}

    anyio.run(check)
