"""What queries collected, as domain values."""

from __future__ import annotations

import json
from collections.abc import Sequence

from weft.adapters.neo4j.database import Transaction
from weft.adapters.neo4j.rows import Properties, listed, texts
from weft.domain.claim import RawReference
from weft.domain.ledger import FileEntry
from weft.domain.pattern import LocalClaim
from weft.stores.rows import Row, to_claim, to_file

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


def claim_of(row: Row) -> LocalClaim:
    """Return a claim from its columns: an object without a class is in the graph under an empty
    one.
    """
    return to_claim((*row[:7], row[7] or None, *row[8:]))


def file_of(row: Row) -> FileEntry:
    """Return a row of the ledger from (source, path, status, version, acl, reason, ...)."""
    return to_file((*row[:4], *row[5:]), acl=texts(row[4]))


def to_references(value: object) -> list[RawReference]:
    """Return the references that a document's node keeps as JSON, in order."""
    parts = sorted(json.loads(each) for each in texts(value))
    return [RawReference(kind=kind, handle=handle, raw=raw) for kind, handle, raw in parts]
