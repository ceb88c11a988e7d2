"""What every knowledge backend promises beside the laws."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from contract.stores import BACKENDS, Opener
from weft.domain.acl import acl_class
from weft.domain.claim import Link, LinkKind, LocalEntity
from weft.domain.document import content_version, document_version
from weft.domain.errors import FenceRefused, NotFound, VersionConflict
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.ledger import FileEntry, FileStatus, KnownSource
from weft.platform.identity import narrow
from weft.ports.knowledge import DocumentFilter
from worlds import BLUE, DIMENSIONS, OPEN, WRITER, Draft, patch_of, put_drafts, scope_of

pytestmark = pytest.mark.anyio
opener = pytest.mark.parametrize("opener", BACKENDS.values(), ids=BACKENDS.keys())

APOLLO = Draft("doc0", OPEN, ((1, 2), (4,)))
HIDDEN = Draft("doc1", BLUE, ((3,), (6,)))
NOBODY = scope_of()


@opener
async def test_an_old_worker_is_refused_and_changes_nothing(opener: Opener) -> None:
    async with opener() as store:
        old = await put_drafts(store, APOLLO)
        new = await store.publishing.issue_fence(WRITER, "world")
        assert new.number > old.number
        before = [line async for line in store.holdings.export(WRITER)]
        with pytest.raises(FenceRefused):
            await store.publishing.publish(
                WRITER, patch_of(HIDDEN), expected_version=None, fence=old
            )
        with pytest.raises(FenceRefused):
            await store.publishing.delete(WRITER, patch_of(APOLLO).document.id, fence=old)
        with pytest.raises(FenceRefused):
            await store.publishing.reclassify(WRITER, patch_of(APOLLO).document, fence=old)
        assert [line async for line in store.holdings.export(WRITER)] == before


@opener
async def test_a_document_changed_in_the_meantime_is_a_conflict(opener: Opener) -> None:
    async with opener() as store:
        fence = await put_drafts(store, APOLLO)
        changed = patch_of(replace(APOLLO, chunks=((0,),)))
        with pytest.raises(VersionConflict):
            await store.publishing.publish(WRITER, changed, expected_version=None, fence=fence)
        with pytest.raises(VersionConflict):
            await store.publishing.publish(WRITER, changed, expected_version="x", fence=fence)
        stored = await store.holdings.versions(WRITER, "world")
        await store.publishing.publish(
            WRITER, changed, expected_version=stored[changed.document.id], fence=fence
        )
        assert await store.knowledge.text(NOBODY, changed.document.id) == changed.text


@opener
async def test_hidden_and_absent_answer_alike(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, APOLLO, HIDDEN)
        hidden = patch_of(HIDDEN)
        for key in (hidden.document.id, DocumentId("file:world/none")):
            with pytest.raises(NotFound) as caught:
                await store.knowledge.text(NOBODY, key)
            assert caught.value.message == "There is no such document."
        ids = [hidden.passages[0].chunk.id, ChunkId("0" * 32)]
        assert await store.knowledge.chunks(NOBODY, ids) == []


@opener
async def test_chunks_come_back_whole_and_in_the_order_asked(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, APOLLO, HIDDEN)
        wanted = [p.chunk for d in (HIDDEN, APOLLO) for p in patch_of(d).passages]
        found = await store.knowledge.chunks(WRITER, [chunk.id for chunk in wanted])
        assert [stored.chunk for stored in found] == wanted
        assert found[-1].document == patch_of(APOLLO).document


@opener
async def test_a_new_acl_takes_effect_at_once(opener: Opener) -> None:
    async with opener() as store:
        fence = await put_drafts(store, APOLLO)
        document = patch_of(APOLLO).document
        assert (await store.knowledge.view(NOBODY)).passages == 2
        version = document_version(content_version(document.version), acl_class(BLUE))
        narrowed = replace(document, acl=BLUE, version=version)
        assert await store.publishing.reclassify(WRITER, narrowed, fence=fence)
        assert (await store.knowledge.view(NOBODY)).passages == 0
        with pytest.raises(NotFound):
            await store.knowledge.text(NOBODY, document.id)
        assert await store.knowledge.entities(NOBODY, "apollo", 9) == []
        assert (await store.knowledge.view(scope_of("group:blue"))).passages == 2
        absent = replace(narrowed, id=DocumentId("file:world/none"))
        assert not await store.publishing.reclassify(WRITER, absent, fence=fence)


@opener
async def test_documents_are_found_by_their_fields(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, APOLLO, HIDDEN)
        find = store.knowledge.find
        assert await find(WRITER, DocumentFilter(), 9) == []
        by_key = await find(WRITER, DocumentFilter(exact={"issue_key": "PAY-12"}), 9)
        assert [document.id for document in by_key] == ["file:world/doc0"]
        by_title = await find(WRITER, DocumentFilter(contains={"title": "OC1"}), 9)
        assert [document.id for document in by_title] == ["file:world/doc1"]
        both = DocumentFilter(exact={"issue_key": "PAY-12"}, contains={"title": "doc1"})
        assert await find(WRITER, both, 9) == []
        everything = DocumentFilter(types=frozenset({"FILE"}))
        assert len(await find(WRITER, everything, 9)) == 2
        assert len(await find(WRITER, everything, 1)) == 1
        assert await find(narrow(WRITER, ["jira"]), everything, 9) == []


@opener
async def test_a_reference_appears_when_both_ends_are_there(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, HIDDEN)  # it names PAY-12, which is doc0
        start = [patch_of(HIDDEN).document.id]
        assert await store.knowledge.neighbours(WRITER, start, 1) == []
        fence = await put_drafts(store, APOLLO)
        (edge,) = await store.knowledge.neighbours(WRITER, start, 1)
        assert (edge.source, edge.target) == ("file:world/doc1", "file:world/doc0")
        assert edge.kinds == ("jira_key",)
        assert await store.knowledge.neighbours(NOBODY, [edge.target], 3) == []
        await store.publishing.delete(WRITER, edge.target, fence=fence)
        assert await store.knowledge.neighbours(WRITER, start, 3) == []


@opener
@pytest.mark.parametrize(
    ("phrase", "chunks"), [("APOLLO IS", 1), ("of", 3), ("50%", 0), ("_pollo", 0), ("", 0)]
)
async def test_phrases_are_found_as_they_stand(opener: Opener, phrase: str, chunks: int) -> None:
    async with opener() as store:
        await put_drafts(store, APOLLO, HIDDEN)
        assert len(await store.knowledge.containing(WRITER, phrase, 9)) == chunks


def entity(draft: Draft, name: str, kind: str) -> LocalEntity:
    key = patch_of(draft).document.id
    return LocalEntity(document_id=key, name=name, entity_class=kind)


@opener
async def test_a_link_lives_as_long_as_both_its_ends(opener: Opener) -> None:
    link = Link(
        left=entity(APOLLO, "apollo", "software"),
        right=entity(HIDDEN, "li wei", "person"),
        kind=LinkKind.NOT_SAME_AS,
        method="person",
        score=1.0,
        reason="a service is no person",
        author="user:reader",
    )
    async with opener() as store:
        fence = await put_drafts(store, APOLLO, HIDDEN)
        await store.links.add(WRITER, link)
        assert await store.links.touching(WRITER, frozenset()) == [link]
        assert await store.links.touching(WRITER, frozenset({link.right})) == [link]
        assert await store.links.touching(NOBODY, frozenset()) == []
        assert not await store.links.retract(NOBODY, link.key)
        again = patch_of(replace(APOLLO, chunks=((1,),)))
        held = await store.holdings.versions(WRITER, "world")
        await store.publishing.publish(
            WRITER, again, expected_version=held[again.document.id], fence=fence
        )
        assert await store.links.touching(WRITER, frozenset()) == [link]
        await store.publishing.delete(WRITER, again.document.id, fence=fence)
        assert await store.links.touching(WRITER, frozenset()) == []
        with pytest.raises(NotFound):
            await store.links.add(WRITER, link)
        assert await store.links.touching(WRITER, frozenset()) == []


@opener
async def test_the_ledger_shows_what_its_reader_may_read(opener: Opener) -> None:
    async with opener() as store:
        rows = [
            FileEntry(source="s", path="a.md", status=FileStatus.READ, version="1", acl=OPEN),
            FileEntry(
                source="s",
                path="b.pdf",
                status=FileStatus.ENCRYPTED,
                version="1",
                acl=BLUE,
                reason="it needs a password",
            ),
        ]
        for row in reversed(rows):
            await store.ledger.record(WRITER, row)
        assert await store.ledger.files(WRITER, "s") == rows
        assert await store.ledger.files(NOBODY, None) == rows[:1]
        for source in ("s", None):
            asked = [rows[1].path, "none.md", rows[1].path]
            assert await store.ledger.files(WRITER, source, paths=asked) == rows[1:2]
            assert await store.ledger.files(NOBODY, source, paths=asked) == []
        assert await store.ledger.files(WRITER, "other", paths=[rows[1].path]) == []
        assert await store.ledger.files(WRITER, "s", paths=[]) == []
        changed = replace(rows[0], status=FileStatus.CORRUPT, reason="cut short")
        await store.ledger.record(WRITER, changed)
        await store.ledger.forget(WRITER, "s", ["b.pdf"])
        assert await store.ledger.files(WRITER, None) == [changed]


@opener
async def test_a_root_has_one_name_and_a_name_one_root(opener: Opener) -> None:
    async with opener() as store:
        source = store.ledger.source
        first = await source(WRITER, "/a/notes", wanted="notes", acl=None)
        assert first == KnownSource(name="notes", root="/a/notes", acl=OPEN)
        other = await source(WRITER, "/b/notes", wanted="notes", acl=BLUE)
        assert (other.name, other.acl) == ("notes-2", BLUE)
        assert await source(WRITER, "/a/notes", wanted="else", acl=None) == first
        assert await store.ledger.sources(WRITER) == [first, other]


@opener
async def test_readers_of_a_source_stay_until_others_are_named(opener: Opener) -> None:
    async with opener() as store:
        source = store.ledger.source
        await source(WRITER, "/a", wanted="a", acl=BLUE)
        assert (await source(WRITER, "/a", wanted="a", acl=None)).acl == BLUE
        assert (await source(WRITER, "/a", wanted="a", acl=OPEN)).acl == OPEN
        assert (await source(WRITER, "/a", wanted="a", acl=None)).acl == OPEN


@opener
async def test_a_cleared_base_is_empty_and_keeps_its_sources(opener: Opener) -> None:
    async with opener() as store:
        await put_drafts(store, APOLLO, HIDDEN)
        known = await store.ledger.source(WRITER, "/a", wanted="a", acl=BLUE)
        before = (await store.knowledge.view(WRITER)).version
        new = {"embedder": "other"}
        await store.holdings.clear(WRITER, settings=new, dimensions=DIMENSIONS)
        assert await store.ledger.sources(WRITER) == [known]
        assert (await store.holdings.settings(WRITER))["embedder"] == "other"
        lines = [line async for line in store.holdings.export(WRITER)]
        assert [json.loads(line)["kind"] for line in lines] == ["knowledge_base"]
        assert (await store.knowledge.view(WRITER)).version > before
        assert (await store.knowledge.view(WRITER)).passages == 0
        await put_drafts(store, HIDDEN)
        assert (await store.knowledge.view(WRITER)).passages == 2
