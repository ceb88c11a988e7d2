"""Canonical JSON lines: what a knowledge base holds, told the same way whatever it is kept in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime

from weft.domain.claim import Link, LocalEntity, Mention, Method, RawReference
from weft.domain.document import Chunk, Document
from weft.domain.evidence import evidence_name
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.pattern import LocalClaim


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPassage:
    """A passage as a store keeps it: facts and vectors are bytes, no vectors are None."""

    chunk: Chunk
    outcome: Method
    reason: str
    terms: bytes
    facts: bytes
    vector: bytes | None
    sentence_vectors: bytes | None


def canonical(value: object) -> str:
    """Return a value as canonical JSON."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def moment(when: datetime | None) -> str | None:
    """Return a time as text that sorts as times do."""
    return None if when is None else when.astimezone(UTC).isoformat(timespec="microseconds")


def settings_line(settings: Mapping[str, str]) -> str:
    """Return the line of the knowledge base itself."""
    return canonical({"kind": "knowledge_base", "settings": dict(settings)})


def document_line(document: Document, text: str) -> str:
    """Return the line of a document with its text."""
    return canonical(
        {
            "kind": "document",
            "id": document.id,
            "source": document.source,
            "type": document.type,
            "title": document.title,
            "uri": document.uri,
            "version": document.version,
            "acl": sorted(document.acl),
            "metadata": dict(document.metadata),
            "text": text,
            "created": moment(document.created),
            "updated": moment(document.updated),
        }
    )


def chunk_line(passage: PackedPassage) -> str:
    """Return the line of a chunk, with hashes of what was derived from it."""
    chunk = passage.chunk
    return canonical(
        {
            "kind": "chunk",
            "id": chunk.id,
            "doc_id": chunk.document_id,
            "chunk_index": chunk.chunk_index,
            "start": chunk.start,
            "end": chunk.end,
            "page": chunk.page,
            "section": chunk.section,
            "tokens": chunk.tokens,
            "outcome": passage.outcome.value,
            "reason": passage.reason,
            "text": chunk.text,
            "sentences": [[span.start, span.end] for span in chunk.sentences],
            "terms": _hash(passage.terms),
            "facts": _hash(passage.facts),
            "vector": _hash(passage.vector),
            "sentence_vectors": _hash(passage.sentence_vectors),
        }
    )


def evidence_line(chunk: Chunk) -> str:
    """Return the line of a chunk's evidence node."""
    document = chunk.document_id
    name = evidence_name(document, chunk.id)
    told = {"kind": "evidence", "name": name, "source_id": document, "chunk_id": chunk.id}
    return canonical(told)


def mention_line(document_id: DocumentId, mention: Mention) -> str:
    """Return the line of a mention."""
    return canonical(
        {
            "kind": "mention",
            "doc_id": document_id,
            "chunk_id": mention.chunk_id,
            "start": mention.start,
            "end": mention.end,
            "surface": mention.surface,
            "name": mention.name,
            "class": mention.entity_class,
            "method": mention.method.value,
        }
    )


def claim_line(stated: LocalClaim) -> str:
    """Return the line of a claim."""
    claim = stated.claim
    return canonical(
        {
            "kind": "claim",
            "doc_id": stated.document_id,
            "id": claim.id,
            "chunk_id": claim.chunk_id,
            "subject_name": claim.subject_name,
            "subject_class": claim.subject_class,
            "predicate": claim.predicate,
            "object_name": claim.object_name,
            "object_class": claim.object_class,
            "value": claim.value,
            "start": claim.start,
            "end": claim.end,
            "method": claim.method.value,
            "confidence": claim.confidence,
        }
    )


def reference_line(document_id: DocumentId, reference: RawReference) -> str:
    """Return the line of a string that may refer to another document."""
    return canonical(
        {
            "kind": "reference",
            "doc_id": document_id,
            "type": reference.kind,
            "handle": reference.handle,
            "raw": reference.raw,
        }
    )


def handle_line(document_id: DocumentId, handle: str) -> str:
    """Return the line of a string by which others may refer to a document."""
    return canonical({"kind": "handle", "doc_id": document_id, "handle": handle})


def link_line(link: Link) -> str:
    """Return the line of a link."""
    return canonical(
        {
            "kind": "link",
            "id": link.key,
            "link": link.kind.value,
            **_end("left", link.left),
            **_end("right", link.right),
            "method": link.method,
            "score": link.score,
            "reason": link.reason,
            "author": link.author,
        }
    )


def _end(side: str, entity: LocalEntity) -> dict[str, str]:
    return {
        f"{side}_doc": entity.document_id,
        f"{side}_name": entity.name,
        f"{side}_class": entity.entity_class,
    }


def _hash(value: bytes | None) -> str | None:
    return None if value is None else hashlib.blake2b(value, digest_size=16).hexdigest()
