"""What a question says of where it asks is no condition of it."""

from __future__ import annotations

import pytest

from weft.offline.plans.words import source_spans


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "What is the median weight in the rat foster mother study?",
            "in the rat foster mother study",
        ),
        ("How many women in total were in the eye test data?", "in the eye test data"),
        ("arthritis trial, how many patients are in their thirties", "arthritis trial,"),
        ("The town survey: who is the oldest?", "The town survey:"),
        ("How many orders are on the list?", "on the list"),
    ],
)
def test_what_is_asked_of_is_found(text: str, told: str) -> None:
    [(start, end)] = source_spans(text)
    assert text[start:end] == told


@pytest.mark.parametrize(
    "text",
    [
        "How many patients smoke?",
        "Which records were sold in 1970?",
        "How long did the trial of the captain last?",
        "What is the largest sample?",
    ],
)
def test_nothing_else_is_taken_for_it(text: str) -> None:
    assert source_spans(text) == []
