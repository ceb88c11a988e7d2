"""Documents one by one in the same order on every backend, whatever their ids and claims are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contract.stores import BACKENDS, Opener
from weft.domain.claim import Claim, Method, claim_id
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from weft.platform.identity import narrow
from worlds import OPEN, WRITER, Draft, patch_of, put, scope_of

pytestmark = pytest.mark.anyio
opener = pytest.mark.parametrize("opener", BACKENDS.values(), ids=BACKENDS.keys())

READER = scope_of()
# Code points in order, also past the sixteenth bit; small and capital letters apart.
NAMES = ["A", "B", "a", "ab", "b", "é", "가", "\uff5e", "\U0001f600"]


def claims_of(patch: Patch) -> tuple[Claim, ...]:
    """Return claims between entities and with values, of three relations, the last ones first."""
    first, second = (passage.chunk for passage in patch.passages)
    said = [
        (second, "works_for", "payments", 0, 9),
        (second, "located_in", None, 0, 4),
        (first, "not_in_the_vocabulary", "seoul", 3, 9),
        (first, "works_for", "hopper", 3, 5),
        (first, "works_for", "apollo", 3, 5),
    ]
    return tuple(
        Claim(
            id=claim_id(chunk.id, "li wei", predicate=relation, said=spoken or "1", start=start),
            chunk_id=chunk.id,
            subject_name="li wei",
            subject_class="person",
            predicate=relation,
            object_name=spoken,
            object_class=None if spoken is None else "team",
            value=1 if spoken is None else None,
            start=chunk.start + start,
            end=chunk.start + end,
            method=Method.GENERATED,
            confidence=0.5,
        )
        for chunk, relation, spoken, start, end in said
    )


@opener
async def test_pages_go_by_code_points_and_every_page_goes_on_where_the_last_ended(
    opener: Opener,
) -> None:
    patches = [patch_of(Draft(name, OPEN, ((0,),))) for name in NAMES]
    async with opener() as store:
        await put(store, *reversed(patches))
        seen: list[DocumentId] = []
        while page := await store.documents.page(READER, after=seen[-1] if seen else None, limit=2):
            assert len(page) <= 2
            seen += [document.id for document in page]
        assert seen == [patch.document.id for patch in patches]


@opener
async def test_text_is_looked_for_in_id_title_and_uri_case_apart(opener: Opener) -> None:
    plain = patch_of(Draft("plain", OPEN, ((0,),)))
    titled = patch_of(Draft("titled", OPEN, ((0,),)))
    titled = replace(titled, document=replace(titled.document, title="ÜBER Seoul 100%"))
    placed = patch_of(Draft("placed", OPEN, ((0,),)))
    placed = replace(placed, document=replace(placed.document, uri="https://wiki/서울"))
    async with opener() as store:
        await put(store, plain, titled, placed)
        for text, wanted in {
            "Über": [titled],
            "100%": [titled],
            "1_0": [],
            "WIKI/서울": [placed],
            "world/p": [placed, plain],
            "ada lovelace": [],
        }.items():
            page = await store.documents.page(READER, after=None, limit=9, text=text)
            assert page == [patch.document for patch in wanted], text


@opener
async def test_claims_are_in_the_order_of_the_text(opener: Opener) -> None:
    patch = patch_of(Draft("doc", OPEN, ((3, 2), (6,))))
    patch = replace(patch, claims=claims_of(patch))
    other = patch_of(Draft("other", OPEN, ((3, 2), (6,))))
    other = replace(other, claims=claims_of(other))
    async with opener() as store:
        await put(store, patch, other)
        opened = await store.documents.opened(READER, patch.document.id)
        ordered = sorted(patch.claims, key=lambda claim: (claim.start, claim.end, claim.id))
        assert list(opened.claims) == ordered
        assert opened.chunks == tuple(passage.chunk for passage in patch.passages)
        for chunk in opened.chunks:
            assert opened.text[chunk.start : chunk.end] == chunk.text


@opener
async def test_what_is_outside_the_sources_is_not_there(opener: Opener) -> None:
    patch = patch_of(Draft("doc", OPEN, ((0,),)))
    key = patch.document.id
    async with opener() as store:
        await put(store, patch)
        inside, outside = narrow(READER, ["World"]), narrow(READER, ["elsewhere"])
        assert (await store.documents.opened(inside, key)).document == patch.document
        assert await store.documents.document(inside, key) == patch.document
        assert await store.documents.page(inside, after=None, limit=9) == [patch.document]
        assert await store.documents.page(outside, after=None, limit=9) == []
        for call in (store.documents.opened, store.documents.document):
            with pytest.raises(NotFound):
                await call(outside, key)


@opener
async def test_an_opened_document_is_the_last_version(opener: Opener) -> None:
    first = patch_of(Draft("doc", OPEN, ((3, 2), (6,))))
    first = replace(first, claims=claims_of(first))
    second = patch_of(Draft("doc", OPEN, ((2,),)))
    key = first.document.id
    async with opener() as store:
        fence = await store.publishing.issue_fence(WRITER, "world")
        await store.publishing.publish(WRITER, first, expected_version=None, fence=fence)
        version = first.document.version
        await store.publishing.publish(WRITER, second, expected_version=version, fence=fence)
        opened = await store.documents.opened(READER, key)
        assert opened.text == second.text
        assert opened.chunks == tuple(passage.chunk for passage in second.passages)
        assert opened.claims == second.claims
        assert await store.publishing.delete(WRITER, key, fence=fence)
        with pytest.raises(NotFound):
            await store.documents.opened(READER, key)
