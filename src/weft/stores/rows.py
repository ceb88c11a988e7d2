"""Domain values as the flat rows that every store of knowledge keeps, and back.

What a backend adds (its classes, stamps and keys) it adds to these columns; the order of a row read
back is the one that its reader names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

from weft.domain.claim import Claim, LocalEntity, Mention, Method, RawReference
from weft.domain.document import Chunk, Document
from weft.domain.entity import Sighting
from weft.domain.ids import ChunkId, ClaimId, DocumentId
from weft.domain.patch import Passage
from weft.domain.pattern import LocalClaim
from weft.domain.scope import Scope
from weft.index.segment import PassageRow
from weft.ports.holdings import BaseCounts
from weft.ports.knowledge import StoredChunk
from weft.stores.canonical import PackedPassage, canonical, moment
from weft.stores.packing import (
    pack_facts,
    pack_spans,
    pack_terms,
    pack_vectors,
    unpack_columns,
    unpack_spans,
    unpack_terms,
    unpack_vectors,
)
from weft.stores.places import as_seen
from weft.stores.values import Row, binary, texts, whole

Columns = dict[str, object]


def document_columns(document: Document) -> Columns:
    """Return a document's own columns, without its readers."""
    return {
        "id": document.id,
        "version": document.version,
        "source": document.source,
        "type": document.type,
        "title": document.title,
        "uri": document.uri,
        "metadata": canonical(dict(document.metadata)),
        "created": moment(document.created),
        "updated": moment(document.updated),
    }


def chunk_columns(passage: Passage) -> Columns:
    """Return a chunk's columns with its facts and vectors packed, without its document."""
    chunk, vectors = passage.chunk, passage.vectors
    return {
        "id": chunk.id,
        "chunk_index": chunk.chunk_index,
        "text": chunk.text,
        "start": chunk.start,
        "end": chunk.end,
        "page": chunk.page,
        "section": chunk.section,
        "tokens": chunk.tokens,
        "outcome": passage.outcome.value,
        "reason": passage.reason,
        "sentences": pack_spans(chunk.sentences),
        "terms": pack_terms(passage.facts),
        "facts": pack_facts(passage.facts),
        "vector": None if vectors is None else pack_vectors(vectors.passage),
        "sentence_vectors": None if vectors is None else pack_vectors(vectors.sentences),
    }


def mention_columns(mention: Mention) -> Columns:
    """Return where an entity is mentioned and how that was found, without the entity."""
    return {
        "chunk_id": mention.chunk_id,
        "start": mention.start,
        "end": mention.end,
        "surface": mention.surface,
        "method": mention.method.value,
    }


def claim_columns(claim: Claim) -> Columns:
    """Return what a claim says and where, without its id and its ends."""
    return {
        "chunk_id": claim.chunk_id,
        "predicate": claim.predicate,
        "value": canonical(claim.value),
        "start": claim.start,
        "end": claim.end,
        "method": claim.method.value,
        "confidence": claim.confidence,
    }


def to_document(row: Row) -> Document:
    """Return a document from (id, source, type, title, uri, version, acl, metadata, created,
    updated).
    """
    key, source, kind, title, uri, version, acl, metadata, created, updated = row
    return Document(
        id=DocumentId(str(key)),
        source=str(source),
        type=str(kind),
        title=str(title),
        uri=str(uri),
        version=str(version),
        acl=frozenset(texts(acl)),
        metadata=json.loads(str(metadata)),
        created=_time(created),
        updated=_time(updated),
    )


def _time(value: object) -> datetime | None:
    return None if value is None else datetime.fromisoformat(str(value))


def to_chunk(row: Row) -> Chunk:
    """Return a chunk from (id, doc_id, chunk_index, text, start, end, page, section, tokens,
    sentences).
    """
    key, document, index, text, start, end, page, section, tokens, sentences = row
    return Chunk(
        id=ChunkId(str(key)),
        document_id=DocumentId(str(document)),
        chunk_index=whole(index),
        text=str(text),
        start=whole(start),
        end=whole(end),
        page=None if page is None else whole(page),
        section=None if section is None else str(section),
        tokens=whole(tokens),
        sentences=unpack_spans(binary(sentences)),
    )


def to_passage(row: Row) -> PackedPassage:
    """Return a chunk with what was derived from it: the columns of `to_chunk`, then outcome,
    reason, terms, facts, vector and sentence_vectors.
    """
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


def to_passage_row(row: Row, dimensions: int) -> PassageRow:
    """Return what the index reads of a chunk from (id, chunk_index, acl_class, terms, facts,
    vector, sentence_vectors).
    """
    key, index, number, terms, facts, vector, sentences = row
    stems, counts = unpack_terms(binary(terms))
    return PassageRow(
        chunk_id=str(key),
        chunk_index=whole(index),
        acl_class=whole(number),
        stems=stems,
        counts=counts,
        vector=None if vector is None else unpack_vectors(binary(vector), dimensions),
        sentence_vectors=None
        if sentences is None
        else unpack_vectors(binary(sentences), dimensions),
        facts=unpack_columns(binary(facts)),
    )


def to_mention(row: Row) -> Mention:
    """Return a mention from (chunk_id, start, end, surface, name, class, method)."""
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


def to_claim(row: Row) -> LocalClaim:
    """Return a claim from (doc_id, id, chunk_id, subject_name, subject_class, predicate,
    object_name, object_class, value, start, end, method, confidence).
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
        object_class=None if spoken_class is None else str(spoken_class),
        value=json.loads(str(value)),
        start=whole(start),
        end=whole(end),
        method=Method(str(method)),
        confidence=float(str(confidence)),
    )
    return LocalClaim(document_id=DocumentId(str(document)), claim=claim)


def to_reference(row: Row) -> RawReference:
    """Return a reference from (kind, handle, raw)."""
    kind, handle, raw = row
    return RawReference(kind=str(kind), handle=str(handle), raw=str(raw))


def to_stored(rows: Iterable[Row], scope: Scope) -> dict[str, StoredChunk]:
    """Return chunks and their documents by chunk id: the columns of `to_chunk`, then those of
    `to_document` but the id. Documents are as the caller sees them.

    All rows are of one state of the store, so a document is made once, however many of its chunks
    are read: what it says of itself may be long.
    """
    found: dict[str, StoredChunk] = {}
    documents: dict[object, Document] = {}
    for row in rows:
        if row[1] not in documents:
            documents[row[1]] = as_seen(to_document((row[1], *row[10:])), scope)
        found[str(row[0])] = StoredChunk(chunk=to_chunk(row[:10]), document=documents[row[1]])
    return found


def to_sighting(row: Row) -> Sighting:
    """Return an entity under one surface from (doc_id, name, class, surface, count)."""
    return Sighting(entity=to_entity(row[:3]), surface=str(row[3]), count=whole(row[4]))


def to_counts(row: Row) -> BaseCounts:
    """Return counts from (documents, chunks, mentions, claims, references)."""
    documents, chunks, mentions, claims, references = map(whole, row)
    return BaseCounts(
        documents=documents,
        chunks=chunks,
        mentions=mentions,
        claims=claims,
        references=references,
    )


def to_entity(row: Row) -> LocalEntity:
    """Return a local entity from (doc_id, name, class)."""
    document, name, kind = row
    return LocalEntity(
        document_id=DocumentId(str(document)), name=str(name), entity_class=str(kind)
    )
