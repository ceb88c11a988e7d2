"""Which questions may ask of rows, and which passages stand among some."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hopping_world import hit
from weft.domain.ids import DocumentId
from weft.offline.rows import (
    goes_over_rows,
    is_among_rows,
    is_worked_out_of_rows,
    naming_stems,
)


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


@pytest.mark.parametrize(
    ("question", "row", "is_of_all"),
    [
        ("What is the total salary?", "name: Bob\nsalary: 900", True),
        ("급여 합계는 얼마인가요?", "이름: 서민아\n급여: 900", True),
        ("What is the total weight of Petrel?", "boat: Petrel\ntotal weight: 12 t", False),
        ("What is the salary of Bob?", "name: Bob\nsalary: 900", False),
    ],
)
def test_one_row_gives_no_total_but_by_that_name(
    question: str, row: str, *, is_of_all: bool
) -> None:
    assert is_worked_out_of_rows(question, row) is is_of_all


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
