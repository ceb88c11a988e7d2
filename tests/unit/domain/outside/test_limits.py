"""Limits of fields are held against what comes from outside, and told of as pydantic tells."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

import pytest

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.outside.limits import FORBID, Limit, Untold, checked, reader_of
from weft.domain.outside.written import fields_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Pier:
    """A value of the tests."""

    __pydantic_config__ = FORBID

    name: Annotated[str, Limit(min_length=2, pattern="^[a-z]+$")]
    length: Annotated[int, Limit(ge=1)] | None = None
    notes: Annotated[list[str], Limit(max_length=1), Untold()] = field(default_factory=list)


def _wrong(place: str, said: str) -> BadInput:
    return BadInput(f"{place}: {said}")


def test_what_fits_is_read_and_written() -> None:
    read = checked(Pier, {"name": "west", "length": 3}, wrong=_wrong)
    assert read == Pier(name="west", length=3)
    assert fields_of(read) == {"name": "west", "length": 3, "notes": []}


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"name": "w"}, "name"),
        ({"name": "West"}, "name"),
        ({"name": "west", "length": 0}, "length"),
        ({"name": "west", "notes": ["a", "b"]}, "notes"),
        ({"name": "west", "depth": 1}, "depth"),
        ({}, "name"),
    ],
)
def test_what_does_not_is_named(data: dict[str, object], place: str) -> None:
    with pytest.raises(BadInput, match=f"^{place}"):
        checked(Pier, data, wrong=_wrong)


def test_a_model_is_told_of_limits_and_not_of_what_rules_fill() -> None:
    told = reader_of(Pier).json_schema()
    assert set(told["properties"]) == {"name", "length"}
    assert told["properties"]["name"]["minLength"] == 2
    assert told["additionalProperties"] is False
