"""The ontology's own names: what a graph pattern may ask for, by exact match."""

from __future__ import annotations

from weft.domain.errors import BadInput
from weft.domain.pattern import GraphPattern
from weft.ontology.schema import Ontology


def in_its_words(pattern: GraphPattern, ontology: Ontology) -> GraphPattern:
    """Return the pattern, or raise `BadInput` for a class or relation that is not the ontology's.

    Names are compared as they stand: no alias, no other spelling. Properties are relations too.
    """
    classes = {each.name for each in ontology.classes}
    relations = {each.name for each in ontology.relations}
    for shape in pattern.shapes:
        _refuse_others(shape.classes, known=classes, what="class")
        _refuse_others({each.name for each in shape.where}, known=relations, what="property")
    for hop in pattern.hops:
        _refuse_others(hop.relations, known=relations, what="relation")
    return pattern


def _refuse_others(asked: frozenset[str] | set[str], *, known: set[str], what: str) -> None:
    unknown = sorted(asked - known)
    if unknown:
        raise BadInput(f"The ontology has no {what} '{unknown[0]}'.", name=unknown[0])
