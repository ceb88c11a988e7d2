"""The rows of the ledger as one caller sees them: figures of what it may read, of nothing else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from weft.domain.acl import NO_PRINCIPAL
from weft.domain.ids import DocumentId
from weft.domain.ledger import FileEntry
from weft.domain.scope import Scope
from weft.ingest.sources.document_ids import file_of
from weft.language.patterns import pattern
from weft.ports.store import Store

_AT_ONCE = 1000
_RECORD = "record:"
# "record 2: its acl has …", "record Sheet1!2: its acl has …": places are ours, or of the sheet.
_UNOWNED = pattern(rf"record (?:[^;:!]*!)?\d+: {re.escape(NO_PRINCIPAL)}")


async def seen_files(scope: Scope, store: Store, entries: Sequence[FileEntry]) -> list[FileEntry]:
    """Return readable rows, those of a file whose records have other readers cut to what is read.

    Of such a file the reason is cut too: it speaks of records that may be anybody's. Those whose
    readers nobody can tell stay in it, as they do for a caller who may read all others. A file with
    no record that the caller may read is not there for it.
    """
    seen: list[FileEntry] = []
    chunks: dict[str, dict[str, dict[DocumentId, int]]] = {}
    readable: frozenset[DocumentId] | None = None
    for entry in entries:
        if entry.source not in chunks:
            chunks[entry.source] = await _records(scope, store, entry.source)
        own = chunks[entry.source].get(entry.path, {})
        if own and readable is None:
            readable = await _readable(scope, store)
        kept = {key: count for key, count in own.items() if key in (readable or ())}
        if len(kept) == len(own):
            seen.append(entry)
        elif kept:
            seen.append(await _cut(scope, store, entry, kept=kept))
    return seen


async def _cut(
    scope: Scope, store: Store, entry: FileEntry, *, kept: dict[DocumentId, int]
) -> FileEntry:
    """Return a row with the figures of some of its file's records."""
    texts = [await store.knowledge.text(scope, key) for key in kept]
    unowned = _UNOWNED.findall(entry.reason)
    return replace(
        entry,
        reason="; ".join(unowned),
        documents=len(kept),
        chunks=sum(kept.values()),
        characters=sum(map(len, texts)),
        skipped=len(unowned),
    )


async def _records(scope: Scope, store: Store, source: str) -> dict[str, dict[DocumentId, int]]:
    """Return the records of each file of a source, whoever may read them, with their chunks."""
    found: defaultdict[str, dict[DocumentId, int]] = defaultdict(dict)
    for key, count in (await store.holdings.chunk_counts(scope, source)).items():
        if key.startswith(_RECORD):
            found[file_of(key, source)][key] = count
    return dict(found)


async def _readable(scope: Scope, store: Store) -> frozenset[DocumentId]:
    found: set[DocumentId] = set()
    after: DocumentId | None = None
    while page := await store.documents.page(scope, after=after, limit=_AT_ONCE):
        found.update(document.id for document in page)
        after = page[-1].id
    return frozenset(found)
