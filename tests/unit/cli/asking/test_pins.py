"""What `--pin` says is meant: names by their nodes, a question by an id."""

from __future__ import annotations

import pytest

from weft.cli.asking.pins import meaning_of, pins_of
from weft.domain.errors import BadInput


def test_names_and_a_meaning_are_told_apart() -> None:
    pins = ["Kim Min-jun=person:p1", "0badcafe", "deadbeef=person:p2"]
    assert pins_of(pins) == {"Kim Min-jun": "person:p1", "deadbeef": "person:p2"}
    assert meaning_of(pins) == "0badcafe"
    assert (pins_of([]), meaning_of([])) == ({}, "")


@pytest.mark.parametrize("wrong", ["", "=", "Kim=", "=p1", "0BADCAFE", "0badcaf", "0badcafe0"])
def test_what_is_neither_is_named(wrong: str) -> None:
    with pytest.raises(BadInput, match="A pin is NAME=NODE"):
        pins_of([wrong])


def test_a_question_has_one_meaning() -> None:
    with pytest.raises(BadInput, match="0badcafe, deadbeef"):
        meaning_of(["0badcafe", "deadbeef"])
