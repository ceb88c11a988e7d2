"""Which questions may ask of rows, and which passages stand among some."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hopping_world import hit
from weft.domain.ids import DocumentId
from weft.offline.rows import goes_over_rows, is_among_rows, naming_stems


@pytest.mark.parametrize(
    ("question", "over_rows"),
    [
        ("How many boats are white?", True),
        ("Who keeps the boats?", True),
        ("Is the ferry longer than the tug?", True),
        ("가장 큰 배는?", True),
        ("When does the ferry leave?", False),
        ("Why is the ferry late?", False),
    ],
)
def test_what_counts_lists_or_compares_goes_over_rows(question: str, over_rows: bool) -> None:
    assert goes_over_rows(question) is over_rows


def test_a_question_names_a_file_by_its_stems() -> None:
    assert {"boat", "owner"} <= naming_stems("Who are the owners of the boats?")


@pytest.mark.parametrize(
    ("document", "text", "among"),
    [
        ("record:fleet.csv#1", "name: Tern", True),
        ("file:fleet.md", "| name | length |", True),
        ("file:boats/tern.md", "# Tern\n\n**Owner:** Ann · **Length:** 9 m\n\nShe leaks.", True),
        ("file:boats/tern.md", "# Tern\n\nShe leaks, and nobody knows where.", False),
    ],
)
def test_rows_and_labelled_lines_are_among_rows(document: str, text: str, among: bool) -> None:
    evidence = replace(hit("Tern", text).evidence, document_id=DocumentId(document))
    assert is_among_rows(evidence) is among
