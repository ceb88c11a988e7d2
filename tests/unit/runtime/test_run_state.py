from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.answer import Answer
from weft.domain.errors import BadInput, StoreCorrupt
from weft.domain.ids import RunId
from weft.runtime.amounts import Usage
from weft.runtime.codec import StateCodec, plain, summary
from weft.runtime.context import EMPTY
from weft.runtime.frontier import Frontier, Track, read_frontier, write_frontier
from weft.runtime.state import merge

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS | st.decimals(allow_nan=False) | st.datetimes(timezones=st.just(UTC)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(SCALARS, max_size=3)
        | st.dictionaries(st.text() | st.just("$tuple"), inner, max_size=3)
    ),
    max_leaves=8,
)
PATCHES = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A value that a flow keeps in its state."""

    text: str
    when: datetime
    tags: tuple[str, ...]


def test_a_list_is_appended_and_anything_else_replaces() -> None:
    state = merge(EMPTY, {"log": ["a"], "n": 1, "whole": ("x",)})
    later = merge(state, {"log": ["b"], "n": 2, "whole": ("y",)})
    assert later == {"log": ("a", "b"), "n": 2, "whole": ("y",)}
    assert state == {"log": ("a",), "n": 1, "whole": ("x",)}
    with pytest.raises(TypeError):
        later["n"] = 3  # type: ignore[index]  # that it cannot be done is what is tested


@given(PATCHES, PATCHES)
def test_merging_changes_neither_side(first: dict[str, object], second: dict[str, object]) -> None:
    state = merge(EMPTY, first)
    before, patch = dict(state), repr(second)
    merged = merge(state, second)
    assert dict(state) == before
    assert repr(second) == patch
    assert merged.keys() == first.keys() | second.keys()


@given(VALUES)
def test_what_is_read_equals_what_was_written(value: object) -> None:
    codec = StateCodec()
    read = codec.decode(json.loads(json.dumps(codec.encode(value))))
    assert read == value
    assert type(read) is type(value)


def test_declared_values_come_back_as_themselves() -> None:
    codec = StateCodec((Finding,))
    finding = Finding(text="t", when=datetime(2026, 1, 2, tzinfo=UTC), tags=("x",))
    answer = Answer(
        answer="", sentences=(), refused=True, missing=("m",), offline=True, run_id=RunId("r")
    )
    for value in (finding, answer, [finding, (answer,)]):
        assert codec.decode(json.loads(json.dumps(codec.encode(value)))) == value
    with pytest.raises(BadInput, match="Finding"):
        StateCodec().encode({"f": finding})


@pytest.mark.parametrize("data", [{"$is": "Ghost", "value": {}}, {"$time": "soon"}, {"$set": 1}])
def test_damaged_state_is_an_error(data: object) -> None:
    with pytest.raises(StoreCorrupt):
        StateCodec().decode(data)


def test_events_see_a_hash_of_texts_and_numbers_as_they_are() -> None:
    finding = Finding(text="secret", when=datetime(2026, 1, 2, tzinfo=UTC), tags=())
    assert (summary(3), summary(None), summary(True)) == (3, None, True)
    for value in ("secret", ["secret"], {"k": "secret"}, finding, frozenset({"secret"}), object()):
        told = summary(value)
        assert told == summary(value)
        assert "secret" not in json.dumps(told)
    assert summary("a") != summary("b")
    assert plain(Decimal("1.5")) == "1.5"


@given(PATCHES, st.lists(PATCHES, max_size=2), st.lists(PATCHES, max_size=2))
def test_a_frontier_comes_back_from_json(
    start: dict[str, object], left: list[dict[str, object]], right: list[dict[str, object]]
) -> None:
    track = Track(at="p", state=merge(EMPTY, start))
    track.fork(("a", "b"), join="j", optional=frozenset({"b"}))
    for branch, patches in zip(track.branches, (left, right), strict=True):
        for patch in patches:
            branch.apply(patch)
    frontier = Frontier(
        flow="f",
        track=track,
        visits={"p": 1},
        loops={3: 2},
        answers={"p?0": "yes"},
        spent=Usage(tokens=5, money=Decimal("0.1")),
        elapsed_s=1.5,
        seq=9,
    )
    codec = StateCodec()
    back = read_frontier(json.loads(json.dumps(write_frontier(frontier, codec))), codec)
    assert back == frontier
    track.join()
    back.track.join()
    assert back.track.state == track.state
    expected = merge(EMPTY, start)
    for patch in (*left, *right):
        expected = merge(expected, patch)
    assert track.state == expected
