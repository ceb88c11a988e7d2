from __future__ import annotations

import pytest

from weft.domain.answer import Tier
from weft.language.sentences import sentences
from weft.verification.quotation import find_quotation, is_fair
from weft.verification.support import assess


@pytest.mark.parametrize(
    ("quoted", "text"),
    [
        ("the bridge is safe", "It is false that the bridge is safe."),
        ("the bridge is safe", "Ann Berg denied that the bridge is safe."),
        ("The bridge is safe", "The bridge is safe if it is closed in winter."),
        ("The bridge is safe", "The bridge is safe only in winter."),
        ("the bridge is safe", "According to Ann Berg, the bridge is safe."),
        ("The bridge is safe", "The bridge is safe, according to Ann Berg."),
        ("The bridge is safe", "The bridge is safe or it is closed."),
        ("The bridge is", "The bridge is not safe."),
        ("Smith won the cup.", "The wife of Smith won the cup."),
        ("The alpha release is the best", "The alpha release is the best known failure."),
        ("Juliet is a play.", "Romeo and Juliet is a play."),
        ("is the Red Raider.", "Its mascot is the Red Raider."),
        ("The town has 5", "The town has 5 thousand people."),
        ("다리는 안전하다", "다리는 안전하다고 주장했다."),
        ("열렸다", "다리가 안 열렸다."),
    ],
)
def test_a_text_cut_from_what_limits_it_is_no_quotation(quoted: str, text: str) -> None:
    assert not assess(quoted, text).holds


@pytest.mark.parametrize(
    ("quoted", "text"),
    [
        ("The bridge was opened in 1932", "The bridge was opened in 1932 by Ann Berg."),
        ("The bridge was opened", "The bridge was opened, and Ann Berg may have spoken."),
        ("it was closed in 1940", "The bridge was old, and it was closed in 1940."),
        ("MIT", "License: MIT"),
        ("14 March 1932", "The bridge was opened on 14 March 1932 by Ann Berg."),
        ("Ann Berg", "The bridge was opened by Ann Berg."),
        ("다리는 1932년에 열렸다.", "오슬로는 크다. 다리는 1932년에 열렸다."),
    ],
)
def test_a_clause_or_a_name_may_be_quoted_alone(quoted: str, text: str) -> None:
    assert assess(quoted, text).tier is Tier.QUOTE


def test_the_fair_place_is_found_first() -> None:
    text = "It is false that the lock holds. The lock was tested: the lock holds."
    span = find_quotation("the lock holds", text)
    assert span is not None
    assert is_fair(text, span)
    assert span.start > text.index(":")


def test_abbreviations_and_initials_end_no_sentence() -> None:
    text = "J. K. Berg met Dr. Lund in St. Olav (c. 1280). He left."
    assert [text[s.start : s.end] for s in sentences(text)] == [text[:-9], "He left."]
