"""An answer is compared as SQuAD does; a yes or no is never found inside a sentence by chance."""

from __future__ import annotations

import pytest
from answers_scoring import contains, is_verdict, normalised, overlap


def test_case_articles_and_punctuation_do_not_count() -> None:
    assert normalised("The  Quiet Lanterns, (film).") == "quiet lanterns film"


@pytest.mark.parametrize(
    ("text", "answer", "held"),
    [
        ("It was opened on 14 March 1932.", "14 march 1932", True),
        ("It was opened in Northampton.", "North", False),
        ("Nothing is said.", "", False),
        ("He was an American.", "the American", True),
    ],
)
def test_an_answer_stands_in_a_text_in_whole_words(text: str, answer: str, held: bool) -> None:
    assert contains(text, answer) is held


def test_overlap_is_the_f1_of_words() -> None:
    assert overlap("14 March 1932", "March 1932") == pytest.approx(0.8)
    assert overlap("", "March 1932") == 0.0
    assert overlap("The Quiet Lanterns", "Quiet Lanterns") == 1.0


def test_a_verdict_is_right_or_wrong() -> None:
    assert is_verdict("Yes")
    assert overlap("yes it is", "yes") == 0.0
    assert overlap("Yes.", "yes") == 1.0
