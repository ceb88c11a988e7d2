"""Strings read where they lie are those that were written, and each is found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from weft.index.strings.numbered import Numbered
from weft.index.strings.texts import FoundTexts, Texts, found_texts, joined_texts

LETTERS = st.characters(exclude_characters="\n") | st.sampled_from("ab\0\x7f가\ud800𐐷")
STRINGS = st.lists(st.text(LETTERS, min_size=1, max_size=12), unique=True, max_size=40)


def read(texts: list[str]) -> Texts:
    return Texts(joined_texts(texts))


@given(texts=STRINGS)
def test_strings_come_back(texts: list[str]) -> None:
    held = read(texts)
    assert len(held) == len(texts)
    assert list(held) == texts
    assert [held[at] for at in range(len(texts))] == texts
    assert held[1:3] == texts[1:3]


@given(texts=STRINGS, other=STRINGS)
def test_a_string_is_found_where_it_lies(texts: list[str], other: list[str]) -> None:
    ordered = read(sorted(texts))
    kept = found_texts(texts)
    found = FoundTexts(texts=read(texts), checksums=kept.checksums, places=kept.places)
    for text in {*texts, *other}:
        there = text in texts
        assert ordered.sorted_place(text) == (sorted(texts).index(text) if there else -1)
        assert found.find(text) == (texts.index(text) if there else -1)


@given(kept=STRINGS, first=STRINGS, second=STRINGS)
def test_numbers_go_on_from_those_kept(
    kept: list[str], first: list[str], second: list[str]
) -> None:
    whole, resumed = Numbered(), Numbered(found_texts(read(kept)))
    whole.take(kept)
    for texts in (first, second):
        assert [resumed.number(text) for text in texts] == [whole.number(text) for text in texts]
        assert resumed.take(texts) == whole.take(texts)
    assert list(resumed.all()) == list(whole.all())
    assert [resumed.text(at) for at in range(len(resumed))] == list(whole.all())
