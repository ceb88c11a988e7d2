"""Domain values as properties of nodes and relationships, and back from what queries collected."""

from __future__ import annotations

import json
from collections.abc import Sequence

from weft.adapters.neo4j.database import Transaction
from weft.domain.acl import AclClass
from weft.domain.claim import Claim, Mention, RawReference
from weft.domain.evidence import evidence_name
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.patch import Passage, Patch
from weft.domain.pattern import LocalClaim
from weft.stores.canonical import canonical
from weft.stores.rows import (
    chunk_columns,
    claim_columns,
    document_columns,
    mention_columns,
    to_claim,
    to_reference,
)
from weft.stores.values import Row, listed, texts

Properties = dict[str, object]
Collected = list[Sequence[object]]


def entity_key(entity_class: str, name: str) -> str:
    """Return the key of the node that all documents share for a name and class."""
    return f"{entity_class}:{name}"


def stamp(document: DocumentId, chosen: AclClass) -> Properties:
    """Return what every part of a document carries beside the number of the change."""
    return {"doc_id": document, "acl_class": chosen.number}


def document_properties(patch: Patch, chosen: AclClass) -> Properties:
    """Return a document's own properties, but for the number of the change and the fence."""
    references = {(each.kind, each.handle, each.raw) for each in patch.references}
    return {
        **document_columns(patch.document),
        "acl_class": chosen.number,
        "acl": sorted(chosen.principals),
        "text": patch.text,
        "references": [canonical(list(each)) for each in sorted(references)],
        "handles": sorted(set(patch.handles)),
    }


def chunk_properties(passage: Passage, stamped: Properties) -> Properties:
    """Return a chunk's properties with its facts and vectors packed."""
    return {**stamped, **chunk_columns(passage)}


def evidence_properties(chunk: ChunkId, stamped: Properties) -> Properties:
    """Return the properties of the node that stands for a chunk in the graph."""
    name = evidence_name(str(stamped["doc_id"]), chunk)
    return {**stamped, "name": name, "chunk_id": chunk}


def mention_properties(mention: Mention, stamped: Properties) -> Properties:
    """Return the properties of one MENTIONS relationship."""
    return {**stamped, **mention_columns(mention)}


def claim_properties(claim: Claim, stamped: Properties) -> Properties:
    """Return the properties of one claim's relationship."""
    return {**stamped, **claim_columns(claim), "claim_id": claim.id}


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


def claim_of(row: Row) -> LocalClaim:
    """Return a claim from its columns: an object without a class is in the graph under an empty
    one.
    """
    return to_claim((*row[:7], row[7] or None, *row[8:]))


def references_of(value: object) -> list[RawReference]:
    """Return the references that a document's node keeps as JSON, in order."""
    parts = sorted(json.loads(each) for each in texts(value))
    return [to_reference(each) for each in parts]
