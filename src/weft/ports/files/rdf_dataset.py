"""The seam for RDF that is asked: statements in, rows of a SPARQL query out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.ports.files.rdf import RdfStatement


@dataclass(frozen=True, slots=True, kw_only=True)
class RdfRows:
    """What a query gave: its variables, and a text for each in every row (empty where unbound)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class RdfDataset(Protocol):
    """Statements that can be asked."""

    def select(self, sparql: str) -> RdfRows:
        """Return the rows of a SELECT in the query's order."""
        ...


class RdfDatasets(Protocol):
    """Makes datasets of statements, in memory."""

    def dataset(self, statements: Iterable[RdfStatement]) -> RdfDataset:
        """Return a dataset that holds these statements and no others."""
        ...
