"""Hints say which classes the words of a question speak for."""

from weft.ontology.collection import Ontologies
from weft.ontology.hints import hints_of


def test_hints_lead_from_aliases_and_words_to_classes() -> None:
    hints = hints_of(Ontologies().named("finance"))
    kept = hints.as_json()
    assert kept["ontology"] == "finance"
    assert hints.aliases["mutual fund"] == "fund"
    assert hints.aliases["issuer"] == "issued_by"
    assert "insurer" in hints.label_keywords["financial_institution"]


def test_a_candidate_gains_by_the_words_of_a_question() -> None:
    hints = hints_of(Ontologies().named("finance"))
    named = hints.boost("Which mutual funds hold it?", {"fund"})
    spoken = hints.boost("Which insurer pays?", {"financial_institution"})
    assert named > spoken > 0.0
    assert hints.boost("Which mutual funds hold it?", {"person"}) == 0.0
    assert hints.boost("Which organisation pays?", {"corporation"}) == named
    assert hints.boost("", {"corporation"}) == 0.0
