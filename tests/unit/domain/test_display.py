"""Stored text as it is shown: without marks, its fields and cells apart."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.display import escaped, harmless, in_markdown, on_one_line, without_marks

# What turns the order of writing until it is ended.
OVERRIDES = frozenset({"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"})


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("It is **EUR 70** now, see [the rules](rules.md).", "It is EUR 70 now, see the rules."),
        ("the `MIT license <https://x.org/mit>`_.", "the MIT license."),
        ("``requests`` or `h2`, *not* both", "requests or h2, not both"),
        ("| Lead | Ann Oak | May 2014 |", "Lead · Ann Oak · May 2014"),
        ("2 * 3 * 4 and f(*args, **more)", "2 * 3 * 4 and f(*args, **more)"),
        ("steps[name](value) of __init__", "steps[name](value) of __init__"),
        ("|---|---|", "|---|---|"),
        ("담당은 **배수아**입니다.", "담당은 배수아입니다."),
    ],
)
def test_marks_are_left_out_and_code_is_not(stored: str, shown: str) -> None:
    assert without_marks(stored) == shown


def test_the_fields_of_a_row_stand_apart_on_one_line() -> None:
    assert (
        on_one_line("id: p1\noffice: Busan\n\ndesks:  84") == "id: p1 · office: Busan · desks: 84"
    )
    assert on_one_line("A sentence that\n goes on.") == "A sentence that goes on."


@given(st.text(max_size=60))
def test_nothing_that_is_shown_steers_a_terminal(text: str) -> None:
    for shown in (harmless(text), on_one_line(text), escaped(json.dumps(text, ensure_ascii=False))):
        left = [char for char in shown if unicodedata.category(char) == "Cc" and char not in "\t\n"]
        assert not [char for char in left if not "\x1c" <= char <= "\x1f"]  # separators
        assert not [char for char in shown if unicodedata.bidirectional(char) in OVERRIDES]
    assert json.loads(escaped(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("See ![x](https://x.org/a.png) and [the rules](rules.md).", "See x and the rules."),
        ("![a](j(1)) [b](j(2)) ![c][d]", r"![a]\(j(1)) [b]\(j(2)) ![c]\[d]"),
        ("[d]: https://x.org/a.png", r"[d]\: https://x.org/a.png"),
        ("Omar <img src=x> </p> <!-- a < b -->", r"Omar \<img src=x> \</p> \<!-- a < b -->"),
        ("No answer.\n- One. [1]\n- Two. [1] [2]", "No answer.\n- One. [1]\n- Two. [1] [2]"),
    ],
)
def test_a_reader_of_markdown_fetches_and_runs_nothing(stored: str, shown: str) -> None:
    assert in_markdown(stored) == shown


@given(st.text(alphabet="ab 가.,:|\n", max_size=60))
def test_text_without_marks_keeps_its_words(text: str) -> None:
    shown = without_marks(on_one_line(text))
    assert "\n" not in shown
    assert "".join(shown.split()).replace("·", "").replace("|", "") == "".join(
        text.split()
    ).replace("|", "")


def test_what_is_no_text_is_escaped_in_json() -> None:
    said = escaped(json.dumps({"name": "a\udcff\x1b"}, ensure_ascii=False))
    assert json.loads(said.encode()) == {"name": "a\udcff\x1b"}
