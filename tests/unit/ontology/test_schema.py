"""An ontology is found by any of its names, and says what it is in words."""

from weft.ontology.catalog import load_baseline
from weft.ontology.schema import Certainty


def test_a_class_and_a_relation_are_found_by_alias_and_spelling() -> None:
    baseline = load_baseline()
    organization = baseline.entity_class("Organisation")
    assert organization is not None
    assert organization.name == "organization"
    for spelling in ("founded_by", "Founded By", "founder", "설립자"):
        relation = baseline.relation(spelling)
        assert relation is not None
        assert relation.name == "founded_by"
    assert baseline.relation("no such thing") is None


def test_domain_and_range_decide_what_a_relation_joins() -> None:
    born_in = load_baseline().relation("born_in")
    assert born_in is not None
    assert born_in.joins("person", "place")
    assert not born_in.joins("place", "person")
    replaced_by = load_baseline().relation("replaced_by")
    assert replaced_by is not None
    assert replaced_by.joins("software", "person")


def test_the_context_of_extraction_names_every_class_and_relation() -> None:
    baseline = load_baseline()
    context = baseline.extraction_context()
    assert context.ontology_name == "baseline"
    assert all(f"- {each.name}:" in context.entity_types for each in baseline.classes)
    assert all(f" {each.name} " in context.relationship_types for each in baseline.relations)
    assert context.text.startswith("baseline\n")


def test_certainty_is_a_number_that_falls() -> None:
    numbers = [each.confidence for each in (Certainty.HIGH, Certainty.MEDIUM, Certainty.LOW)]
    assert numbers == sorted(numbers, reverse=True)
    assert all(0 < each < 1 for each in numbers)
