"""Stored text as it is shown: harmless, the fields of a row apart."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.display import (
    escaped,
    harmless,
    in_markdown,
    on_one_line,
    without_secrets,
)

# What turns the order of writing until it is ended.
OVERRIDES = frozenset({"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"})


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
        ("See ![x](https://x.org/a.png).", r"See ![x]\(https\://x.org/a.png)."),
        ("![a](j(1)) [b](j(2)) ![c][d]", r"![a]\(j(1)) [b]\(j(2)) ![c]\[d]"),
        ("[d]: https://x.org/a.png", r"[d]\: https\://x.org/a.png"),
        (
            "Log in: http://x.org, www.x.org, a@x.org",
            r"Log in: http\://x.org, www\.x.org, a\@x.org",
        ),
        (r"\<img src=x> \\<b> C:\new", r"\\\<img src=x> \\\\\<b> C:\new"),
        ("Omar <img src=x> </p> <!-- a < b -->", r"Omar \<img src=x> \</p> \<!-- a < b -->"),
        ("No answer.\n- One. [1]\n- Two. [1] [2]", "No answer.\n- One. [1]\n- Two. [1] [2]"),
    ],
)
def test_a_reader_of_markdown_fetches_and_runs_nothing(stored: str, shown: str) -> None:
    assert in_markdown(stored) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("postgresql://ann:pw@db/x", "postgresql://***@db/x"),
        ("postgresql://ann:p@w/o:r@db:1/x?sslmode=on", "postgresql://***@db:1/x?sslmode=on"),
        ("https://tok@host/v1?api_key=abc&x=1", "https://***@host/v1?api_key=***&x=1"),
        ("bolt://h/d?password=env:PW", "bolt://h/d?password=***"),
        ("sqlite:///a/b.db and 3 x", "sqlite:///a/b.db and 3 x"),
    ],
)
def test_no_address_shows_who_opens_it(said: str, shown: str) -> None:
    assert without_secrets(said) == shown


def test_what_is_no_text_is_escaped_in_json() -> None:
    said = escaped(json.dumps({"name": "a\udcff\x1b"}, ensure_ascii=False))
    assert json.loads(said.encode()) == {"name": "a\udcff\x1b"}
