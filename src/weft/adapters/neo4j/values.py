"""What queries collected, as domain values."""

from __future__ import annotations

import json
from collections.abc import Sequence

from weft.adapters.neo4j.database import Transaction
from weft.adapters.neo4j.rows import Properties, binary, listed, texts, to_chunk, whole
from weft.domain.claim import Claim, Link, LinkKind, LocalEntity, Mention, Method, RawReference
from weft.domain.ids import ChunkId, ClaimId, DocumentId
from weft.domain.ledger import FileEntry, FileStatus
from weft.domain.lines import PackedPassage
from weft.domain.pattern import LocalClaim

Collected = list[Sequence[object]]


async def collected(
    transaction: Transaction, name: str, *, given: Properties, identifier: str | None = None
) -> Collected:
    """Return the rows that a query collected into one; none where it gave no row."""
    rows = await transaction.run(name, given, identifier=identifier)
    return [listed(each) for each in listed(rows[0][0])] if rows else []


async def gathered(transaction: Transaction, name: str, *, given: Properties) -> list[str]:
    """Return the texts that a query collected into one row."""
    rows = await transaction.run(name, given)
    return texts(rows[0][0]) if rows else []


def to_entity(row: Sequence[object]) -> LocalEntity:
    """Return a local entity from (document, name, class)."""
    document, name, kind = row
    return LocalEntity(
        document_id=DocumentId(str(document)), name=str(name), entity_class=str(kind)
    )


def to_passage(row: Sequence[object]) -> PackedPassage:
    """Return a chunk with what was derived from it, as `whole_chunks` has it."""
    outcome, reason, terms, facts, vector, sentence_vectors = row[10:]
    return PackedPassage(
        chunk=to_chunk(row[:10]),
        outcome=Method(str(outcome)),
        reason=str(reason),
        terms=binary(terms),
        facts=binary(facts),
        vector=None if vector is None else binary(vector),
        sentence_vectors=None if sentence_vectors is None else binary(sentence_vectors),
    )


def to_mention(row: Sequence[object]) -> Mention:
    """Return a mention from its columns but the document."""
    chunk, start, end, surface, name, kind, method = row
    return Mention(
        chunk_id=ChunkId(str(chunk)),
        start=whole(start),
        end=whole(end),
        surface=str(surface),
        name=str(name),
        entity_class=str(kind),
        method=Method(str(method)),
    )


def to_claim(row: Sequence[object]) -> LocalClaim:
    """Return a claim from its columns, the document first.

    An object without a class is in the graph under an empty one.
    """
    document, key, chunk, subject, subject_class, predicate, spoken, spoken_class, *rest = row
    value, start, end, method, confidence = rest
    claim = Claim(
        id=ClaimId(str(key)),
        chunk_id=ChunkId(str(chunk)),
        subject_name=str(subject),
        subject_class=str(subject_class),
        predicate=str(predicate),
        object_name=None if spoken is None else str(spoken),
        object_class=str(spoken_class) if spoken_class else None,
        value=json.loads(str(value)),
        start=whole(start),
        end=whole(end),
        method=Method(str(method)),
        confidence=float(str(confidence)),
    )
    return LocalClaim(document_id=DocumentId(str(document)), claim=claim)


def to_references(value: object) -> list[RawReference]:
    """Return the references that a document's node keeps as JSON, in order."""
    parts = sorted(json.loads(each) for each in texts(value))
    return [RawReference(kind=kind, handle=handle, raw=raw) for kind, handle, raw in parts]


def to_link(row: Sequence[object]) -> Link:
    """Return a link from its columns but the id."""
    kind, *ends = row
    method, score, reason, author = ends[6:]
    return Link(
        left=to_entity(ends[:3]),
        right=to_entity(ends[3:6]),
        kind=LinkKind(str(kind)),
        method=str(method),
        score=float(str(score)),
        reason=str(reason),
        author=str(author),
    )


def to_file(row: Sequence[object]) -> FileEntry:
    """Return a row of the ledger."""
    source, path, status, version, acl, reason, documents, chunks, characters, skipped = row
    return FileEntry(
        source=str(source),
        path=str(path),
        status=FileStatus(str(status)),
        version=str(version),
        acl=frozenset(texts(acl)),
        reason=str(reason),
        documents=whole(documents),
        chunks=whole(chunks),
        characters=whole(characters),
        skipped=whole(skipped),
    )
