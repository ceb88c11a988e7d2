"""Notes: what is said by a code is known again by it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from weft.domain.notes import KOREAN, NOTES, REMARK, note, read_note

VALUES = {
    "base": st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,9}", fullmatch=True),
    "count": st.integers(min_value=0, max_value=999).map(str),
    "tool": st.sampled_from(["rag_search", "graph_query"]),
    "model": st.sampled_from(["gpt-5", "llama3:8b", "failed:x"]),
    "reason": st.text(max_size=40),
    "shown": st.just("12"),
    "name": st.sampled_from(["Ada Lindqvist", "김민준", "LED-14"]),
    "title": st.sampled_from(["offices.csv", "Travel rules 2025", "휴가 규정 (한국)"]),
    "titles": st.sampled_from(["A (2025) · B (2023)", "leave.md, policies/leave.md"]),
    "role": st.sampled_from(["director", "place of birth", "감독"]),
    "filler": st.sampled_from(["Ann Oak", "Red Tide 2", "김민준"]),
    "plan": st.sampled_from(["people.csv · team = Sales · avg(salary)", "배 · ↓ 무게"]),
    "words": st.sampled_from(["“mother”", "the team, that owns it"]),
}


@given(data=st.data(), code=st.sampled_from(sorted(NOTES)), language=st.sampled_from(["en", "ko"]))
def test_a_note_is_read_as_it_was_said(data: st.DataObject, code: str, language: str) -> None:
    values = {name: data.draw(VALUES[name]) for name in re.findall(r"\{(\w+)\}", NOTES[code])}
    said = note(code, language=language, **values)
    found = read_note(said)
    assert (found.code, found.values) == (code, values)
    assert found.text == said


def test_a_note_in_korean_has_the_values_of_the_english_one() -> None:
    for code, said in KOREAN.items():
        assert set(re.findall(r"\{\w+\}", said)) == set(re.findall(r"\{\w+\}", NOTES[code]))


def test_anything_else_is_a_remark() -> None:
    for text in ("", "Several things are called Apollo.", "문서마다 값이 다릅니다."):
        assert (read_note(text).code, read_note(text).text) == (REMARK, text)


def test_names_stand_on_one_line() -> None:
    said = note("disagree_undated", titles="new\nline.txt · old.txt")
    assert said == "The documents disagree: new line.txt · old.txt."
    assert note("left_out", base="a\r\nb", reason="one.\ntwo.") == "a b was left out: one.\ntwo."
