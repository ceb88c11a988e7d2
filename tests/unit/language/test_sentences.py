"""Sentences: what ends one, what does not, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.language.sentences import LONGEST, ends_with_stop, sentences, whole_sentences


def said(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Kim met Mr. Lee Jr. of Acme Inc. today. They left.", 2),
        ("He lives in the U.S. and works. She does not.", 2),
        ("Use it, e.g. Here, i.e. There. Done.", ["Use it, e.g. Here, i.e. There.", "Done."]),
        ("See No. 5 and vol. 3 vs. Others. I said no. Then left.", 3),
        ("Version v1.2 is at https://a.b/c.d?x=1.5 now. Next.", 2),
        ("J. R. R. Tolkien wrote it. We read it.", 2),
        ('"Go!" He went. (Really.) Yes.', ['"Go!"', "He went.", "(Really.)", "Yes."]),
        ("삼성전자는 서울에 있다. 그 회사는 크다! 정말?", 3),
        ("これは文です。次の文！最後", ["これは文です。", "次の文！", "最後"]),
        ("It waits... and goes on. Then… It ends.", 3),
        ("A soft\nwrapped line. Another\none here", ["A soft\nwrapped line.", "Another\none here"]),
        ("Written by J.\nSmith in May", ["Written by J.\nSmith in May"]),
        ("First\n\nSecond", ["First", "Second"]),
        ("Intro:\n- one\n- two\n  goes on", ["Intro:", "- one", "- two\n  goes on"]),
        ("1. First thing\n2. Second thing", ["1. First thing", "2. Second thing"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "|---|---|", "| 1 | 2 |"]),
        ("# Title\nText", ["# Title", "Text"]),
        ("Title\n=====\nText", ["Title\n=====", "Text"]),
        ("Name: x\nVersion: 1.2\n  goes on\nLicense: MIT", 3),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_what_ends_a_sentence(text: str, wanted: list[str] | int) -> None:
    found = said(text)
    assert (found if isinstance(wanted, list) else len(found)) == wanted


def test_a_long_sentence_is_cut_at_a_clause_then_at_a_word_then_anywhere() -> None:
    clauses = "word " * 80 + "end, " + "word " * 80
    assert said(clauses)[0].endswith("end,")
    words = said("word " * 300)
    assert all(part.endswith("word") and len(part) <= LONGEST for part in words)
    assert [len(part) for part in said("x" * 1500)] == [600, 600, 300]


pieces = st.sampled_from(
    [
        *("Dr. ", "end. ", "A", "b", " ", "\n", "\n\n", "- ", "| ", "#", "다. ", "。", "…", "'"),
        *(")", '"', "1. ", "x" * 250, "Key: ", "```", "\u00a0", "\x1d", "e.g. ", "==="),
    ]
)


@given(st.one_of(st.text(max_size=400), st.lists(pieces, max_size=60).map("".join)))
def test_sentences_hold_all_the_text_in_order(text: str) -> None:
    at = 0
    for span in sentences(text):
        assert at <= span.start < span.end <= len(text)
        assert not text[at : span.start].strip()
        inside = text[span.start : span.end]
        assert inside == inside.strip()
        assert len(inside) <= LONGEST
        at = span.end
    assert not text[at:].strip()


def test_a_sentence_that_is_cut_for_its_length_is_also_given_whole() -> None:
    text = "It goes on, " * 100 + "and ends. Then comes another."
    [first, last] = whole_sentences(text)
    assert first.end - first.start > LONGEST
    assert sentences(text)[-1] == last
    assert len(sentences(text)) > 2


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("The keeper is Berta Lind.", True),
        ("Smith and Sons Ltd.", False),
        ("J. R. R.", False),
        ("Where is it?", False),
        ("and so on...", False),
        ("a title", False),
        (".", True),
        ("", False),
    ],
)
def test_a_stop_ends_a_text(text: str, ends: bool) -> None:
    assert ends_with_stop(text) is ends


def test_rows_without_bars_around_them_are_apart() -> None:
    text = "Team | Budget | Spent\n--- | --- | ---\nOps | 12 k. All | 80%\nLab | 30 k | 101%"
    assert [text[one.start : one.end] for one in sentences(text)] == text.split("\n")
