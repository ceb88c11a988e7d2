"""Links by people and models, as columns and back."""

from __future__ import annotations

from collections.abc import Mapping

from weft.domain.claim import Link, LinkKind, LocalEntity
from weft.stores.rows import Columns, to_entity
from weft.stores.values import Row


def link_columns(link: Link) -> Columns:
    """Return a link's columns."""
    return {
        "id": link.key,
        "kind": link.kind.value,
        "left_doc": link.left.document_id,
        "left_name": link.left.name,
        "left_class": link.left.entity_class,
        "right_doc": link.right.document_id,
        "right_name": link.right.name,
        "right_class": link.right.entity_class,
        "method": link.method,
        "score": link.score,
        "reason": link.reason,
        "author": link.author,
    }


def to_link(row: Row) -> Link:
    """Return a link from the columns of `link_columns` but the id, in their order."""
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


def touching(found: Mapping[str, Link], entities: frozenset[LocalEntity]) -> list[Link]:
    """Return the links with an end among `entities`, ordered by key; all of them if it is empty."""
    return [
        link
        for _, link in sorted(found.items())
        if not entities or link.left in entities or link.right in entities
    ]
