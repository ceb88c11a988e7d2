"""A copy holds what its original holds, on any backend and back again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from contract.stores import BACKENDS, Opener, Store, sqlite
from contract.test_laws import QUESTIONS, export, ranking
from weft.bases.copies import CopyOptions, CopyProgress, CopySide, copy, recipe_of
from weft.domain.acl import acl_class
from weft.domain.claim import Link, LinkKind, LocalEntity
from weft.domain.document import document_version
from weft.domain.errors import BadInput, Forbidden, NotFound
from weft.domain.ids import DocumentId, digest
from weft.domain.ledger import FileEntry, FileStatus
from weft.domain.patch import Patch
from weft.domain.scope import Scope
from worlds import DIMENSIONS, OPEN, WRITER, Draft, patch_of, put_drafts, scope_of

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]
opener = pytest.mark.parametrize("opener", BACKENDS.values(), ids=BACKENDS.keys())

BLUE = frozenset({"group:blue"})
WORLD = [
    Draft("doc0", OPEN, ((1, 2), (4,))),
    Draft("doc1", BLUE, ((3,), (6, 7))),
    Draft("문서 2", OPEN, ((5, 8, 9),)),
    Draft("doc3", frozenset({"group:blue", "group:red"}), ((0,), (10,), (2, 3))),
]


class Audience:
    """Keeps what a copy told while it went on."""

    def __init__(self) -> None:
        self.seen: list[CopyProgress] = []
        self.forgotten: list[DocumentId] = []

    async def forget(self, documents: Sequence[DocumentId]) -> None:
        self.forgotten += documents

    def options(self, *, prune: bool = False) -> CopyOptions:
        return CopyOptions(watch=self.seen.append, forget=self.forget, prune=prune)


def side(store: Store) -> CopySide:
    return CopySide(
        holdings=store.holdings,
        publishing=store.publishing,
        ledger=store.ledger,
        links=store.links,
    )


async def copied(original: Store, into: Store, *, prune: bool = False) -> CopyProgress:
    options = Audience().options(prune=prune)
    return await copy(WRITER, side(original), into=side(into), options=options)


async def furnish(store: Store) -> None:
    """Put documents, sources, files and a link into an empty store."""
    await put_drafts(store, *WORLD)
    await store.ledger.source(WRITER, "/data/world", wanted="world", acl=BLUE)
    await store.ledger.source(WRITER, "/data/other", wanted="other", acl=None)
    for number, acl in enumerate((OPEN, BLUE)):
        await store.ledger.record(
            WRITER,
            FileEntry(
                source="world",
                path=f"{number}.md",
                status=FileStatus.READ,
                version=str(number),
                acl=acl,
                characters=100 * number,
            ),
        )
    left, right = (patch_of(draft).document.id for draft in WORLD[:2])
    await store.links.add(
        WRITER,
        Link(
            left=LocalEntity(document_id=left, name="apollo", entity_class="software"),
            right=LocalEntity(document_id=right, name="li wei", entity_class="person"),
            kind=LinkKind.NOT_SAME_AS,
            method="person",
            score=0.75,
            reason="a service is no person",
            author="user:reader",
        ),
    )


async def told(store: Store) -> list[object]:
    """Return all by which two stores could be told apart."""
    scopes: tuple[Scope, ...] = (WRITER, scope_of("group:red"), scope_of())
    seen: list[object] = [await store.ledger.sources(WRITER)]
    for scope in scopes:
        seen.append(await export(store, scope))
        seen.append(await store.ledger.files(scope, None))
        seen += [await ranking(store, scope, question) for question in QUESTIONS]
    return seen


@opener
async def test_a_copy_and_its_copy_are_the_original(opener: Opener) -> None:
    async with sqlite() as first, opener() as second, sqlite() as third:
        await furnish(first)
        done = await copied(first, second)
        assert (done.documents, done.written, done.files, done.links) == (4, 4, 2, 1)
        await copied(second, third)
        original = await told(first)
        assert await told(second) == original
        assert await told(third) == original


@opener
async def test_a_copy_begun_again_writes_what_is_missing(opener: Opener) -> None:
    async with sqlite() as first, opener() as second:
        await furnish(first)
        await put_drafts(second, *WORLD[:2])
        assert (await copied(first, second)).written == 2
        again = await copied(first, second)
        assert (again.written, again.removed, again.files, again.links) == (0, 0, 0, 0)
        assert await export(second) == await export(first)


@opener
async def test_what_the_original_has_not_goes_only_when_asked(opener: Opener) -> None:
    async with sqlite() as first, opener() as second:
        await put_drafts(second, *WORLD)
        await put_drafts(first, replace(WORLD[0], chunks=((1,),)))
        before = await export(second)
        with pytest.raises(BadInput):
            await copied(first, second)
        assert await export(second) == before
        audience = Audience()
        options = audience.options(prune=True)
        done = await copy(WRITER, side(first), into=side(second), options=options)
        assert (done.written, done.removed) == (1, 3)
        assert set(audience.forgotten) == {patch_of(draft).document.id for draft in WORLD[1:]}
        assert await export(second) == await export(first)


@opener
async def test_a_copy_that_would_lack_something_is_refused(opener: Opener) -> None:
    async with opener() as first, sqlite() as second:
        await put_drafts(first, *WORLD)
        options = Audience().options()
        with pytest.raises(Forbidden):
            await copy(scope_of(), side(first), into=side(second), options=options)
        assert await second.holdings.versions(WRITER, None) == {}


@opener
async def test_a_patch_comes_back_whole(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, *WORLD)
        for draft in WORLD:
            wanted = patch_of(draft)
            found = await store.holdings.patch(WRITER, wanted.document.id)
            assert _plain(found) == _plain(wanted)
            held = await store.holdings.embedded(WRITER, wanted.document.id)
            assert held.title == wanted.document.title
            assert [chunk for chunk, _ in held.passages] == [one.chunk for one in found.passages]
            for (_, vectors), kept in zip(held.passages, found.passages, strict=True):
                assert kept.vectors is not None
                assert vectors.passage.tobytes() == kept.vectors.passage.tobytes()
                assert vectors.sentences.tobytes() == kept.vectors.sentences.tobytes()
            for given, kept in zip(wanted.passages, found.passages, strict=True):
                assert given.vectors is not None
                assert kept.vectors is not None
                assert given.vectors.passage.tobytes() == kept.vectors.passage.tobytes()
                assert given.vectors.sentences.tobytes() == kept.vectors.sentences.tobytes()
        hidden = patch_of(WORLD[1]).document.id
        for key in (hidden, DocumentId("file:world/none")):
            with pytest.raises(NotFound) as caught:
                await store.holdings.patch(scope_of(), key)
            assert caught.value.message == "There is no such document."
            with pytest.raises(NotFound):
                await store.holdings.embedded(scope_of(), key)


def _plain(patch: Patch) -> Patch:
    """Return a patch as it is compared: its parts in order, vectors apart."""
    return replace(
        patch,
        passages=tuple(replace(each, vectors=None) for each in patch.passages),
        mentions=tuple(
            sorted(patch.mentions, key=lambda m: (m.chunk_id, m.start, m.end, m.entity_class))
        ),
        claims=tuple(sorted(patch.claims, key=lambda claim: claim.id)),
        handles=tuple(sorted(patch.handles)),
    )


@opener
async def test_a_document_without_anything_to_say_is_copied_too(opener: Opener) -> None:
    acl = acl_class(OPEN)
    empty = patch_of(WORLD[0])
    document = replace(
        empty.document,
        id=DocumentId("file:world/empty"),
        version=document_version(digest("empty"), acl),
        metadata={"n": 1, "f": 1.5, "b": True, "none": None, "Ünïcode": "서울"},
    )
    patch = Patch(document=document, text="", passages=())
    async with opener() as first, sqlite() as second:
        fence = await first.publishing.issue_fence(WRITER, "world")
        await first.publishing.publish(WRITER, patch, expected_version=None, fence=fence)
        await copied(first, second)
        assert await second.holdings.patch(WRITER, document.id) == patch
        assert await export(first) == await export(second)


@opener
async def test_a_copy_is_made_as_its_original_was(opener: Opener) -> None:
    async with opener() as store:
        recipe = await recipe_of(WRITER, store.holdings)
        assert (recipe.settings, recipe.dimensions) == ({"embedder": "test"}, DIMENSIONS)
