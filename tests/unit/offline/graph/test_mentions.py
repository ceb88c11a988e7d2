"""What may be a name in a question, in scripts with and without capitals."""

from __future__ import annotations

import pytest

from weft.offline.graph.mentions import mentions_in


@pytest.mark.parametrize(
    ("question", "names", "spelt"),
    [
        ("Which team is Kim Min-jun on?", {"Kim Min-jun", "Min-jun"}, {"Kim Min-jun"}),
        ("who owns the ledger service", {"ledger service"}, set()),
        ('What is "night mode" for?', {"night mode"}, {"night mode"}),
        ("김민준의 팀은 어디야?", {"김민준"}, set()),
    ],
)
def test_names_are_runs_of_words_and_what_is_written_as_one(
    question: str, names: set[str], spelt: set[str]
) -> None:
    found = mentions_in(question)
    assert names <= set(found.names)
    assert spelt <= set(found.spelt)


def test_a_word_in_small_letters_is_no_name() -> None:
    assert "team" not in mentions_in("which team is on call").names


def test_no_name_goes_over_a_comma() -> None:
    assert not any("," in one for one in mentions_in("Ann Lee, Bo Park and Cy Young").names)
