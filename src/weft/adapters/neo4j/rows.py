"""Domain values as properties of nodes and relationships, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from weft.domain.acl import AclClass
from weft.domain.claim import Claim, Mention
from weft.domain.document import Chunk, Document
from weft.domain.evidence import evidence_name
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.lines import canonical, moment
from weft.domain.patch import Passage, Patch
from weft.domain.scope import Scope
from weft.index.packing import pack_facts, pack_spans, pack_terms, pack_vectors, unpack_spans

Properties = dict[str, object]


def scoped(scope: Scope, **parameters: object) -> Properties:
    """Return parameters with those that every query under a scope needs."""
    return {
        "tenant": scope.tenant,
        "principals": sorted(scope.principals),
        "sources": None if scope.sources is None else sorted(scope.sources),
        **parameters,
    }


def entity_key(entity_class: str, name: str) -> str:
    """Return the key of the node that all documents share for a name and class."""
    return f"{entity_class}:{name}"


def stamp(document: DocumentId, chosen: AclClass) -> Properties:
    """Return what every part of a document carries beside the number of the change."""
    return {"doc_id": document, "acl_class": chosen.number}


def document_properties(patch: Patch, chosen: AclClass) -> Properties:
    """Return a document's own properties, but for the number of the change and the fence."""
    document = patch.document
    references = {(each.kind, each.handle, each.raw) for each in patch.references}
    return {
        "id": document.id,
        "version": document.version,
        "acl_class": chosen.number,
        "acl": sorted(chosen.principals),
        "source": document.source,
        "type": document.type,
        "title": document.title,
        "uri": document.uri,
        "metadata": canonical(dict(document.metadata)),
        "created": moment(document.created),
        "updated": moment(document.updated),
        "text": patch.text,
        "references": [canonical(list(each)) for each in sorted(references)],
        "handles": sorted(set(patch.handles)),
    }


def chunk_properties(passage: Passage, stamped: Properties) -> Properties:
    """Return a chunk's properties with its facts and vectors packed."""
    chunk, vectors = passage.chunk, passage.vectors
    return {
        **stamped,
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


def evidence_properties(chunk: ChunkId, stamped: Properties) -> Properties:
    """Return the properties of the node that stands for a chunk in the graph."""
    name = evidence_name(str(stamped["doc_id"]), chunk)
    return {**stamped, "name": name, "chunk_id": chunk}


def mention_properties(mention: Mention, stamped: Properties) -> Properties:
    """Return the properties of one MENTIONS relationship."""
    return {
        **stamped,
        "chunk_id": mention.chunk_id,
        "start": mention.start,
        "end": mention.end,
        "surface": mention.surface,
        "method": mention.method.value,
    }


def claim_properties(claim: Claim, stamped: Properties) -> Properties:
    """Return the properties of one claim's relationship."""
    return {
        **stamped,
        "claim_id": claim.id,
        "chunk_id": claim.chunk_id,
        "predicate": claim.predicate,
        "value": canonical(claim.value),
        "start": claim.start,
        "end": claim.end,
        "method": claim.method.value,
        "confidence": claim.confidence,
    }


def to_document(row: Sequence[object]) -> Document:
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


def to_chunk(row: Sequence[object]) -> Chunk:
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


def _time(value: object) -> datetime | None:
    return None if value is None else datetime.fromisoformat(str(value))


def whole(value: object) -> int:
    """Return a property that holds an integer."""
    if not isinstance(value, int):
        raise TypeError(f"an integer property holds {type(value).__name__}")
    return value


def binary(value: object) -> bytes:
    """Return a property that holds bytes."""
    if not isinstance(value, bytes | bytearray):
        raise TypeError(f"a property of bytes holds {type(value).__name__}")
    return bytes(value)


def listed(value: object) -> list[object]:
    """Return a list that the server answered."""
    if not isinstance(value, list):
        raise TypeError(f"a list was expected, not {type(value).__name__}")
    return value


def texts(value: object) -> list[str]:
    """Return a list of texts that the server answered."""
    return [str(each) for each in listed(value)]
