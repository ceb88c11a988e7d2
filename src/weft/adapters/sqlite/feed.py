"""What changed since a version, as rows for the snapshot."""

from __future__ import annotations

from collections import defaultdict

from weft.adapters.sqlite.database import Connection
from weft.adapters.sqlite.segment_files import Stamp
from weft.domain.ids import digest
from weft.index.segment import DocumentRow, PassageRow
from weft.index.snapshot import Changes, Snapshot
from weft.index.view_cache import PendingChanges
from weft.stores.rows import to_passage_row, whole


def current_version(connection: Connection) -> int:
    """Return the number of the last change."""
    return whole(connection.run("version").fetchone()[0])


def stamp_of(connection: Connection, version: int) -> Stamp:
    """Return a change's number with its mark; both are 0 before the first change."""
    row = connection.run("mark", {"v": version}).fetchone()
    return Stamp(version=version, mark=0 if row is None else whole(row[0]))


def happened(connection: Connection, stamp: Stamp) -> bool:
    """Tell whether that change is one of this file's history."""
    return stamp_of(connection, stamp.version) == stamp and (stamp.mark != 0 or stamp.version == 0)


def changes_since(connection: Connection, snapshot: Snapshot, *, version: int) -> Changes:
    """Return what happened between a snapshot's version and `version`, the current one."""
    have: dict[str, object] = {"have": snapshot.version}
    passages: defaultdict[str, list[PassageRow]] = defaultdict(list)
    for row in connection.run("changed_chunks", have):
        passages[str(row[0])].append(to_passage_row(row[1:], snapshot.dimensions))
    documents = [
        DocumentRow(id=key, source=source, type=kind, passages=passages[key])
        for key, source, kind in connection.run("changed_documents", have)
    ]
    hashes = {str(row[0]) for row in connection.run("changed_deleted", have)}
    return Changes(version=version, documents=documents, gone=_named(snapshot, hashes))


def waiting_since(connection: Connection, snapshot: Snapshot) -> PendingChanges:
    """Return what a snapshot has not taken in yet, without reading any of it."""
    have: dict[str, object] = {"have": snapshot.version}
    rows = connection.run("waiting", have).fetchall()
    hashes = {str(row[0]) for row in connection.run("changed_deleted", have)}
    return PendingChanges(
        published=[(str(key), whole(number), whole(count)) for key, number, count in rows],
        gone=_named(snapshot, hashes),
    )


def _named(snapshot: Snapshot, hashes: set[str]) -> frozenset[str]:
    """Return the documents of a snapshot whose hash is among those of deleted ones."""
    segments = [live.segment for live in snapshot.segments]
    found = (each.by_hash(one, of=digest) for each in segments for one in hashes)
    return frozenset(key for key in found if key is not None)
