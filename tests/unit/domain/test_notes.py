"""Notes: what is said by a code is known again by it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from weft.domain.notes import NOTES, REMARK, note, read_note

VALUES = {
    "base": st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,9}", fullmatch=True),
    "count": st.integers(min_value=0, max_value=999).map(str),
    "tool": st.sampled_from(["rag_search", "graph_query"]),
    "model": st.sampled_from(["gpt-5", "llama3:8b", "failed:x"]),
    "reason": st.text(max_size=40),
}


@given(data=st.data(), code=st.sampled_from(sorted(NOTES)))
def test_a_note_is_read_as_it_was_said(data: st.DataObject, code: str) -> None:
    values = {name: data.draw(VALUES[name]) for name in re.findall(r"\{(\w+)\}", NOTES[code])}
    found = read_note(note(code, **values))
    assert (found.code, found.values) == (code, values)
    assert found.text == note(code, **values)


def test_anything_else_is_a_remark() -> None:
    for text in ("", "Several things are called Apollo.", "문서마다 값이 다릅니다."):
        assert (read_note(text).code, read_note(text).text) == (REMARK, text)
