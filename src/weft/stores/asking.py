"""What a query under a scope is given, in the port's words."""

from __future__ import annotations

from weft.domain.scope import Scope
from weft.ports.knowledge import DocumentFilter
from weft.stores.canonical import moment
from weft.stores.rows import Columns


def scoped(scope: Scope, **parameters: object) -> Columns:
    """Return parameters with those that every query under a scope needs."""
    return {
        "tenant": scope.tenant,
        "principals": sorted(scope.principals),
        "sources": None if scope.sources is None else sorted(scope.sources),
        **parameters,
    }


def alternatives(names: frozenset[str]) -> list[str] | None:
    """Return what one of is wanted; None where anything will do."""
    return sorted(names) if names else None


def conditions(wanted: DocumentFilter) -> Columns:
    """Return what documents are chosen by, but for their metadata."""
    return {
        "documents": None if wanted.documents is None else sorted(wanted.documents),
        "types": alternatives(frozenset(map(str.lower, wanted.types))),
        "origins": alternatives(frozenset(map(str.lower, wanted.sources))),
        "since": moment(wanted.since),
        "until": moment(wanted.until),
    }
