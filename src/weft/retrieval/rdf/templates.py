"""Typed questions to RDF, each with its SPARQL: nobody's words become a part of a query."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.retrieval.rdf.addresses import OWL, RDF, RDFS, SKOS, term_address

if TYPE_CHECKING:
    from weft.ontology.schema import Ontology

_PREFIXES = "\n".join(
    f"PREFIX {name}: <{address}>"
    for name, address in (("rdf", RDF), ("rdfs", RDFS), ("owl", OWL), ("skos", SKOS))
)
_LABEL = "OPTIONAL {{ ?{0}_ rdfs:label ?{0}l }} BIND(COALESCE(?{0}l, STR(?{0}_)) AS ?{0})"


class Needs(StrEnum):
    """What a template is asked of."""

    NOTHING = "nothing"
    CLASS = "class"
    RELATION = "relation"
    THING = "thing"
    TERM = "term"


class Template(StrEnum):
    """What may be asked, a SPARQL query each."""

    CLASSES = "classes"
    TOP_CLASSES = "top_classes"
    LEAF_CLASSES = "leaf_classes"
    CLASSES_WITH_SUBCLASSES = "classes_with_subclasses"
    UNUSED_CLASSES = "unused_classes"
    SUBCLASSES = "subclasses"
    SUPERCLASSES = "superclasses"
    PROPERTIES = "properties"
    OBJECT_PROPERTIES = "object_properties"
    DATATYPE_PROPERTIES = "datatype_properties"
    FUNCTIONAL_PROPERTIES = "functional_properties"
    PROPERTIES_OF = "properties_of"
    PROPERTIES_TO = "properties_to"
    DOMAIN = "domain"
    RANGE = "range"
    DEFINITION = "definition"
    LABELS = "labels"
    ADDRESS = "address"
    INSTANCES = "instances"
    INSTANCE_COUNTS = "instance_counts"
    CLASS_COUNT = "class_count"
    TRIPLE_COUNT = "triple_count"
    PAIRS = "pairs"
    CLASS_OF = "class_of"
    FACTS_OF = "facts_of"


@dataclass(frozen=True, slots=True, kw_only=True)
class RdfQuestion:
    """A template, and the class, relation or thing (its address) that it is asked of."""

    template: Template
    of: str = ""


def _labelled(body: str, *names: str) -> str:
    columns = " ".join(f"?{name}" for name in names)
    labels = " ".join(_LABEL.format(name) for name in names)
    return f"SELECT DISTINCT {columns} WHERE {{ {body} {labels} }} ORDER BY {columns}"


_KINDS = "VALUES ?kind { owl:ObjectProperty owl:DatatypeProperty } "
_TERM = "{of}"
_QUERIES: dict[Template, tuple[Needs, str]] = {
    Template.CLASSES: (Needs.NOTHING, _labelled("?class_ a owl:Class .", "class")),
    Template.TOP_CLASSES: (
        Needs.NOTHING,
        _labelled(
            "?class_ a owl:Class . FILTER NOT EXISTS { ?class_ rdfs:subClassOf ?above }", "class"
        ),
    ),
    Template.LEAF_CLASSES: (
        Needs.NOTHING,
        _labelled(
            "?class_ a owl:Class . FILTER NOT EXISTS { ?below rdfs:subClassOf ?class_ }", "class"
        ),
    ),
    Template.CLASSES_WITH_SUBCLASSES: (
        Needs.NOTHING,
        _labelled("?subclass_ rdfs:subClassOf ?class_ .", "class", "subclass"),
    ),
    Template.UNUSED_CLASSES: (
        Needs.NOTHING,
        _labelled("?class_ a owl:Class . FILTER NOT EXISTS { ?thing a ?class_ }", "class"),
    ),
    Template.SUBCLASSES: (
        Needs.CLASS,
        _labelled(f"?class_ rdfs:subClassOf+ {_TERM} .", "class"),
    ),
    Template.SUPERCLASSES: (
        Needs.CLASS,
        _labelled(f"{_TERM} rdfs:subClassOf+ ?class_ .", "class"),
    ),
    Template.PROPERTIES: (Needs.NOTHING, _labelled(_KINDS + "?property_ a ?kind .", "property")),
    Template.OBJECT_PROPERTIES: (
        Needs.NOTHING,
        _labelled("?property_ a owl:ObjectProperty .", "property"),
    ),
    Template.DATATYPE_PROPERTIES: (
        Needs.NOTHING,
        _labelled("?property_ a owl:DatatypeProperty .", "property"),
    ),
    Template.FUNCTIONAL_PROPERTIES: (
        Needs.NOTHING,
        _labelled("?property_ a owl:FunctionalProperty .", "property"),
    ),
    Template.PROPERTIES_OF: (
        Needs.CLASS,
        _labelled(f"{_TERM} rdfs:subClassOf* ?own . ?property_ rdfs:domain ?own .", "property"),
    ),
    Template.PROPERTIES_TO: (
        Needs.CLASS,
        _labelled(f"{_TERM} rdfs:subClassOf* ?own . ?property_ rdfs:range ?own .", "property"),
    ),
    Template.DOMAIN: (Needs.RELATION, _labelled(f"{_TERM} rdfs:domain ?class_ .", "class")),
    Template.RANGE: (Needs.RELATION, _labelled(f"{_TERM} rdfs:range ?class_ .", "class")),
    Template.DEFINITION: (
        Needs.TERM,
        f"SELECT ?definition WHERE {{ {_TERM} rdfs:comment ?definition }} ORDER BY ?definition",
    ),
    Template.LABELS: (
        Needs.TERM,
        f"SELECT ?label WHERE {{ {_TERM} rdfs:label|skos:altLabel ?label }} ORDER BY ?label",
    ),
    Template.ADDRESS: (
        Needs.TERM,
        f"SELECT ?address WHERE {{ {_TERM} a ?kind . BIND({_TERM} AS ?address) }} LIMIT 1",
    ),
    Template.INSTANCES: (
        Needs.CLASS,
        _labelled(f"?thing_ a ?own . ?own rdfs:subClassOf* {_TERM} .", "thing"),
    ),
    Template.INSTANCE_COUNTS: (
        Needs.NOTHING,
        "SELECT ?class ?count WHERE { { SELECT ?class_ (COUNT(DISTINCT ?thing) AS ?count) WHERE "
        "{ ?thing a ?class_ . ?class_ a owl:Class } GROUP BY ?class_ } ?class_ rdfs:label ?class } "
        "ORDER BY DESC(?count) ?class",
    ),
    Template.CLASS_COUNT: (
        Needs.NOTHING,
        "SELECT (COUNT(DISTINCT ?class) AS ?count) WHERE { ?class a owl:Class }",
    ),
    Template.TRIPLE_COUNT: (Needs.NOTHING, "SELECT (COUNT(*) AS ?count) WHERE { ?s ?p ?o }"),
    Template.PAIRS: (Needs.RELATION, _labelled(f"?from_ {_TERM} ?to_ .", "from", "to")),
    Template.CLASS_OF: (
        Needs.THING,
        _labelled(f"{_TERM} a/rdfs:subClassOf* ?class_ .", "class"),
    ),
    Template.FACTS_OF: (
        Needs.THING,
        _labelled(f"{_TERM} ?property_ ?value_ . ?property_ a ?kind .", "property", "value"),
    ),
}


def needs(template: Template) -> Needs:
    """Return what a template is asked of."""
    return _QUERIES[template][0]


def sparql_of(asked: RdfQuestion, ontology: Ontology) -> str:
    """Return the query of a question; raises `BadInput` for what the ontology does not know."""
    need, query = _QUERIES[asked.template]
    return f"{_PREFIXES}\n{query.replace(_TERM, _address(asked.of, need, ontology))}"


def _address(of: str, need: Needs, ontology: Ontology) -> str:
    if need is Needs.NOTHING:
        return ""
    if need is Needs.THING:
        if any(sign in of for sign in '<>"{}|\\^` \n') or not of.startswith("urn:weft:thing:"):
            raise BadInput("A thing is named by its address.")
        return f"<{of}>"
    known = None
    if need in (Needs.CLASS, Needs.TERM):
        known = ontology.entity_class(of)
    found = known or (ontology.relation(of) if need is not Needs.CLASS else None)
    if found is None:
        raise BadInput(f"The ontology '{ontology.name}' has no {need} '{of[:100]}'.", name=of)
    return f"<{term_address(found.name)}>"
