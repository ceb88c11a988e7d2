"""Planted errors change one thing, say something else, and depend on the seed alone."""

from __future__ import annotations

import ast
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

import corruptions
import pytest
from corruption_words import ANTONYMS, VERBS
from corruptions import KINDS, Passage, corrupted
from paraphrases import originals, sentences_of

TEXT = (
    "The Quiet Lanterns is a 1962 Swedish drama film directed by Marta Ekholm. "
    "It was released on 14 March 1962 and ran for 124 minutes in Norway. "
    "Marta Ekholm is the oldest daughter of Olga Berg. "
    "The film was probably shot in three weeks before the war, and most of the sets were lost. "
    "Some of the actors claimed that the director had never seen the harbour."
)
PASSAGE = Passage(
    title="The Quiet Lanterns", text=TEXT, names=["Ada Lindqvist", "Tomas Brandel", "Nine Rivers"]
)
SENTENCES = sentences_of(TEXT)


def planted(kind: str, seed: int = 1) -> list[tuple[str, str]]:
    """Return (true, false) for each sentence that a kind of error can be planted in."""
    rng = Random(seed)
    found = [(true, corrupted(kind, true, passage=PASSAGE, rng=rng)) for true in SENTENCES]
    return [(true, false) for true, false in found if false is not None]


def edits(true: str, false: str) -> int:
    """Return how many stretches of words differ."""
    matcher = SequenceMatcher(None, true.split(), false.split(), autojunk=False)
    return sum(tag != "equal" for tag, *_ in matcher.get_opcodes())


def test_a_passage_is_read_as_its_sentences() -> None:
    assert len(SENTENCES) == 5
    assert " ".join(SENTENCES) == TEXT
    assert sentences_of("He met Dr. Noel M. Smith of the U.S. Army in Lund on a Sunday.") == [
        "He met Dr. Noel M. Smith of the U.S. Army in Lund on a Sunday."
    ]


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"swapped roles", "voice", "attribution"}))
@pytest.mark.parametrize("seed", range(5))
def test_an_error_changes_one_thing(kind: str, seed: int) -> None:
    pairs = planted(kind, seed)
    assert pairs
    for true, false in pairs:
        assert edits(true, false) == 1, (true, false)
        assert false not in TEXT


def test_the_same_seed_plants_the_same_errors() -> None:
    for kind in KINDS:
        assert planted(kind) == planted(kind)


def test_what_is_put_in_does_not_stand_in_the_passage() -> None:
    for kind in ("name", "place", "number", "date", "antonym", "category"):
        for true, false in planted(kind):
            new = set(false.split()) - set(true.split())
            assert new
            assert not new & set(TEXT.split()), (true, false)


def test_roles_are_swapped_only_where_they_differ() -> None:
    swapped = dict(planted("swapped roles"))
    assert swapped[SENTENCES[2]] == "Olga Berg is the oldest daughter of Marta Ekholm."
    married = "Marta Ekholm married Tomas Brandel in the spring of that same year."
    assert corrupted("swapped roles", married, passage=PASSAGE, rng=Random(1)) is None


def test_a_claim_of_somebody_becomes_a_fact() -> None:
    assert dict(planted("attribution")) == {
        SENTENCES[4]: "The director had never seen the harbour."
    }


def test_a_negation_is_put_in_or_taken_out() -> None:
    true = "The bridge was not opened by the king who had paid for it."
    false = corrupted("negation", true, passage=PASSAGE, rng=Random(1))
    assert false == "The bridge was opened by the king who had paid for it."
    for true, false in planted("negation"):
        words = set(false.split()) ^ set(true.split())
        assert any(word in {"not", "never"} or word.endswith("n't") for word in words)


def test_an_error_that_another_sentence_states_is_not_planted() -> None:
    text = "The old bridge was opened in the north. The old bridge was opened in the south."
    passage = Passage(title="", text=text, names=[])
    sentence = "The old bridge was opened in the north."
    for seed in range(20):
        false = corrupted("antonym", sentence, passage=passage, rng=Random(seed))
        assert false is None or false not in text


def test_paraphrases_keep_names_and_figures() -> None:
    ways = {
        original.way: original.text for sentence in SENTENCES for original in originals(sentence)
    }
    assert ways["date restyled"] == (
        "It was released on March 14, 1962 and ran for 124 minutes in Norway."
    )
    assert "in 3 weeks" in ways["number restyled"]
    active = "The Harbour Bridge was designed by Olga Berg in 1931."
    assert [o.text for o in originals(active) if o.way == "made active"] == [
        "Olga Berg designed The Harbour Bridge in 1931."
    ]
    moved = "In 1964, she returned to the theatre."
    assert [o.text for o in originals(moved) if o.way == "time moved"] == [
        "She returned to the theatre in 1964."
    ]


def test_the_words_are_the_bench_s_own() -> None:
    pairs = {frozenset({word, other}) for word, others in ANTONYMS.items() for other in others}
    assert len(pairs) >= 120
    assert all(len(forms) == 2 for forms in VERBS.values())
    for name in ("corruptions.py", "corruption_words.py", "paraphrases.py"):
        tree = ast.parse((Path(corruptions.__file__).parent / name).read_text(encoding="utf-8"))
        imported = {
            node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
        } | {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        assert not [module for module in imported if module.startswith("weft")]
