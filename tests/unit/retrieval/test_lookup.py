"""Names looked up in a real store: who defines them, and who may not know."""

from __future__ import annotations

import pytest

from contract.stores import Store, sqlite
from weft.index.named_view import named_view
from weft.platform.identity import narrow
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.calibration import naming_share
from weft.retrieval.lookup import MOST_PASSAGES, PER_NAME, LookupQuery, lookup
from worlds import SMALL, WRITER, Hashes, patch_of, put_drafts, scope_of

pytestmark = pytest.mark.anyio


async def fill(store: Store) -> Base:
    await put_drafts(store, *SMALL)
    return Base(name="World", knowledge=store.knowledge)


async def defined(base: Base) -> tuple[str, int]:
    """Return a name that only the closed document defines, and how many of them there are."""
    view = await base.knowledge.view(WRITER)
    seen = named_view(view)
    own: dict[str, set[str]] = {}
    for slot in range(len(view.readable)):
        if view.readable[slot]:
            for key in seen.defined(slot):
                own.setdefault(seen.lexicon.text(key), set()).add(view.place(slot).document_id)
    closed = sorted(name for name, ids in own.items() if ids == {"file:world/doc2"})
    return closed[0], len(own)


async def test_a_name_leads_to_the_passages_that_define_it_and_no_other() -> None:
    async with sqlite() as store:
        base = await fill(store)
        name, _ = await defined(base)
        vector = (await Hashes().queries([name]))[0]
        wanted = LookupQuery(names=[name, "no such name"], vector=vector)
        found = await lookup([base], WRITER, wanted)
        assert {hit.evidence.document_id for hit in found[name]} == {"file:world/doc2"}
        assert all(hit.cosines for hit in found[name])
        assert found[name][0].evidence.path == (f"defines {name}",)
        assert found["no such name"] == ()
        assert len(found[name]) <= PER_NAME <= MOST_PASSAGES


async def test_a_name_that_only_a_closed_document_defines_is_not_there() -> None:
    async with sqlite() as store:
        base = await fill(store)
        name, _ = await defined(base)
        assert (await lookup([base], scope_of("group:green"), LookupQuery(names=[name])))[
            name
        ] == ()
        away = narrow(WRITER, ["nowhere"])
        assert (await lookup([base], away, LookupQuery(names=[name])))[name] == ()


async def test_the_share_of_names_with_a_passage_is_of_what_may_be_read() -> None:
    async with sqlite() as store:
        base = await fill(store)
        whole = naming_share(named_view(await base.knowledge.view(WRITER)))
        part = naming_share(named_view(await base.knowledge.view(scope_of("group:green"))))
        assert 0.0 <= part <= 1.0
        assert 0.0 <= whole <= 1.0
    async with sqlite() as store:
        fence = await store.publishing.issue_fence(WRITER, "world")
        for draft in SMALL[:2]:
            await store.publishing.publish(
                WRITER, patch_of(draft), expected_version=None, fence=fence
            )
        assert naming_share(named_view(await store.knowledge.view(WRITER))) == part


async def test_a_written_name_that_nothing_defines_leads_to_what_it_heads() -> None:
    async with sqlite() as store:
        base = await fill(store)
        [document] = await base.knowledge.find(
            WRITER, DocumentFilter(contains={"uri": "doc2"}), limit=1
        )
        title = document.title
        spelt = {"as written": title}
        wanted = LookupQuery(names=["as written"], spelt=spelt)
        found = await lookup([base], WRITER, wanted)
        assert {hit.evidence.document_id for hit in found["as written"]} == {document.id}
        closed = await lookup([base], scope_of("group:green"), wanted)
        assert closed["as written"] == ()
        assert (await lookup([base], WRITER, LookupQuery(names=["as written"])))["as written"] == ()
