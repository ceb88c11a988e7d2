"""The seam for files of RDF: bytes in, statements out."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from weft.domain.frozen import dataclass


class TermKind(StrEnum):
    """What a term of RDF is: an address, a node without one, or a value."""

    IRI = "iri"
    BLANK = "blank"
    LITERAL = "literal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term; `language` and `datatype` (an address) are those of a literal."""

    value: str
    kind: TermKind = TermKind.IRI
    language: str = ""
    datatype: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RdfStatement:
    """What a file states; the predicate is an address."""

    subject: Term
    predicate: str
    object: Term


class RdfFiles(Protocol):
    """Reads Turtle, N-Triples, RDF/XML and JSON-LD; nothing is fetched that a file names."""

    def statements(self, data: bytes, name: str) -> Sequence[RdfStatement]:
        """Return what a file states, or raise `BadInput` naming the file and what is wrong."""
        ...
