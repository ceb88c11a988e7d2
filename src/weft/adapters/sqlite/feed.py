"""What changed since a version, as rows for the snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from weft.adapters.sqlite.database import Connection
from weft.adapters.sqlite.segment_files import Stamp
from weft.index.segment import DocumentRow, PassageRow
from weft.index.snapshot import Snapshot
from weft.index.view_cache import PendingChanges
from weft.stores.feed import gone, renewed
from weft.stores.rows import to_passage_row
from weft.stores.values import whole

_AT_ONCE = 300


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


def brought_up(
    connection: Connection,
    snapshot: Snapshot,
    *,
    version: int,
    mapped: Callable[[Snapshot], Snapshot],
) -> Snapshot:
    """Return a snapshot with what happened between its version and `version`, the current one.

    What was published is taken in so many documents at a time: after a large ingestion all of it
    would not fit in memory as rows. After each step what is full is `mapped` from files, so that
    it need not fit as arrays either.
    """
    since: dict[str, object] = {"have": snapshot.version}
    hashes = {str(row[0]) for row in connection.run("changed_deleted", since)}
    at = snapshot.version
    while True:
        found = connection.run("next_version", {"have": at, "many": _AT_ONCE - 1}).fetchone()
        upto = version if found is None else min(whole(found[0]), version)
        documents = _published(connection, at, upto=upto, dimensions=snapshot.dimensions)
        snapshot = mapped(renewed(snapshot, documents, deleted=hashes, version=upto))
        # What was deleted is gone from the first step on; what came back since is in a later one.
        hashes, at = set(), upto
        if upto == version:
            return snapshot


def _published(
    connection: Connection, have: int, *, upto: int, dimensions: int
) -> list[DocumentRow]:
    """Return the documents published between two versions, with their passages in order."""
    between: dict[str, object] = {"have": have, "upto": upto}
    passages: defaultdict[str, list[PassageRow]] = defaultdict(list)
    for row in connection.run("changed_chunks", between):
        passages[str(row[0])].append(to_passage_row(row[1:], dimensions))
    return [
        DocumentRow(id=key, source=source, type=kind, passages=passages[key])
        for key, source, kind in connection.run("changed_documents", between)
    ]


def waiting_since(connection: Connection, snapshot: Snapshot) -> PendingChanges:
    """Return what a snapshot has not taken in yet, without reading any of it."""
    have: dict[str, object] = {"have": snapshot.version}
    rows = connection.run("waiting", have).fetchall()
    hashes = {str(row[0]) for row in connection.run("changed_deleted", have)}
    return PendingChanges(
        published=[(str(key), whole(number), whole(count)) for key, number, count in rows],
        gone=gone(snapshot, hashes),
    )
