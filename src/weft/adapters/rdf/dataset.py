"""RDF in memory, asked in SPARQL by pyoxigraph."""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuerySolutions, Store

from weft.ports.files.rdf import RdfStatement, Term, TermKind
from weft.ports.files.rdf_dataset import RdfRows


class OxigraphDataset:
    """Implements `ports/files/rdf_dataset.py: RdfDataset`."""

    def __init__(self, statements: Iterable[RdfStatement]) -> None:
        """Take what it holds."""
        self._store = Store()
        self._store.bulk_extend(
            Quad(_subject(one.subject), NamedNode(one.predicate), _term(one.object))
            for one in statements
        )

    def select(self, sparql: str) -> RdfRows:
        """Return the rows of a SELECT in the query's order."""
        found = self._store.query(sparql)
        assert isinstance(found, QuerySolutions)
        columns = tuple(one.value for one in found.variables)
        rows = tuple(tuple(_text(row[one]) for one in columns) for row in found)
        return RdfRows(columns=columns, rows=rows)


def _subject(term: Term) -> NamedNode | BlankNode:
    return BlankNode(term.value) if term.kind is TermKind.BLANK else NamedNode(term.value)


def _term(term: Term) -> NamedNode | BlankNode | Literal:
    if term.kind is not TermKind.LITERAL:
        return _subject(term)
    if term.language:
        return Literal(term.value, language=term.language)
    return Literal(term.value, datatype=NamedNode(term.datatype) if term.datatype else None)


def _text(term: object) -> str:
    return term.value if isinstance(term, NamedNode | BlankNode | Literal) else ""
