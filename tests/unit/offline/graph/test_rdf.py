"""Typed questions to RDF, read from a question's words."""

from __future__ import annotations

import re

import pytest

from weft.offline.graph.rdf import cues, named_terms, read_rdf
from weft.retrieval.rdf.templates import RdfQuestion, Template

KNOWN = {
    "classes": {"person": ["employee"], "organization": [], "ControlledSubstance": ["통제 물질"]},
    "relations": {"reports_to": ["reportsTo"], "member_of": []},
}
NODES = ({"node_id": "a.md#person:ann", "display_name": "Ann", "database": "b"},)


@pytest.mark.parametrize("template", cues())
def test_a_cue_has_questions_that_have_it_and_that_do_not(template: Template) -> None:
    cue = cues()[template]
    found = re.compile(cue.pattern, re.IGNORECASE)
    assert cue.has
    assert [one for one in cue.has if not found.search(one)] == []
    assert [one for one in cue.lacks if found.search(one)] == []


def test_every_template_has_a_cue() -> None:
    assert set(cues()) == set(Template)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which classes have a subclass?", [(Template.CLASSES_WITH_SUBCLASSES, "")]),
        ("subclasses of Organization", [(Template.SUBCLASSES, "organization")]),
        (
            "What are the domain and range of reportsTo?",
            [(Template.DOMAIN, "reports_to"), (Template.RANGE, "reports_to")],
        ),
        (
            "instances of the class ControlledSubstance",
            [(Template.INSTANCES, "ControlledSubstance")],
        ),
        ("통제 물질의 인스턴스", [(Template.INSTANCES, "ControlledSubstance")]),
        ("What properties does an employee have?", [(Template.PROPERTIES_OF, "person")]),
        ("What classes are in the ontology?", [(Template.CLASSES, "")]),
        ("all triples about Ann", [(Template.FACTS_OF, "a.md#person:ann")]),
        ("instances of the class Wormhole", []),
    ],
)
def test_words_mean_templates(question: str, wanted: list[tuple[Template, str]]) -> None:
    found = read_rdf(question, KNOWN, nodes=NODES if "Ann" in question else ())
    assert found == tuple(RdfQuestion(template=template, of=of) for template, of in wanted)


def test_terms_are_named_by_whole_words() -> None:
    assert named_terms("perso of organ", KNOWN["classes"]) == ()
    assert named_terms("controlled substances of a person", KNOWN["classes"]) == (
        "ControlledSubstance",
        "person",
    )
