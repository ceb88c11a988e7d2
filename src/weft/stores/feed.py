"""What changed since a snapshot, taken into it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.domain.ids import digest
from weft.index.segment import DocumentRow
from weft.index.snapshot import Changes, Snapshot, apply, segment_name


def gone(snapshot: Snapshot, hashes: Iterable[str]) -> frozenset[str]:
    """Return the documents of a snapshot whose hash is among those of deleted ones."""
    segments = [live.segment for live in snapshot.segments]
    found = (each.by_hash(one, of=digest) for one in hashes for each in segments)
    return frozenset(key for key in found if key is not None)


def renewed(
    snapshot: Snapshot, documents: Sequence[DocumentRow], *, deleted: Iterable[str], version: int
) -> Snapshot:
    """Return the snapshot at a later version, with what was published and without what is gone.

    `deleted` are hashes of documents.
    """
    changes = Changes(version=version, documents=documents, gone=gone(snapshot, deleted))
    return apply(snapshot, changes, name=segment_name(version))
