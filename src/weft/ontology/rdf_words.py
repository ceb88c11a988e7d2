"""The addresses that RDF, RDFS, OWL, SKOS and XSD have for what an ontology says."""

from __future__ import annotations

import re
from urllib.parse import unquote

from weft.ontology.schema import Datatype

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
XSD = "http://www.w3.org/2001/XMLSchema#"
_SCHEMA = ("http://schema.org/", "https://schema.org/")

TYPE, FIRST, REST, NIL = f"{_RDF}type", f"{_RDF}first", f"{_RDF}rest", f"{_RDF}nil"
CLASSES = frozenset({f"{_OWL}Class", f"{_RDFS}Class"})
CONCEPT = f"{_SKOS}Concept"
OBJECT_PROPERTIES = frozenset(
    _OWL + name
    for name in (
        "ObjectProperty",
        "TransitiveProperty",
        "SymmetricProperty",
        "AsymmetricProperty",
        "ReflexiveProperty",
        "IrreflexiveProperty",
        "InverseFunctionalProperty",
    )
)
DATATYPE_PROPERTY = f"{_OWL}DatatypeProperty"
ANNOTATION_PROPERTY = f"{_OWL}AnnotationProperty"
PROPERTY = f"{_RDF}Property"
FUNCTIONAL, INVERSE_FUNCTIONAL = f"{_OWL}FunctionalProperty", f"{_OWL}InverseFunctionalProperty"
ONTOLOGY, IMPORTS, DEPRECATED = f"{_OWL}Ontology", f"{_OWL}imports", f"{_OWL}deprecated"
SUBCLASS, BROADER = f"{_RDFS}subClassOf", f"{_SKOS}broader"
EQUIVALENT, INVERSE, SUBPROPERTY = (
    f"{_OWL}equivalentClass",
    f"{_OWL}inverseOf",
    f"{_RDFS}subPropertyOf",
)
DOMAINS = (f"{_RDFS}domain", *(f"{each}domainIncludes" for each in _SCHEMA))
RANGES = (f"{_RDFS}range", *(f"{each}rangeIncludes" for each in _SCHEMA))
UNION, INTERSECTION = f"{_OWL}unionOf", f"{_OWL}intersectionOf"
ON_PROPERTY = f"{_OWL}onProperty"
FILLERS = tuple(_OWL + name for name in ("someValuesFrom", "allValuesFrom", "onClass"))
LABELS = (f"{_SKOS}prefLabel", f"{_RDFS}label")
DEFINITIONS = (f"{_SKOS}definition", f"{_RDFS}comment")
# Other names of a thing, in whatever vocabulary of annotations.
ALIASES = frozenset(
    {"altLabel", "hiddenLabel", "synonym", "acronym", "abbreviation", "alternateName", "notation"}
)
ANYTHINGS = frozenset({f"{_OWL}Thing", f"{_RDFS}Resource", *(f"{each}Thing" for each in _SCHEMA)})
_VALUES = {
    **dict.fromkeys(
        "integer int long short byte decimal double float nonNegativeInteger positiveInteger "
        "negativeInteger nonPositiveInteger unsignedInt unsignedLong".split(),
        Datatype.NUMBER,
    ),
    **dict.fromkeys("date dateTime dateTimeStamp gYear gYearMonth time".split(), Datatype.DATE),
    "boolean": Datatype.BOOLEAN,
    "anyURI": Datatype.IDENTIFIER,
}
_TEXTS = frozenset({f"{_RDFS}Literal", f"{_RDF}langString", f"{_RDF}PlainLiteral"})
_OWN = (_RDF, _RDFS, _OWL, XSD, _SKOS)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def datatype_of(address: str) -> Datatype | None:
    """Return the kind of value that an address stands for, None where it is no datatype."""
    if address.startswith(XSD):
        return _VALUES.get(address.removeprefix(XSD), Datatype.TEXT)
    return Datatype.TEXT if address in _TEXTS else None


def is_own(address: str) -> bool:
    """Tell whether an address belongs to the languages themselves."""
    return address.startswith(_OWN)


def last_part(address: str) -> str:
    """Return the last part of an address: `http://x/hasPart` ends with `hasPart`."""
    return unquote(re.split(r"[/#:]", address.rstrip("/#"))[-1])


def in_words(address: str) -> str:
    """Return the last part of an address in words: `isPartOf` is `is part of`."""
    return " ".join(_CAMEL.sub(" ", last_part(address)).replace("_", " ").replace("-", " ").split())
