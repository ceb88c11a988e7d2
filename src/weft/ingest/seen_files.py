"""The rows of the ledger as one caller sees them: figures of what it may read, of nothing else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from weft.domain.acl import NO_PRINCIPAL
from weft.domain.document import Document
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId
from weft.domain.ledger import FileEntry
from weft.domain.scope import Scope
from weft.ingest.document_versions import readers_of
from weft.ingest.sources.document_ids import file_of
from weft.language.patterns import pattern
from weft.ports.store import Store

_RECORD = "record:"
# "record 2: its acl has …", "record Sheet1!2: its acl has …": places are ours, or of the sheet.
_UNOWNED = pattern(rf"record (?:[^;:!]*!)?\d+: {re.escape(NO_PRINCIPAL)}")

# The documents of a file, under what their readers are named by.
Held = dict[str, list[DocumentId]]


async def seen_files(scope: Scope, store: Store, entries: Sequence[FileEntry]) -> list[FileEntry]:
    """Return readable rows, those of a file whose records have other readers cut to what is read.

    Of such a file the reason is cut too: it speaks of records that may be anybody's. Those whose
    readers nobody can tell stay in it, as they do for a caller who may read all others. A file with
    no record that the caller may read is not there for it.
    """
    records = await _records(scope, store, {entry.source for entry in entries})
    seen: list[FileEntry] = []
    for entry in entries:
        own = records.get((entry.source, entry.path), {})
        kept = await _readable(scope, store, own)
        if len(kept) == len(own):
            seen.append(entry)
        elif kept:
            keys = [key for readers in kept for key in own[readers]]
            seen.append(await _cut(scope, store, entry, kept=keys))
    return seen


async def rows_of(
    scope: Scope, store: Store, documents: Sequence[Document]
) -> dict[DocumentId, FileEntry]:
    """Return the readable row of the ledger of each of some documents that the caller may read.

    Status and reason are as `seen_files` has them; of a file whose records have other readers the
    figures are none. A document whose file has no row is left out.
    """
    files: defaultdict[str, set[str]] = defaultdict(set)
    for each in documents:
        files[each.source].add(file_of(each.id, each.source))
    rows = {
        (row.source, row.path): row
        for source, paths in files.items()
        for row in await store.ledger.files(scope, source, paths=sorted(paths))
    }
    # A file that is one document has the readers of its row.
    split = {each.source for each in documents if each.id.startswith(_RECORD)}
    for place, own in (await _records(scope, store, split)).items():
        if place in rows and len(await _readable(scope, store, own)) < len(own):
            rows[place] = _without_figures(rows[place])
    held = {each.id: rows.get((each.source, file_of(each.id, each.source))) for each in documents}
    return {key: row for key, row in held.items() if row is not None}


async def _cut(
    scope: Scope, store: Store, entry: FileEntry, *, kept: Sequence[DocumentId]
) -> FileEntry:
    """Return a row with the figures of some of its file's records."""
    texts = [await store.knowledge.text(scope, key) for key in kept]
    chunks = await store.documents.chunk_counts(scope, kept)
    return replace(
        _without_figures(entry),
        documents=len(kept),
        chunks=sum(chunks.values()),
        characters=sum(map(len, texts)),
    )


def _without_figures(entry: FileEntry) -> FileEntry:
    unowned = _UNOWNED.findall(entry.reason)
    return replace(
        entry,
        reason="; ".join(unowned),
        documents=0,
        chunks=0,
        characters=0,
        skipped=len(unowned),
    )


async def _records(scope: Scope, store: Store, sources: set[str]) -> dict[tuple[str, str], Held]:
    """Return the records of each file of some sources, whoever may read them."""
    found: dict[tuple[str, str], Held] = {}
    for source in sorted(sources):
        # Records of one file begin alike, up to the mark before what tells them apart.
        begun: dict[str, Held] = {}
        for key, version in (await store.holdings.versions(scope, source)).items():
            if key.startswith(_RECORD):
                held = begun.setdefault(key.partition("#")[0], {})
                held.setdefault(readers_of(version), []).append(key)
        found |= {(source, file_of(DocumentId(place), source)): h for place, h in begun.items()}
    return found


async def _readable(scope: Scope, store: Store, own: Held) -> list[str]:
    """Return which readers' documents the caller may read: one stands for all with the same."""
    kept = []
    for readers, keys in own.items():
        try:
            await store.documents.document(scope, keys[0])
        except NotFound:
            continue
        kept.append(readers)
    return kept
