"""The ledger's rows: files and the sources that they are of, as columns and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from weft.domain.acl import EVERYONE, AclClass
from weft.domain.ledger import FileEntry, FileStatus, KnownSource, free_name
from weft.stores.rows import Columns
from weft.stores.values import Row, texts, whole

# A ledger has a row a file: looked up here rather than made of each.
_STATUSES = {status.value: status for status in FileStatus}


def file_columns(entry: FileEntry, chosen: AclClass) -> Columns:
    """Return a file's columns with the number of its class, without the class's readers."""
    return {
        "source": entry.source,
        "path": entry.path,
        "status": entry.status.value,
        "version": entry.version,
        "acl_class": chosen.number,
        "reason": entry.reason,
        "documents": entry.documents,
        "chunks": entry.chunks,
        "characters": entry.characters,
        "skipped": entry.skipped,
    }


def to_file(row: Row) -> FileEntry:
    """Return a row of the ledger from (source, path, status, version, acl, reason, documents,
    chunks, characters, skipped).
    """
    source, path, status, version, acl, reason, documents, chunks, characters, skipped = row
    return FileEntry(
        source=str(source),
        path=str(path),
        status=_STATUSES[str(status)],
        version=str(version),
        acl=_readers(acl) if isinstance(acl, str) else frozenset(texts(acl)),
        reason=str(reason),
        documents=whole(documents),
        chunks=whole(chunks),
        characters=whole(characters),
        skipped=whole(skipped),
    )


@lru_cache(maxsize=1024)
def _readers(acl: str) -> frozenset[str]:
    """Return who may read, of which most rows say the same."""
    return frozenset(texts(acl))


def source_columns(source: KnownSource) -> Columns:
    """Return a source's columns."""
    return {"name": source.name, "root": source.root, "acl": sorted(source.acl)}


def to_source(row: Row) -> KnownSource:
    """Return a source from (name, root, acl)."""
    name, root, acl = row
    return KnownSource(name=str(name), root=str(root), acl=frozenset(texts(acl)))


def source_at(
    root: str, held: Sequence[KnownSource], *, wanted: str, acl: frozenset[str] | None
) -> KnownSource:
    """Return the source at `root` as it is to be kept: a new one has a name that is free.

    Without an ACL it keeps the one it has; a new one is everybody's.
    """
    known = next((source for source in held if source.root == root), None)
    name = free_name(wanted, {each.name for each in held}) if known is None else known.name
    standing = frozenset({EVERYONE}) if known is None else known.acl
    return KnownSource(name=name, root=root, acl=standing if acl is None else acl)
