"""The branch that retries: what changes while it is read is asked for again, and never mixed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from unit.adapters.neo4j.feed_server import FeedServer
from weft.adapters.neo4j import feed as feed_module
from weft.adapters.neo4j.database import Row
from weft.adapters.neo4j.feed import ATTEMPTS, AnnouncedDocument, ChangesSince, Feed, is_whole
from weft.adapters.neo4j.snapshots import Neo4jSnapshots
from weft.domain.errors import StoreUnavailable
from weft.domain.scope import Scope
from weft.index.segment import DocumentRow
from weft.platform.identity import principal_scope

pytestmark = pytest.mark.anyio

Rows = list[object]


def reader(*groups: str, tenant: str = "local") -> Scope:
    return principal_scope(tenant=tenant, actor="user:a", groups=groups, permissions={"kb.read"})


async def taken(server: FeedServer) -> tuple[ChangesSince, list[DocumentRow]]:
    feed = Feed(server.read, 0)
    return await feed.take(await feed.changed("one", since=0))


def sizes(documents: list[DocumentRow]) -> dict[str, int]:
    return {row.id: len(row.passages) for row in documents}


async def test_a_document_replaced_while_it_is_read_comes_as_its_new_self() -> None:
    server = FeedServer()
    server.publish("a", "one", "two")
    server.publish("b", "three")
    server.between.append(lambda: server.publish("a", "four", "five", "six"))
    changed, documents = await taken(server)
    assert sizes(documents) == {"a": 3, "b": 1}
    assert changed.version == 3
    # The document that had stayed was not read a second time.
    assert server.asked == ["changed", "changed_chunks", "changed", "changed_chunks"]


async def test_a_document_deleted_while_it_is_read_does_not_come() -> None:
    server = FeedServer()
    server.publish("a", "one")
    server.publish("b", "two")
    server.between.append(lambda: server.delete("a"))
    changed, documents = await taken(server)
    assert sizes(documents) == {"b": 1}
    assert list(changed.deleted.values()) == [3]


def drop_last(rows: Rows) -> None:
    rows.pop()


def stamp_older(rows: Rows) -> None:
    row = rows[0]
    assert isinstance(row, list)
    row[1] -= 1


def give_to_others(rows: Rows) -> None:
    row = rows[-1]
    assert isinstance(row, list)
    row[4] += 1


@pytest.mark.parametrize("spoil", [drop_last, stamp_older, give_to_others])
async def test_a_half_seen_document_is_read_again(spoil: Callable[[Rows], None]) -> None:
    server = FeedServer()
    server.publish("a", "one", "two")
    server.spoil.append(spoil)
    _, documents = await taken(server)
    assert sizes(documents) == {"a": 2}
    assert server.asked.count("changed_chunks") == 2


async def test_a_document_that_never_rests_is_an_error_not_a_mix() -> None:
    server = FeedServer()
    server.publish("a", "one", "two")
    server.spoil += [drop_last] * ATTEMPTS
    with pytest.raises(StoreUnavailable) as caught:
        await taken(server)
    assert caught.value.fields["reason"] == "busy"


@pytest.mark.parametrize("fault", ["deleted meanwhile", "other readers", "change not listed"])
async def test_an_announcement_read_in_the_midst_of_a_change_is_read_again(fault: str) -> None:
    server = FeedServer()
    server.publish("a", "one")
    faults = [fault]

    async def read(name: str, parameters: dict[str, object]) -> list[Row]:
        (row,) = await server.read(name, parameters)
        if not faults:
            return [row]
        faults.pop()
        since, version, *rest, documents, gone = row
        assert isinstance(documents, list)
        if fault == "deleted meanwhile":
            documents = [[documents[0][0], None, None, None, None, None, None]]
        elif fault == "other readers":
            documents[0][3] = ["group:other"]
        else:
            documents = []
        return [[since, version, *rest, documents, gone]]

    changed = await Feed(read, 0).changed("one", since=0)
    assert [each.id for each in changed.published] == ["a"]
    assert server.asked == ["changed", "changed"]


async def test_large_documents_are_read_in_pieces_and_small_ones_together() -> None:
    server = FeedServer()
    server.publish("large", *["word"] * (2 * feed_module.PAGE_PASSAGES + 1))
    for number in range(feed_module.PAGE_DOCUMENTS + 1):
        server.publish(f"small-{number}", "word")
    _, documents = await taken(server)
    assert sum(sizes(documents).values()) == 2 * feed_module.PAGE_PASSAGES + 202
    assert [p.chunk_index for p in documents[0].passages] == list(range(2001))
    assert server.asked.count("changed_chunks") == 3 + 2


def test_a_document_without_passages_is_whole() -> None:
    announced = AnnouncedDocument(id="a", v=1, number=1, passages=0, source="s", type="file")
    assert is_whole(announced, [])
    assert not is_whole(announced, [["a", 1, "c", 0, 1]])


async def test_views_follow_the_server_and_begin_anew_with_another_history() -> None:
    server = FeedServer()
    snapshots = Neo4jSnapshots(Feed(server.read, 0), 0)
    assert (await snapshots.view(reader())).passages == 0
    server.publish("a", "one", "two")
    server.publish("b", "three", acl="group:blue")
    assert (await snapshots.view(reader())).passages == 2
    assert (await snapshots.view(reader("group:blue"))).passages == 3
    assert (await snapshots.view(reader("group:blue", tenant="other"))).passages == 0
    server.delete("a")
    assert (await snapshots.view(reader())).passages == 0

    cleared = FeedServer(version=9, cleared=9, identity="two")
    server.__dict__.update(cleared.__dict__)
    view = await snapshots.view(reader("group:blue"))
    assert (view.passages, view.version) == (0, 9)
    server.publish("c", "four")
    assert (await snapshots.view(reader())).passages == 1
    # A backup put back: the same history, at an earlier version.
    earlier = FeedServer(identity="two")
    earlier.publish("d", "five", "six")
    server.__dict__.update(earlier.__dict__)
    assert (await snapshots.view(reader())).passages == 2


async def test_a_view_that_is_up_to_date_reads_no_passages() -> None:
    server = FeedServer()
    server.publish("a", "one")
    snapshots = Neo4jSnapshots(Feed(server.read, 0), 0)
    first = await snapshots.view(reader())
    server.asked.clear()
    assert await snapshots.view(reader()) is first
    assert server.asked == ["changed"]


async def test_a_large_base_is_taken_in_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "ANNOUNCED", 3)
    server = FeedServer()
    for number in range(8):
        server.publish(f"doc-{number}", "word")
    server.delete("doc-1")
    server.between.append(lambda: server.publish("doc-2", "word", "again"))
    snapshots = Neo4jSnapshots(Feed(server.read, 0), 0)
    view = await snapshots.view(reader())
    assert (view.passages, view.version) == (8, 10)
    assert server.asked.count("changed") > 3
