"""Domain values as rows, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from weft.domain.claim import Claim, Mention, Method, RawReference
from weft.domain.document import Chunk, Document
from weft.domain.ids import ChunkId, ClaimId, DocumentId
from weft.domain.lines import PackedPassage, canonical, moment
from weft.domain.patch import Passage, Patch
from weft.domain.pattern import LocalClaim
from weft.domain.scope import Scope
from weft.index.packing import (
    pack_facts,
    pack_spans,
    pack_terms,
    pack_vectors,
    unpack_spans,
)

Row = tuple[object, ...]
Parameters = dict[str, object]


def scoped(scope: Scope, **parameters: object) -> Parameters:
    """Return parameters with those that every query under a scope needs."""
    sources = None if scope.sources is None else array(sorted(scope.sources))
    return {
        "tenant": scope.tenant,
        "principals": array(sorted(scope.principals)),
        "sources": sources,
        **parameters,
    }


def array(values: Sequence[str]) -> str:
    """Return strings as a JSON array, for `json_each`."""
    return json.dumps(list(values), ensure_ascii=False)


def document_row(document: Document, *, v: int, fence: int, number: int) -> Parameters:
    """Return a document's own row."""
    return {
        "id": document.id,
        "v": v,
        "version": document.version,
        "fence": fence,
        "acl_class": number,
        "source": document.source,
        "type": document.type,
        "title": document.title,
        "uri": document.uri,
        "metadata": canonical(dict(document.metadata)),
        "created": moment(document.created),
        "updated": moment(document.updated),
    }


def chunk_row(passage: Passage, number: int) -> Parameters:
    """Return a chunk's row with its facts and vectors packed."""
    chunk, vectors = passage.chunk, passage.vectors
    return {
        "id": chunk.id,
        "doc_id": chunk.document_id,
        "chunk_index": chunk.chunk_index,
        "acl_class": number,
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


def mention_row(document: DocumentId, mention: Mention, *, number: int) -> Parameters:
    """Return a mention's row."""
    return {
        "doc_id": document,
        "chunk_id": mention.chunk_id,
        "acl_class": number,
        "start": mention.start,
        "end": mention.end,
        "surface": mention.surface,
        "name": mention.name,
        "class": mention.entity_class,
        "method": mention.method.value,
    }


def claim_row(document: DocumentId, claim: Claim, *, number: int) -> Parameters:
    """Return a claim's row."""
    return {
        "id": claim.id,
        "doc_id": document,
        "chunk_id": claim.chunk_id,
        "acl_class": number,
        "subject_name": claim.subject_name,
        "subject_class": claim.subject_class,
        "predicate": claim.predicate,
        "object_name": claim.object_name,
        "object_class": claim.object_class,
        "value": canonical(claim.value),
        "start": claim.start,
        "end": claim.end,
        "method": claim.method.value,
        "confidence": claim.confidence,
    }


def reference_row(document: DocumentId, reference: RawReference, *, number: int) -> Parameters:
    """Return a reference's row."""
    return {
        "doc_id": document,
        "kind": reference.kind,
        "handle": reference.handle,
        "raw": reference.raw,
        "acl_class": number,
    }


def handle_rows(patch: Patch, number: int) -> list[Parameters]:
    """Return the rows of a document's handles."""
    document = patch.document.id
    return [{"handle": h, "doc_id": document, "acl_class": number} for h in patch.handles]


def to_document(row: Row) -> Document:
    """Return a document from (id, source, type, title, uri, version, principals, metadata, ...)."""
    key, source, kind, title, uri, version, principals, metadata, created, updated = row
    return Document(
        id=DocumentId(str(key)),
        source=str(source),
        type=str(kind),
        title=str(title),
        uri=str(uri),
        version=str(version),
        acl=frozenset(json.loads(str(principals))),
        metadata=json.loads(str(metadata)),
        created=_time(created),
        updated=_time(updated),
    )


def _time(value: object) -> datetime | None:
    return None if value is None else datetime.fromisoformat(str(value))


def to_chunk(row: Row) -> Chunk:
    """Return a chunk from its columns, in the order of the query `chunks`."""
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
    """Return a chunk with what was derived from it, from the columns of `export_chunks`."""
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


def to_mention(row: Row) -> Mention:
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


def to_reference(row: Row) -> RawReference:
    """Return a reference from its columns but the document."""
    kind, handle, raw = row
    return RawReference(kind=str(kind), handle=str(handle), raw=str(raw))


def to_claim(row: Row) -> LocalClaim:
    """Return a claim from its columns, in the order of the query `claims`."""
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


def whole(value: object) -> int:
    """Return a column that holds an integer."""
    if not isinstance(value, int):
        raise TypeError(f"an integer column holds {type(value).__name__}")
    return value


def binary(value: object) -> bytes:
    """Return a column that holds bytes."""
    if not isinstance(value, bytes):
        raise TypeError(f"a blob column holds {type(value).__name__}")
    return value
