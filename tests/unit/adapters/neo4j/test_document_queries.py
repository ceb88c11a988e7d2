"""The queries of single documents: every one filtered, and planned before anyone waits."""

from __future__ import annotations

import re
from importlib import resources

from weft.adapters.neo4j.query_plans import QUERIES
from weft.adapters.neo4j.statements import statements


def names() -> set[str]:
    """Return the names of the queries that only single documents have."""
    folder = resources.files("weft.adapters.neo4j")
    text = folder.joinpath("documents.cypher").read_text(encoding="utf-8")
    return set(re.findall(r"^// name: (\w+)$", text, re.MULTILINE))


def test_every_query_filters_by_the_classes_of_the_reader() -> None:
    assert names() == {
        "page",
        "chunk_counts_of",
        "one_document",
        "opened_document",
        "document_chunks",
    }
    for name in names():
        assert "acl_class IN $classes" in statements()[name], name


def test_every_query_is_planned_before_anyone_waits() -> None:
    assert names() <= set(QUERIES)
