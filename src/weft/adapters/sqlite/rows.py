"""Domain values as rows, and back."""

from __future__ import annotations

import json

from weft.domain.claim import Claim, Mention, RawReference
from weft.domain.document import Document
from weft.domain.ids import DocumentId
from weft.domain.patch import Passage, Patch
from weft.domain.scope import Scope
from weft.stores import asking
from weft.stores.rows import (
    Columns,
    chunk_columns,
    claim_columns,
    document_columns,
    mention_columns,
)

Parameters = dict[str, object]


def scoped(scope: Scope, **parameters: object) -> Parameters:
    """Return parameters with those that every query under a scope needs, encoded."""
    return encoded(asking.scoped(scope, **parameters))


def encoded(columns: Columns) -> Parameters:
    """Return columns with each list as JSON, as `json_each` reads it."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
        for name, value in columns.items()
    }


def document_row(document: Document, *, v: int, fence: int, number: int) -> Parameters:
    """Return a document's own row."""
    return {**document_columns(document), "v": v, "fence": fence, "acl_class": number}


def chunk_row(passage: Passage, number: int) -> Parameters:
    """Return a chunk's row with its facts and vectors packed."""
    return {
        **chunk_columns(passage),
        "doc_id": passage.chunk.document_id,
        "acl_class": number,
    }


def mention_row(document: DocumentId, mention: Mention, *, number: int) -> Parameters:
    """Return a mention's row."""
    return {
        **mention_columns(mention),
        "doc_id": document,
        "acl_class": number,
        "name": mention.name,
        "class": mention.entity_class,
    }


def claim_row(document: DocumentId, claim: Claim, *, number: int) -> Parameters:
    """Return a claim's row."""
    return {
        **claim_columns(claim),
        "id": claim.id,
        "doc_id": document,
        "acl_class": number,
        "subject_name": claim.subject_name,
        "subject_class": claim.subject_class,
        "object_name": claim.object_name,
        "object_class": claim.object_class,
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
