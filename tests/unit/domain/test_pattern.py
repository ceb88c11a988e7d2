"""Conditions of graph patterns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.document import Value
from weft.domain.pattern import Comparison, PropertyFilter

values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=True), st.text(max_size=9)
)


def fits(comparison: Comparison, wanted: Value, value: Value) -> bool:
    return PropertyFilter(name="p", comparison=comparison, value=wanted).accepts(value)


@pytest.mark.parametrize(
    ("comparison", "wanted", "value", "expected"),
    [
        (Comparison.EQUALS, "Open", " open ", True),
        (Comparison.EQUALS, 3, "3.0", True),
        (Comparison.EQUALS, True, 1, False),
        (Comparison.EQUALS, True, "true", True),
        (Comparison.CONTAINS, "PEN", "open", True),
        (Comparison.CONTAINS, "서울", "서울시", True),
        (Comparison.AT_LEAST, 3, 3, True),
        (Comparison.AT_LEAST, 3, 2.9, False),
        (Comparison.AT_LEAST, "2024-02", "2024-03-01", True),
        (Comparison.AT_LEAST, 2024, "2024-03-01", True),
        (Comparison.AT_LEAST, 2025, "2024-03-01", False),
        (Comparison.AT_MOST, "2024", "2024-12-31", True),
        (Comparison.AT_MOST, "2024-02", "2024-03-01", False),
        (Comparison.AT_MOST, 3, "three", False),
        (Comparison.AT_MOST, 12345, "2024-03-01", False),
        (Comparison.AT_MOST, "inf", "2024-03-01", False),
    ],
)
def test_a_condition_compares_what_can_be_compared(
    comparison: Comparison, wanted: Value, value: Value, expected: bool
) -> None:
    assert fits(comparison, wanted, value) is expected


@given(comparison=st.sampled_from(Comparison), one=values, other=values)
def test_any_two_values_can_be_asked_about(
    comparison: Comparison, one: Value, other: Value
) -> None:
    assert fits(comparison, one, other) in (True, False)
    assert not fits(comparison, one, None)
    assert fits(Comparison.AT_LEAST, one, other) == fits(Comparison.AT_MOST, other, one)
