"""What every backend promises of documents one by one: pages, one opened, nothing hidden."""

from __future__ import annotations

import pytest

from contract.stores import BACKENDS, Opener
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId
from weft.platform.identity import narrow
from worlds import BLUE, OPEN, Draft, patch_of, put_drafts, scope_of

pytestmark = pytest.mark.anyio
opener = pytest.mark.parametrize("opener", BACKENDS.values(), ids=BACKENDS.keys())

DRAFTS = [Draft(f"doc{n}", OPEN if n % 2 else BLUE, ((n, 2), (4,))) for n in range(5)]
NOBODY = scope_of()


@opener
async def test_pages_show_what_is_readable_in_order(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, *DRAFTS)
        ids = [document.id for document in await store.documents.page(NOBODY, after=None, limit=9)]
        assert ids == sorted(patch_of(draft).document.id for draft in DRAFTS if draft.acl == OPEN)
        first = await store.documents.page(NOBODY, after=None, limit=1)
        rest = await store.documents.page(NOBODY, after=first[0].id, limit=9)
        assert [first[0].id, *(document.id for document in rest)] == ids
        none = narrow(NOBODY, ["nowhere"])
        assert await store.documents.page(none, after=None, limit=9) == []


@opener
async def test_a_page_can_be_narrowed_by_text(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, *DRAFTS)
        one = patch_of(DRAFTS[1]).document
        word = one.id.upper()
        found = await store.documents.page(NOBODY, after=None, limit=9, text=word)
        assert [document.id for document in found] == [one.id]


@opener
async def test_chunks_are_counted_of_readable_documents_alone(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, *DRAFTS)
        patches = [patch_of(draft) for draft in DRAFTS]
        ids = [patch.document.id for patch in patches]
        counts = await store.documents.chunk_counts(NOBODY, [*ids, DocumentId("nothing")])
        readable = {
            patch.document.id: len(patch.passages)
            for patch, draft in zip(patches, DRAFTS, strict=True)
            if draft.acl == OPEN
        }
        assert counts == readable
        assert await store.documents.chunk_counts(NOBODY, []) == {}


@opener
async def test_an_opened_document_is_what_was_published(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, *DRAFTS)
        patch = patch_of(DRAFTS[1])
        opened = await store.documents.opened(NOBODY, patch.document.id)
        assert opened.document == patch.document
        assert opened.text == patch.text
        assert opened.chunks == tuple(passage.chunk for passage in patch.passages)
        by_id = {claim.id: claim for claim in patch.claims}
        assert {claim.id: claim for claim in opened.claims} == by_id
        assert await store.documents.document(NOBODY, patch.document.id) == patch.document


@opener
async def test_what_is_hidden_is_not_there(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, *DRAFTS)
        hidden = patch_of(DRAFTS[0]).document.id
        messages = set()
        for key in (hidden, type(hidden)("file:none/none")):
            for call in (store.documents.opened, store.documents.document):
                with pytest.raises(NotFound) as missed:
                    await call(NOBODY, key)
                messages.add(missed.value.message)
        assert len(messages) == 1
