"""Readers beside writers that replace and delete: the old patch or the new one, never a mixture."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

import pytest

from fault.neo4j_server import PrivateServer, library_of, wipe
from weft.adapters.neo4j.database import Neo4jDatabase
from weft.domain.errors import NotFound, StoreUnavailable
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from weft.ports.store import Store
from worlds import OPEN, WRITER, Draft, patch_of

pytestmark = [pytest.mark.fault, pytest.mark.server("neo4j"), pytest.mark.anyio]
# What a document may be: every passage of one says what no passage of another does.
VARIANTS = (((0, 1), (0, 3), (0, 4), (0, 2)), ((5, 1), (5, 3)), ((7, 6), (7, 8), (7, 9)))
SAID = ("ada lovelace", "compiler", "서울에서")
DOCUMENTS = 4
# The ways of reading, and more often than what each is to be gone.
WHOLE = ("view", "containing", "export", "document")
ENOUGH = 10


@dataclass(kw_only=True)
class Watched:
    """The variants of every document by what a reader sees of it, and what was seen."""

    known: dict[str, set[frozenset[str]]] = field(default_factory=lambda: defaultdict(set))
    reads: Counter[str] = field(default_factory=Counter)
    mixed: list[str] = field(default_factory=list)
    publishes: int = 0
    failed: list[str] = field(default_factory=list)
    is_over: bool = False

    def has_read_all(self) -> bool:
        """Tell whether each way of reading was gone often enough."""
        return all(self.reads[kind] > ENOUGH for kind in WHOLE)

    def allow(self, patch: Patch) -> None:
        """Take a variant as one that may be seen."""
        key = patch.document.id
        self.known[key].add(frozenset(p.chunk.id for p in patch.passages))
        counts = f"{len(patch.passages)} {len(patch.mentions)} {len(patch.claims)}"
        self.known[f"{key} counts"].add(frozenset({patch.document.version, counts}))

    def check(self, kind: str, seen: Mapping[str, Iterable[str]]) -> None:
        """Note a read; what is seen of each document must be all of one variant."""
        self.reads[kind] += 1
        for key, parts in seen.items():
            if frozenset(parts) not in self.known[key]:
                self.mixed.append(f"{kind} {key}: {sorted(parts)}")


def variant(writer: int, document: int, number: int) -> Patch:
    """Return one variant of a document."""
    return patch_of(Draft(f"mix{writer}x{document}", OPEN, VARIANTS[number]))


@asynccontextmanager
async def world(server: PrivateServer, home: Path) -> AsyncIterator[Store]:
    """Yield an empty knowledge base on the server."""
    await wipe(server)
    async with library_of(server, home) as library:
        yield await library.create(WRITER, "Graph", store=server.target)


async def replace_and_delete(watched: Watched, store: Store, writer: int) -> None:
    """Publish variants over each other, and delete one now and then."""
    chance = random.Random(writer)
    fence = await store.publishing.issue_fence(WRITER, f"writer{writer}")
    held: dict[DocumentId, str] = {}
    while not watched.is_over:
        patch = variant(writer, chance.randrange(DOCUMENTS), chance.randrange(len(VARIANTS)))
        key = patch.document.id
        try:
            if chance.random() < 0.25:
                await store.publishing.delete(WRITER, key, fence=fence)
                held.pop(key, None)
            else:
                await store.publishing.publish(
                    WRITER, patch, expected_version=held.get(key), fence=fence
                )
                held[key] = patch.document.version
            watched.publishes += 1
        except StoreUnavailable as error:
            watched.failed.append(error.message)
            return


async def read(watched: Watched, store: Store) -> None:
    """Read in every way, over and over."""
    ways: tuple[Callable[[], Awaitable[None]], ...] = (
        lambda: _by_view(watched, store),
        lambda: _by_words(watched, store),
        lambda: _by_export(watched, store),
        lambda: _by_document(watched, store),
    )
    while not watched.is_over:
        for way in ways:
            try:
                await way()
            except StoreUnavailable as error:
                # Too much changed meanwhile: it is said, and nothing half is shown.
                watched.reads[str(error.fields.get("reason"))] += 1


async def _by_view(watched: Watched, store: Store) -> None:
    view = await store.knowledge.view(WRITER)
    seen: dict[str, set[str]] = defaultdict(set)
    for slot in view.readable.nonzero()[0]:
        place = view.place(int(slot))
        seen[str(place.document_id)].add(str(place.chunk_id))
    watched.check("view", seen)


async def _by_words(watched: Watched, store: Store) -> None:
    said = random.choice(SAID)
    found = await store.knowledge.containing(WRITER, said, 1000)
    seen: dict[str, set[str]] = defaultdict(set)
    owners = {
        chunk: key
        for key, states in list(watched.known.items())
        for each in states
        for chunk in each
    }
    for chunk in found:
        seen[owners[chunk]].add(str(chunk))
    watched.check("containing", seen)


async def _by_export(watched: Watched, store: Store) -> None:
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    versions: dict[str, str] = {}
    async for line in store.holdings.export(WRITER):
        row = json.loads(line)
        if row["kind"] == "document":
            versions[row["id"]] = row["version"]
        elif "doc_id" in row:
            seen[row["doc_id"]][row["kind"]] += 1
    states = {
        f"{key} counts": {
            versions[key],
            f"{seen[key]['chunk']} {seen[key]['mention']} {seen[key]['claim']}",
        }
        for key in versions
    }
    watched.check("export", states)


async def _by_document(watched: Watched, store: Store) -> None:
    key = variant(random.randrange(3), random.randrange(DOCUMENTS), 0).document.id
    try:
        opened = await store.documents.opened(WRITER, key)
    except NotFound:
        watched.reads["no document"] += 1
        return
    watched.check("document", {str(key): {str(chunk.id) for chunk in opened.chunks}})


async def mix(server: PrivateServer, home: Path, seconds: float) -> list[str]:
    """Read beside three writers for some time, and return what to report."""
    watched = Watched()
    for writer in range(3):
        for document in range(DOCUMENTS):
            for number in range(len(VARIANTS)):
                watched.allow(variant(writer, document, number))
    async with world(server, home) as store, asyncio.TaskGroup() as group:
        for writer in range(3):
            group.create_task(replace_and_delete(watched, store, writer))
        for _ in range(2):
            group.create_task(read(watched, store))
        began = monotonic()
        # On a busy machine until there was enough to see.
        while monotonic() < began + seconds + (0 if watched.has_read_all() else 90.0):
            await asyncio.sleep(0.2)
            if watched.failed:
                break
        watched.is_over = True
    assert not watched.failed
    assert not watched.mixed, watched.mixed[:3]
    assert watched.has_read_all(), watched.reads
    # Where the cores are busy a read may run out of time; then it says so, and shows nothing half.
    assert set(watched.reads) <= {*WHOLE, "no document", "busy", "timeout"}, watched.reads
    reads = ", ".join(f"{kind} {n}" for kind, n in sorted(watched.reads.items()))
    return [
        f"neo4j read for {seconds:g} s beside three writers: {len(watched.mixed)} mixed states",
        f"  reads: {reads}; {watched.publishes} changes, {len(watched.failed)} failed",
    ]


async def test_half_a_minute_of_readers_and_writers(
    neo4j_server: PrivateServer, tmp_path: Path, report: list[str]
) -> None:
    report += await mix(neo4j_server, tmp_path, 30.0)


@pytest.mark.chaos
async def test_ten_minutes_of_readers_and_writers(
    neo4j_server: PrivateServer, tmp_path: Path, report: list[str]
) -> None:
    minutes = float(os.environ.get("WEFT_CHAOS_MINUTES", "10"))
    report += await mix(neo4j_server, tmp_path, minutes * 60)


async def test_who_may_read_a_document_finds_it_while_its_readers_change(
    neo4j_server: PrivateServer, tmp_path: Path, report: list[str]
) -> None:
    changes = found = 0
    late: Counter[str] = Counter()
    end = monotonic() + 60.0
    async with world(neo4j_server, tmp_path) as store:
        fence = await store.publishing.issue_fence(WRITER, "readers")
        patch = variant(0, 0, 0)
        await store.publishing.publish(WRITER, patch, expected_version=None, fence=fence)
        given = [
            replace(patch.document, acl=acl, version=f"readers{number}")
            for number, acl in enumerate((OPEN, frozenset({"tenant:*", "group:board"})))
        ]

        async def reclassify() -> None:
            nonlocal changes
            while monotonic() < end and (changes < 40 or found < 40):
                assert await store.publishing.reclassify(WRITER, given[changes % 2], fence=fence)
                changes += 1

        writing = asyncio.create_task(reclassify())
        while not writing.done():
            try:
                document = await store.documents.document(WRITER, patch.document.id)
                assert document.id == patch.document.id
                assert await store.knowledge.text(WRITER, patch.document.id) == patch.text
                chunks = await store.knowledge.chunks(WRITER, [p.chunk.id for p in patch.passages])
                assert len(chunks) == len(patch.passages)
                found += 1
            except StoreUnavailable as error:
                late[str(error.fields["reason"])] += 1
        await writing
    assert changes > 20 < found
    # Where the cores are busy a read may run out of time, and says so; that a writer of this
    # process overtakes it is no reason.
    assert set(late) <= {"timeout"}, late
    report.append(
        f"neo4j one document, {changes} changes of its readers: found {found} of {found}, "
        f"{late.total()} out of time"
    )


async def test_four_writers_of_shared_entities_fail_never_and_leave_no_orphans(
    neo4j_server: PrivateServer, tmp_path: Path, report: list[str]
) -> None:
    watched = Watched()
    async with world(neo4j_server, tmp_path) as store, asyncio.TaskGroup() as group:
        for writer in range(4):
            group.create_task(replace_and_delete(watched, store, writer))
        began = monotonic()
        # Ten seconds, and on a busy machine until there were enough to have met each other.
        while monotonic() < began + (10.0 if watched.publishes > 20 else 90.0):
            await asyncio.sleep(0.1)
            if watched.failed:
                break
        watched.is_over = True
    assert not watched.failed
    assert watched.publishes > 20
    orphans = await _orphans(neo4j_server)
    assert not any(orphans.values()), orphans
    told = ", ".join(f"{kind} {n}" for kind, n in sorted(orphans.items()))
    report.append(
        f"neo4j four writers of shared entities: {watched.publishes} changes, "
        f"{len(watched.failed)} failed, orphans: {told}"
    )


ORPHANS = {
    "entities": "MATCH (n:Entity) WHERE NOT (n)--() RETURN count(n)",
    "handles": "MATCH (n:Handle) WHERE NOT (n)--() RETURN count(n)",
    "chunks": "MATCH (n:Chunk) WHERE NOT (n)-[:PART_OF]->(:Document) RETURN count(n)",
    "evidence": "MATCH (n:Evidence) WHERE NOT (n)-[:OF]->(:Chunk) RETURN count(n)",
    "relations": "MATCH (:Entity)-[r]->() WHERE NOT EXISTS { (:Document {id: r.doc_id}) } "
    "RETURN count(r)",
}


async def _orphans(server: PrivateServer) -> dict[str, int]:
    database = Neo4jDatabase(server.address)
    found: dict[str, int] = {}
    try:
        for kind, text in ORPHANS.items():
            rows = await database.write(
                lambda t, text=text: t.run_text(text, None, name="orphans")  # type: ignore[misc]  # mypy cannot tell a default's type
            )
            found[kind] = int(str(rows[0][0]))
    finally:
        await database.close()
    return found
