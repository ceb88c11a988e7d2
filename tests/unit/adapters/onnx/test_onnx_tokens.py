"""Tokens: places in the original text, long texts in windows, the model's own truncation."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from tokenizers import Tokenizer

from weft.adapters.onnx.tokens import _LONGEST, MAX_TOKENS, Wordpieces
from weft.adapters.onnx.weights import ModelWeights, find
from weft.domain.errors import WeightsMissing

ODD = (
    "한국어 ﬁ é\u0301 👩‍👩‍👧 "
    "\x00\u200b\u00a0 ǅ İ ß\t\r\n中文テスト \ufffd [CLS] [SEP] a\u0301\u0323"
)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("", []),
        ("two words.", [3, 9, 10]),
        ("한 국", [1, 1, 1, 3, 3, 3]),
        ("e\u0301cole x", [6, 8]),
        ("x 😀 y", [1, 3, 5]),
        ("a\ud800 b", [1, 2, 4]),
        (" \n\t", []),
    ],
)
def test_ends_are_offsets_in_the_text(wordpieces: Wordpieces, text: str, ends: list[int]) -> None:
    assert wordpieces.ends(text) == ends


def test_the_file_s_own_limits_are_off(wordpieces: Wordpieces) -> None:
    assert len(wordpieces.ends("word " * 1000)) == 1000
    assert len(wordpieces.encode("word").ids) == 3


@given(text=st.text(st.characters(codec="utf-8")) | st.text(alphabet=ODD), size=st.integers(1, 40))
@settings(max_examples=60)
def test_ends_never_fall_and_stay_in_the_text(text: str, size: int) -> None:
    ends = _small(size).ends(text)
    assert ends == sorted(ends)
    assert all(0 < end <= len(text) for end in ends)


@given(
    words=st.lists(st.text(alphabet=ODD.replace(" ", "") + "abc", max_size=8), max_size=30),
    size=st.integers(20, 60),
)
@settings(max_examples=60)
def test_windows_change_nothing(words: list[str], size: int) -> None:
    text = " ".join(words)
    longest = max(map(len, text.split(" ")))
    small, whole = _small(size + longest), _small(10_000)
    assert small.ends(text) == whole.ends(text)
    assert np.array_equal(small.encode(text).ids, whole.encode(text).ids)
    assert np.array_equal(small.encode(text).starts, whole.encode(text).starts)


def test_truncation_is_the_tokenizer_s_own(weights: ModelWeights, wordpieces: Wordpieces) -> None:
    text = "Measured temperatures, in 한국 and elsewhere. " * 60
    reference = Tokenizer.from_file(str(weights.tokenizer))
    reference.no_padding()
    reference.enable_truncation(MAX_TOKENS)
    tokens = wordpieces.encode(text)
    assert tokens.ids.tolist() == reference.encode(text).ids
    assert len(tokens.ids) == len(tokens.starts) + 2 == MAX_TOKENS


TEXTS = (
    st.text(st.characters(codec="utf-8"))
    | st.text(alphabet=ODD + "abcdefg [UNK]")
    | st.lists(
        st.sampled_from(["Unaffordable", "re-use", "naïve", "한국어", "[SEP]", "x" * 101, "3.14"])
        | st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=24)
    ).map(" ".join)
)


@given(text=TEXTS)
@settings(max_examples=60)
def test_the_list_of_tokens_stands_for_the_file(text: str) -> None:
    listed, read = _with_weights(_list()), _small(10_000)
    for _ in range(2):  # by the tokens that the text may have, then by all
        assert listed.ends(text) == read.ends(text)
        assert np.array_equal(listed.encode(text).ids, read.encode(text).ids)
        listed.encode("and so on " * 500)


def test_no_token_is_longer_than_what_is_looked_for() -> None:
    tokens = _list().read_text("utf-8").splitlines()
    assert max(len(one.removeprefix("##")) for one in tokens) == _LONGEST


@pytest.mark.parametrize("damage", [b"", b"[PAD]\nthe\n", None])
def test_a_list_that_is_not_sound_is_written_anew(
    weights: ModelWeights, tmp_path: Path, damage: bytes | None
) -> None:
    kept = tmp_path / "vocabulary.txt"
    assert Wordpieces(weights.tokenizer, vocabulary=kept).ends("two words.") == [3, 9, 10]
    sound = kept.read_bytes()
    kept.write_bytes(sound.replace(b"words\n", b"sword\n") if damage is None else damage)
    assert Wordpieces(weights.tokenizer, vocabulary=kept).ends("two words.") == [3, 9, 10]
    assert kept.read_bytes() == sound
    assert list(tmp_path.iterdir()) == [kept]


def test_a_list_that_cannot_be_written_is_done_without(
    weights: ModelWeights, tmp_path: Path
) -> None:
    nowhere = tmp_path / "missing" / "vocabulary.txt"
    assert Wordpieces(weights.tokenizer, vocabulary=nowhere).ends("two words.") == [3, 9, 10]


def test_an_endless_word_costs_little(wordpieces: Wordpieces) -> None:
    ends = wordpieces.ends("x" * 200_000)
    assert ends[-1] == 200_000
    assert len(wordpieces.encode("x" * 200_000).ids) <= MAX_TOKENS


@cache
def _list() -> Path:
    kept = Path(mkdtemp()) / "vocabulary.txt"
    assert _with_weights(kept).ends("a") == [1]
    return kept


def _with_weights(vocabulary: Path) -> Wordpieces:
    try:
        return Wordpieces(find(Path("nowhere")).tokenizer, vocabulary=vocabulary)
    except WeightsMissing:
        pytest.skip("the weights of the local embedding model are not installed")


@cache
def _small(window: int) -> Wordpieces:
    try:
        return Wordpieces(find(Path("nowhere")).tokenizer, window=window)
    except WeightsMissing:
        pytest.skip("the weights of the local embedding model are not installed")
