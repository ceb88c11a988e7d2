from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.verification.likeness import FEATURES, SIGNS, shipped
from weft.verification.support import assess, likeness_features

CLAIM = "Anna Berg founded the Nordlys mill in Bergen in 1911 and sold it to Ole Dahl."
SENTENCES = [
    "Anna Berg founded the mill in Bergen.",
    "The owner called that place Nordlys.",
    "The mill was sold in 1911.",
    "The buyer was Ole Dahl.",
    "Rain fell on the harbour for a week.",
]


def of(claim: str, cited: str) -> dict[str, float]:
    return dict(zip(FEATURES, likeness_features(claim, cited), strict=True))


def test_what_is_found_speaks_for_a_claim_and_what_lacks_against_it() -> None:
    weights = shipped().weights
    assert tuple(int(math.copysign(1, weight)) for weight in weights) == SIGNS


def test_a_claim_that_stands_there_lacks_nothing() -> None:
    whole = of(CLAIM, f"Rain fell. {CLAIM}")
    assert whole["best three"] == pytest.approx(1.0)
    assert whole["names lacking"] == whole["figures lacking"] == 0.0


@given(chosen=st.sets(st.sampled_from(range(len(SENTENCES)))))
def test_names_and_figures_once_found_are_never_lacking_again(chosen: set[int]) -> None:
    some = of(CLAIM, " ".join(SENTENCES[at] for at in sorted(chosen)))
    every = of(CLAIM, " ".join(SENTENCES))
    assert every["names lacking"] <= some["names lacking"]
    assert every["figures lacking"] <= some["figures lacking"]
    assert every["best three"] >= some["best three"]


@given(st.permutations(SENTENCES))
def test_the_order_of_sentences_does_not_matter(shuffled: list[str]) -> None:
    ways = [likeness_features(CLAIM, "\n\n".join(way)) for way in (SENTENCES, shuffled)]
    assert ways[0] == pytest.approx(ways[1])


def test_the_likelier_text_scores_higher() -> None:
    texts = [" ".join(SENTENCES[:4]), SENTENCES[0], SENTENCES[4]]
    scores = [assess(CLAIM, text).score for text in texts]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


def test_no_more_than_three_sentences_are_put_together() -> None:
    claim = "The mill has a wheel, a sluice, a granary and a chimney."
    texts = ["A wheel turns.", "A sluice leaks.", "A granary burnt.", "A chimney fell.", "A mill."]
    assert 0.5 < of(claim, " ".join(texts))["best three"] < 0.8


@pytest.mark.parametrize(
    ("claim", "cited"),
    [
        ("Williams took a 10–7 lead.", "He cleared for a 10-7 lead."),
        ("They won 5-4.", "A famous 5–4 victory."),
        ("It ran from 1874 to 1880.", "Opening years: 1874-1880."),
    ],
)
def test_the_figures_of_a_range_are_found_whatever_the_dash(claim: str, cited: str) -> None:
    assert of(claim, cited)["figures lacking"] == 0.0


def test_a_date_is_not_taken_apart() -> None:
    assert of("It opened on 4 March.", "It opened on 3 April, 4 times.")["figures lacking"] > 1.0


def test_a_capital_at_the_beginning_is_no_name() -> None:
    assert of("Staring at it, they agreed.", "They agreed.")["names lacking"] == 0.0
    assert of("Marta Quill agreed.", "They agreed.")["names lacking"] == pytest.approx(math.sqrt(2))


def test_a_long_word_weighs_more_than_a_short_one() -> None:
    claim = "The big refrigeration."
    assert of(claim, "Refrigeration.")["best three"] > of(claim, "Big.")["best three"]


def test_a_korean_word_weighs_by_its_syllables() -> None:
    claim = "회사는 oil 공장을 세웠다."
    assert of(claim, "공장을 세웠다.")["best three"] > of(claim, "oil")["best three"]
