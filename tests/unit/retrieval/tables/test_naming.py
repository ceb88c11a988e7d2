"""The unit that a column's name has."""

from __future__ import annotations

import pytest

from weft.retrieval.tables.naming import named_unit


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Price (EUR)", "EUR"),
        ("length [km]", "km"),
        ("Area (in m²)", "m²"),
        ("Fee (€) ", "€"),
        ("Price (net)", ""),
        ("Population (2019)", ""),
        ("(EUR) price", ""),
        ("Pupils (f)", ""),
        ("Score (max 10)", ""),
        ("kg", ""),
        ("", ""),
        ("(", ""),
    ],
)
def test_the_unit_stands_in_the_brackets_at_the_end(name: str, unit: str) -> None:
    assert named_unit(name) == unit
