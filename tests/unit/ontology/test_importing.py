"""OWL, RDFS and SKOS become ontologies of ours."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.rdf.rdf import OxigraphFiles
from weft.domain.errors import BadInput
from weft.ontology import rdf_words as rdf
from weft.ontology import shipped
from weft.ontology.catalog import parse, whole
from weft.ontology.importing import Imported, ImportRequest, imported
from weft.ontology.schema import ANYTHING, Datatype, Ontology
from weft.ports.files.rdf import RdfStatement, Term, TermKind

VOCABULARIES = Path(__file__).parents[2] / "samples" / "vocabularies"
HEAD = """
@prefix : <http://x/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ZOO = (
    HEAD
    + """
<http://x/> a owl:Ontology ; owl:imports <http://elsewhere/> .
:Animal a owl:Class ; rdfs:label "animal"@en, "동물"@ko ; rdfs:comment "It lives. It eats."@en .
:Dog rdfs:subClassOf :Animal ; a owl:Class ; skos:altLabel "hound" .
:GuideDog a owl:Class ; rdfs:subClassOf :Dog ; owl:equivalentClass <http://y/Helper> .
:Old a owl:Class ; owl:deprecated true .
:Keeper a owl:Class ; rdfs:subClassOf [ a owl:Restriction ;
    owl:onProperty :caresFor ; owl:someValuesFrom :Animal ] .
:rex a :Dog ; rdfs:label "Rex" .
:caresFor a owl:ObjectProperty ; owl:inverseOf :isCaredForBy .
:isCaredForBy a owl:ObjectProperty , owl:FunctionalProperty ;
    rdfs:domain [ owl:unionOf ( :Dog :Keeper ) ] ; rdfs:range <http://y/Helper> .
:weight a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain :Animal ;
    rdfs:range xsd:decimal .
:born a owl:DatatypeProperty ; rdfs:range xsd:date .
:nick rdfs:subPropertyOf :weight ; a owl:DatatypeProperty .
:touches a owl:ObjectProperty .
:note a owl:AnnotationProperty .
"""
)


def brought_in(turtle: str, request: ImportRequest | None = None) -> tuple[Imported, Ontology]:
    """Return a vocabulary in Turtle as it is brought in, and read again."""
    statements = OxigraphFiles().statements(turtle.encode(), "zoo.ttl")
    made = imported(statements, request or ImportRequest(name="zoo"))
    return made, parse(made.text, name="zoo")


def test_classes_have_their_parents_words_and_members() -> None:
    made, zoo = brought_in(ZOO)
    assert {each.name for each in zoo.classes} == {"animal", "dog", "guide_dog", "keeper"}
    dog = zoo.entity_class("hound")
    assert dog is not None
    assert (dog.name, dog.parents, dog.members) == ("dog", ("animal",), ("Rex",))
    animal = zoo.entity_class("동물")
    assert animal is not None
    assert animal.description == "It lives."
    assert zoo.ancestors("guide_dog") == {"guide_dog", "dog", "animal"}
    assert made.missing == ("http://elsewhere/",)
    assert (made.classes, made.properties, made.relations) == (4, 3, 3)


def test_relations_have_their_ends_unions_and_restrictions_read() -> None:
    _, zoo = brought_in(ZOO)
    cares, cared = zoo.relation("cares for"), zoo.relation("is cared for by")
    assert cares is not None
    assert cared is not None
    assert cares.stated == (frozenset({"keeper"}), frozenset({"animal"}))
    assert cares.joins("keeper", "guide_dog")
    assert not cares.joins("dog", "keeper")
    assert cared.stated == (frozenset({"dog", "keeper"}), frozenset({"guide_dog"}))
    assert cared.functional
    assert cares.cues == ("cares for",)
    assert cares.inverse_cues == ("is cared for by",)
    touches = zoo.relation("touches")
    assert touches is not None
    assert touches.stated == (frozenset({ANYTHING}), frozenset({ANYTHING}))


def test_properties_have_datatypes_and_the_domain_of_those_above() -> None:
    _, zoo = brought_in(ZOO)
    found = {each.name: each for each in zoo.relations if each.datatype}
    assert {name: each.datatype for name, each in found.items()} == {
        "weight": Datatype.NUMBER,
        "born": Datatype.DATE,
        "nick": Datatype.NUMBER,
    }
    assert found["weight"].functional
    assert found["nick"].stated[0] == {"animal"}


def test_concepts_are_classes_and_rings_are_cut() -> None:
    _, taxonomy = brought_in(
        HEAD
        + """
:C1 a skos:Concept ; skos:prefLabel "risk"@en, "위험"@ko ; skos:broader :C2 .
:C2 a skos:Concept ; skos:prefLabel "topic"@en ; skos:broader :C1 .
"""
    )
    assert {each.name: each.parents for each in taxonomy.classes} == {
        "risk": (),
        "topic": ("risk",),
    }
    assert taxonomy.entity_class("위험") is taxonomy.entity_class("risk")


def test_names_that_are_taken_in_what_is_extended_are_changed() -> None:
    base = whole(shipped.text(), name="baseline")
    request = ImportRequest(name="zoo", extends="baseline", base=base)
    _, zoo = brought_in(HEAD + ":hasVersion a owl:DatatypeProperty .", request)
    own = zoo.relation("has_version_value")
    assert own is not None
    assert own.datatype is Datatype.TEXT
    assert zoo.entity_class("person") is not None


def test_files_without_a_vocabulary_are_refused() -> None:
    with pytest.raises(BadInput, match="no class"):
        brought_in("<http://x/a> <http://x/p> 'b' .")


_NODES = st.sampled_from([*(f"http://x/N{n}" for n in range(5)), "http://x/0_1", rdf.NIL])
_TERMS = st.one_of(
    _NODES.map(lambda one: Term(value=one)),
    st.sampled_from(["b1", "b2"]).map(lambda one: Term(value=one, kind=TermKind.BLANK)),
    st.text(max_size=30).map(lambda one: Term(value=one, kind=TermKind.LITERAL)),
    st.sampled_from(
        [*rdf.CLASSES, rdf.CONCEPT, *rdf.OBJECT_PROPERTIES, rdf.DATATYPE_PROPERTY, rdf.FUNCTIONAL]
    ).map(lambda one: Term(value=one)),
)
_PREDICATES = st.sampled_from(
    [
        rdf.TYPE,
        rdf.FIRST,
        rdf.REST,
        rdf.SUBCLASS,
        rdf.BROADER,
        rdf.EQUIVALENT,
        rdf.INVERSE,
        rdf.SUBPROPERTY,
        rdf.UNION,
        rdf.ON_PROPERTY,
        *rdf.FILLERS,
        *rdf.DOMAINS,
        *rdf.RANGES,
        *rdf.LABELS,
        *rdf.DEFINITIONS,
        rdf.DEPRECATED,
        rdf.IMPORTS,
    ]
)
_SUBJECTS = st.one_of(
    _NODES.map(lambda one: Term(value=one)),
    st.sampled_from(["b1", "b2"]).map(lambda one: Term(value=one, kind=TermKind.BLANK)),
)


@given(
    st.lists(
        st.builds(RdfStatement, subject=_SUBJECTS, predicate=_PREDICATES, object=_TERMS),
        max_size=25,
    )
)
def test_whatever_statements_say_the_result_can_be_read(statements: list[RdfStatement]) -> None:
    try:
        made = imported(statements, ImportRequest(name="any"))
    except BadInput:
        return
    ontology = parse(made.text, name="any")
    assert len(ontology.classes) == made.classes
    assert len(ontology.relations) == made.properties + made.relations


@pytest.mark.parametrize("extends", ["", "baseline"])
def test_vocabularies_in_files_are_brought_in(extends: str) -> None:
    """Each alone and both at once, where one speaks of a class of the other."""
    base = whole(shipped.text(), name="baseline") if extends else None
    files = sorted(VOCABULARIES.iterdir())
    assert [path.name for path in files] == ["cargo.rdf", "harbour.ttl"]
    found = []
    for batch in ([files[0]], [files[1]], files):
        statements = [
            each
            for path in batch
            for each in OxigraphFiles().statements(path.read_bytes(), path.name)
        ]
        made = imported(statements, ImportRequest(name="port", extends=extends, base=base))
        ontology = parse(made.text, name="port")
        assert len(ontology.relations) >= made.properties + made.relations
        found.append((made.classes, made.relations, made.properties))
    assert found == [(4, 1, 0), (3, 2, 2), (6, 3, 2)]
