"""Names made from titles: valid, the same each time, and none for what is a path."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.bases.naming import as_argument, name_of_title, path_of, same_title
from weft.domain.errors import BadInput
from weft.domain.ids import is_knowledge_base_name


@given(st.text(st.characters(exclude_characters="/\\"), min_size=1, max_size=300))
def test_every_title_has_a_valid_name_and_keeps_it(text: str) -> None:
    try:
        name, title = name_of_title(text)
    except BadInput:
        return  # nothing but spaces and what steers a terminal, or dots
    assert is_knowledge_base_name(name)
    assert name_of_title(title) == (name, title)
    assert same_title(title, f" {title}\n")


def test_titles_that_differ_have_names_that_differ() -> None:
    titles = ("사내 위키", "사외 위키", "Handbuch für Köche", "Handbuch fur Koche")
    assert len({name_of_title(title)[0] for title in titles}) == len(titles)
    assert name_of_title("Handbuch für Köche")[0].startswith("HandbuchFurKoche")


@pytest.mark.parametrize("given_title", ["", " \t", "\x1b", "a/b", "./docs", "C:\\x", ".", "~"])
def test_nothing_and_paths_are_no_titles(given_title: str) -> None:
    with pytest.raises(BadInput):
        name_of_title(given_title)


def test_a_title_too_long_is_refused() -> None:
    assert name_of_title("x" * 300)
    with pytest.raises(BadInput, match="300"):
        name_of_title("x" * 301)


def test_bytes_that_are_no_text_are_no_title() -> None:
    with pytest.raises(BadInput, match="bytes"):
        name_of_title("wiki\udcff")


def test_a_title_is_typed_in_quotes_where_it_must_be() -> None:
    assert as_argument("Harbour") == "Harbour"
    assert as_argument("사내 위키") == "'사내 위키'"


def test_a_home_of_nobody_is_a_path_like_another() -> None:
    assert path_of("~nobody-of-this-name/x") == Path("~nobody-of-this-name/x")
    assert path_of("~/x").is_absolute()
