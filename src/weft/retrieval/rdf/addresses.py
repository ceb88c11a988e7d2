"""The addresses that things of a knowledge base have as RDF."""

from __future__ import annotations

from urllib.parse import quote

from weft.domain.entity import Entity

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
_TERMS, _THINGS = "urn:weft:term:", "urn:weft:thing:"


def term_address(name: str) -> str:
    """Return the address of a class or relation of the ontology."""
    return _TERMS + quote(name, safe="")


def thing_address(entity: Entity) -> str:
    """Return the address of a thing: that of its first member."""
    return _THINGS + quote(entity.id, safe="")
