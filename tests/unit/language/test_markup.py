"""Texts without the signs of their format: no sign is left, no word is lost, places are true."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.language.markup import is_prose, plain, unmarked


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ("It is **EUR 70** now, see [the rules](rules.md).", "It is EUR 70 now, see the rules."),
        ('[north](https://x.org/a_(b) "to it") of ![a map](m.png)', "north of a map"),
        ("see [its\ndevelopment](https://x.org) and `a\nb`", "see its\ndevelopment and a\nb"),
        ("__[The rules](x.md)__, `float`s, ![a map][m]", "The rules, floats, a map"),
        ("[![Build](b.svg)](https://x.org) passes", "Build passes"),
        (
            "[the rules][1], [[Page|as shown]], <https://x.org>",
            "the rules, as shown, https://x.org",
        ),
        ("the `MIT license <https://x.org/mit>`_, :ref:`here`.", "the MIT license, here."),
        (
            "``requests`` or `h2`, *not* both, ***ever*** _and_",
            "requests or h2, not both, ever and",
        ),
        ("**bold *within* bold** and `**code**`", "bold within bold and **code**"),
        ("| Lead | Ann **Oak** | | May 2014 |", "Lead · Ann Oak · May 2014"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a · b\n1 · 2"),
        ("## Cranes ##\n\n- [x] one\n* two\n> said", "Cranes\n\none\ntwo\nsaid"),
        ("```py\nf(**a)\n```\nafter", "f(**a)\nafter"),
        ("Cranes\n======\nThey lift.", "Cranes\nThey lift."),
        ("Tides &amp; piers<br>of <b>1911</b>", "Tides & piers of 1911"),
        ("담당은 **배수아**입니다.", "담당은 배수아입니다."),
        # A sentence that was cut out of emphasis.
        ("**Hours. We open", "Hours. We open"),
        ("at nine.**", "at nine."),
    ],
)
def test_signs_are_left_out(stored: str, read: str) -> None:
    assert plain(stored) == read


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4 and f(*args, **more), 2**8",
        "steps[name](value) of __init__, snake_case_name",
        "|---|---|",
        "~~The crane lifts 120 tonnes.~~ <del>gone</del>",
        "> 5 MB is too large, 5 < 6, rated 5*",
        "https://x.org/a_b_c is #1 of C#",
    ],
)
def test_what_is_no_sign_stays(text: str) -> None:
    assert plain(text) == text


_MARKED = st.text(alphabet="ab 1가.*_`#>|[]()<&;\\-=~!:\n", max_size=60)


@example("|a|a|")
@given(_MARKED)
def test_every_character_stands_where_it_is_said_to(text: str) -> None:
    read = unmarked(text)
    assert len(read.places) == len(read.text)
    assert list(read.places) == sorted(read.places)
    own = [(char, text[at]) for char, at in zip(read.text, read.places, strict=True)]
    # Nothing is put in but the sign between cells.
    assert {char for char, there in own if char != there} <= {" ", "·"}


@given(st.text(alphabet="ab 가.,:|\n", max_size=60))
def test_no_word_is_lost(text: str) -> None:
    def words(one: str) -> str:
        return "".join(one.split()).replace("·", "").replace("|", "")

    assert words(plain(text)) == words(text)


@given(_MARKED)
def test_reading_again_leaves_nothing_more_of_links_and_tables(text: str) -> None:
    assert len(plain(plain(text))) <= len(plain(text))


def test_programs_and_settings_are_no_prose() -> None:
    assert all(map(is_prose, ("a.md", "file:///x/Notes.TXT", "https://x.org/page", "inbox:v1.2")))
    assert not any(map(is_prose, ("src/a.py", "file:///x/deploy.yaml", "Main.java")))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("See :class:`~weft.domain.Answer` for more.", "See Answer for more."),
        (":ref:`the list\n<all-settings>` has it", "the list has it"),
        (":setting:`TIMEOUT <CACHES-TIMEOUT>`: in seconds", "TIMEOUT: in seconds"),
        (".. attribute:: Text.most\n\n    At most.", "Text.most\n\n    At most."),
        (".. _a link: https://example.org/\n\nWords.", "Words."),
        (".. note::\n\n    Words.", "Words."),
        (".. versionadded:: 4.2\n\n    Words.", "versionadded:: 4.2\n\n    Words."),
        ("Title\n~~~~~\n\nUse **it**.\n\nOther\n~~~~~\n\nIt.", "Title\n\nUse it.\n\nOther\n\nIt."),
        ("Run\n~~~sh\nmake **all**\n~~~\n", "Run\nmake **all**"),
    ],
)
def test_a_manual_is_read_without_the_signs_of_its_format(written: str, read: str) -> None:
    found = unmarked(written)
    assert found.text == read
    assert len(found.places) == len(read)
    assert list(found.places) == sorted(found.places)
