"""Documents of a file that was renamed or copied, made from those that it gave where it was."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from weft.domain.claim import Claim, claim_id
from weft.domain.document import Document, chunk_id
from weft.domain.errors import NotFound, WeftError
from weft.domain.ids import ChunkId, ClaimId, DocumentId
from weft.domain.ledger import FileEntry, FileStatus
from weft.domain.patch import Patch
from weft.domain.record import Record
from weft.domain.scope import Scope
from weft.extraction.rules.references import handles, references
from weft.ingest.document_versions import has_own_acl, same_content
from weft.ingest.pipeline import document_of
from weft.ingest.sources.plan import FileTask, Source
from weft.ports.holdings import Holdings


class NotMovable(WeftError):
    """The file must be read where it is now."""


def twin_of(task: FileTask) -> FileEntry:
    """Return the row of the file that gave the same bytes before; raises `NotMovable`.

    Another ending may mean another parser, and what was left out once is tried again.
    """
    twin = task.twin
    if twin is None or twin.status is not FileStatus.READ or twin.skipped:
        raise NotMovable
    if _ending(twin.path) != _ending(task.file.relative):
        raise NotMovable
    return twin


async def moved(
    scope: Scope,
    holdings: Holdings,
    task: FileTask,
    *,
    source: Source,
    held: Mapping[DocumentId, str],
    tools: str,
) -> AsyncIterator[Patch]:
    """Yield the documents of a file's twin as reading the file itself would give them.

    `held` are the versions of the twin's documents as this run found them. Raises `NotMovable`
    where one is not what it was, is not readable, or may be named after its file.
    """
    for key, version in held.items():
        try:
            patch = await holdings.patch(scope, key)
        except NotFound as hidden:
            raise NotMovable from hidden
        if not same_content(patch.document.version, version):
            raise NotMovable
        yield _moved(patch, task, source=source, tools=tools)


def _moved(patch: Patch, task: FileTask, *, source: Source, tools: str) -> Patch:
    old = patch.document
    former = replace(task.file, relative=task.alike, place=str(source.root / task.alike))
    record = _record(patch)
    if PurePosixPath(task.alike).name in record.title:
        raise NotMovable
    # The version is made from all that a parser says: the same one means that nothing is lacking.
    again = document_of(record, replace(task, file=former), source=source, tools=tools)
    if again.id != old.id or not same_content(again.version, old.version):
        raise NotMovable
    document = document_of(record, task, source=source, tools=tools)
    chunks = {
        passage.chunk.id: chunk_id(
            document.id, passage.chunk.text, chunk_index=passage.chunk.chunk_index
        )
        for passage in patch.passages
    }
    return replace(
        patch,
        document=document,
        passages=tuple(
            replace(
                each,
                chunk=replace(each.chunk, id=chunks[each.chunk.id], document_id=document.id),
            )
            for each in patch.passages
        ),
        mentions=tuple(replace(each, chunk_id=chunks[each.chunk_id]) for each in patch.mentions),
        claims=_claims(patch, chunks),
        references=references(document, patch.text),
        handles=handles(document),
    )


def _record(patch: Patch) -> Record:
    """Return the record that a stored document was made from, as far as it can be told."""
    known = patch.document
    kind, _, place = known.id.partition(":")
    return Record(
        content=patch.text,
        title=known.title,
        fragment=place.partition("#")[2] if kind == "record" else "",
        metadata={key: value for key, value in known.metadata.items() if key != "file_path"},
        acl=known.acl if has_own_acl(known.version) else None,
        created=known.created,
        updated=known.updated,
    )


def _claims(patch: Patch, chunks: Mapping[ChunkId, ChunkId]) -> tuple[Claim, ...]:
    """Return the claims under new ids, in the order of places, as reading leaves them."""
    index = {chunk: at for at, chunk in enumerate(chunks.values())}
    found = [_claim(each, patch.document, chunks) for each in patch.claims]
    return tuple(sorted(found, key=lambda one: (index[one.chunk_id], one.start, one.id)))


def _claim(claim: Claim, old: Document, chunks: Mapping[ChunkId, ChunkId]) -> Claim:
    """Return a claim under its new chunk's id: what it says is one of the things it may be."""

    def named(chunk: ChunkId, said: str) -> ClaimId:
        return claim_id(
            chunk, claim.subject_name, predicate=claim.predicate, said=said, start=claim.start
        )

    said = next(
        (each for each in _sayings(claim, old) if named(claim.chunk_id, each) == claim.id), None
    )
    if said is None:
        raise NotMovable
    chunk = chunks[claim.chunk_id]
    return replace(claim, id=named(chunk, said), chunk_id=chunk)


def _sayings(claim: Claim, old: Document) -> Iterable[str]:
    """Yield what a claim's id may have been made from: its object, its value, a column's cell."""
    if claim.object_name is not None:
        yield claim.object_name
    yield str(claim.value)
    yield from map(str, old.metadata.values())


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.casefold()
