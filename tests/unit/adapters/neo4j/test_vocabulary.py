"""Labels and relationship types: by exact match, and never the store's own."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from weft.adapters.neo4j.query_plans import QUERIES, parameters
from weft.adapters.neo4j.statements import schema, statement, statements
from weft.adapters.neo4j.vocabulary import ANY_LABEL, ANY_TYPE, vocabulary
from weft.ontology.catalog import load_baseline, parse

OWN = """
name: own
classes: {document: {}, famous_person: {}}
relations: {mentions: {domain: [document], range: [famous_person]}}
"""


def test_names_become_labels_and_types() -> None:
    words = vocabulary(load_baseline())
    assert words.label("person") == "Person"
    assert words.type("works_for") == "WORKS_FOR"
    assert set(words.all_types()) >= {"WORKS_FOR", ANY_TYPE}


@pytest.mark.parametrize("name", ["Person", "no_such", "person`) DETACH DELETE (n", ""])
def test_what_the_ontology_does_not_know_gets_no_name_of_its_own(name: str) -> None:
    words = vocabulary(load_baseline())
    assert (words.label(name), words.type(name)) == (ANY_LABEL, ANY_TYPE)


def test_no_name_is_one_of_the_stores_own() -> None:
    words = vocabulary(parse(OWN, name="own.yaml"))
    assert words.label("document") == "DocumentEntity"
    assert words.label("famous_person") == "FamousPerson"
    assert words.type("mentions") == "MENTIONS_CLAIM"


def test_identifiers_are_quoted_and_nothing_else_gets_in() -> None:
    assert "`WORKS_FOR`" in statement("drop_claims", "WORKS_FOR")
    with pytest.raises(ValueError, match="identifier"):
        statement("drop_claims", "A`]->() DETACH DELETE (n) //")


def test_every_query_for_readers_filters_by_their_classes() -> None:
    folder = resources.files("weft.adapters.neo4j")
    text = folder.joinpath("reading.cypher").read_text(encoding="utf-8")
    names = set(re.findall(r"^// name: (\w+)$", text, re.MULTILINE)) - {"state"}
    assert len(names) > 5
    for name in names:
        assert "acl_class IN $classes" in statements()[name], name


def test_the_schema_can_be_made_twice() -> None:
    assert all(" IF NOT EXISTS " in text for text in schema().values())
    assert {"document_id", "entity_key", "chunk_doc", "deleted_v"} <= set(schema())


def test_every_query_for_readers_is_planned_before_anyone_waits() -> None:
    folder = resources.files("weft.adapters.neo4j")
    text = folder.joinpath("reading.cypher").read_text(encoding="utf-8")
    assert set(re.findall(r"^// name: (\w+)$", text, re.MULTILINE)) <= set(QUERIES)
    assert {"links", "seen_ends", "changed", "changed_chunks"} <= set(QUERIES)
    for name in QUERIES:
        assert set(parameters(name)) == set(re.findall(r"\$(\w+)", statements()[name]))
