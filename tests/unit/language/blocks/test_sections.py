"""The section of a place in a passage: its own headings, and those that begin within it."""

from __future__ import annotations

import pytest

from weft.language.blocks.sections import section_at

MARKED = """# Cranes

About all of them.

## Old ones

They are green.

### Repair

Twice a year.

## New ones

They are blue.
"""
MANUAL = """Settings
========

``NAME``
--------

Default: none.

``AGE``
-------

Default: 0.

.. function:: old(age)

    Tells whether it is old.

Words again.
"""


@pytest.mark.parametrize(
    ("text", "said", "section", "expected"),
    [
        (MARKED, "About all", "Cranes", "Cranes"),
        (MARKED, "They are green", "Cranes", "Cranes > Old ones"),
        (MARKED, "Twice", "Cranes", "Cranes > Old ones > Repair"),
        (MARKED, "They are blue", "Cranes", "Cranes > New ones"),
        (MARKED, "They are blue", "Harbour > Cranes", "Harbour > Cranes > New ones"),
        (MARKED, "About all", None, "Cranes"),
        (MANUAL, "Default: none", "Settings", "Settings > NAME"),
        (MANUAL, "Default: 0", "Settings", "Settings > AGE"),
        (MANUAL, "Tells", "Settings", "Settings > AGE > old(age)"),
        (MANUAL, "Words again", "Settings", "Settings > AGE"),
        ("Plain words.", "words", "Cranes > Old ones", "Cranes > Old ones"),
        ("Plain words.", "words", None, None),
        ("", "", None, None),
    ],
)
def test_a_place_is_in_the_section_that_begins_above_it(
    text: str, said: str, section: str | None, expected: str | None
) -> None:
    assert section_at(text, text.index(said), section=section) == expected
