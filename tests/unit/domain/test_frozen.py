"""Frozen values are as the standard library makes them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import weakref
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from weft.domain import frozen


class Bare:
    """Fields of every kind, of which nothing has been made yet."""

    first: int
    second: str = "b"
    third: list[int] = field(default_factory=list)
    unequal: int = field(default=0, compare=False)
    silent: int = field(default=0, repr=False)
    later: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        """Refuse what no field alone refuses."""
        if self.first < 0:
            raise ValueError("first is negative")


class Own:
    """A class that compares in a way of its own."""

    first: int

    def __eq__(self, other: object) -> bool:
        """Be equal to everything."""
        return True

    def __hash__(self) -> int:
        """Be one of them."""
        return 1


def made(of: type, by: Callable[..., Any], *, kw_only: bool = True) -> Any:
    """Return what a decorator makes of a class that stays as it was."""
    names = [*of.__annotations__, "__annotations__", "__doc__", "__module__"]
    names += [one for one in ("__post_init__", "__eq__", "__hash__") if one in vars(of)]
    body = {name: copy.copy(vars(of)[name]) for name in names if name in vars(of)}
    return by(frozen=True, slots=True, kw_only=kw_only)(type("Made", (), body))


Ours, Theirs = made(Bare, frozen.dataclass), made(Bare, dataclasses.dataclass)
arguments = st.fixed_dictionaries(
    {"first": st.integers(0, 2)},
    optional={
        "second": st.sampled_from("abc"),
        "third": st.lists(st.integers(0, 1), max_size=2),
        "unequal": st.integers(0, 1),
        "silent": st.integers(0, 1),
    },
)


@given(arguments, arguments)
def test_a_value_does_what_that_of_the_standard_library_does(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    """Comparison, what is shown, what is made from it."""
    ours, theirs = Ours(**one), Theirs(**one)
    assert (ours == Ours(**other)) == (theirs == Theirs(**other))
    assert repr(ours) == repr(theirs)
    assert asdict(ours) == asdict(theirs)
    assert asdict(replace(ours, first=7)) == asdict(replace(theirs, first=7))
    assert ours.__getstate__() == theirs.__getstate__()
    assert copy.deepcopy(ours) == ours
    assert TypeAdapter(Ours).validate_python(one) == ours


def test_the_hundredth_value_is_as_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also once `__init__` has been compiled, and what is wrong is refused before and after."""
    monkeypatch.setattr(frozen, "_FILLED", 40)
    ours, theirs = made(Bare, frozen.dataclass), made(Bare, dataclasses.dataclass)
    for number in range(100):
        assert repr(ours(first=number)) == repr(theirs(first=number))
        assert ours(first=number).third is not ours(first=number).third
    kind = made(Bare, frozen.dataclass)
    calls: list[dict[str, object]] = [{}, {"first": 1, "other": 1}, {"first": -1}]
    calls.append({"first": 1, "later": [1]})
    for _ in range(100):
        for wrong in calls:
            assert told(kind, [], wrong) == told(theirs, [], wrong)
        assert kind(first=1) == kind(first=1)


@pytest.mark.parametrize("kw_only", [True, False])
def test_fields_and_parameters_are_those_of_the_standard_library(kw_only: bool) -> None:
    """What is wrong with a call is said in the same words."""
    ours: Any = made(Bare, frozen.dataclass, kw_only=kw_only)
    theirs: Any = made(Bare, dataclasses.dataclass, kw_only=kw_only)
    assert [is_dataclass(ours), is_dataclass(ours(first=1))] == [True, True]
    assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    assert ours.__slots__ == theirs.__slots__
    assert ours.__match_args__ == theirs.__match_args__
    calls: list[tuple[list[object], dict[str, object]]] = [
        ([], {}),
        ([1], {}),
        ([1, "c", [2]], {}),
        ([], {"other": 1}),
        ([], {"first": -1}),
        ([], {"first": 1}),
    ]
    for args, kwargs in calls:
        assert told(ours, args, kwargs) == told(theirs, args, kwargs)


def told(kind: Any, args: list[object], kwargs: dict[str, object]) -> str:
    """Return the value that a call makes, or what it says."""
    try:
        return repr(kind(*args, **kwargs))
    except (TypeError, ValueError) as error:
        return str(error)


def test_a_value_stays_as_it_is() -> None:
    """Nothing is set, added or taken away."""
    value = Ours(first=1)
    for name in ("first", "added"):
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, 2)
    with pytest.raises(FrozenInstanceError):
        del value.first
    assert value.first == 1


def test_a_value_that_compares_hashes() -> None:
    """Equal values are found in a set; a class's own ways of both stay."""

    @frozen.dataclass(frozen=True, slots=True, kw_only=True)
    class Point:
        x: int
        y: int = 0

    assert {Point(x=1), Point(x=1, y=0)} == {Point(x=1)}
    assert Point(x=1) != object()
    own = made(Own, frozen.dataclass)
    assert own(first=1) == 5
    assert hash(own(first=2)) == 1


@frozen.dataclass(frozen=True, slots=True)
class Kept:
    """A value that a pickle can name."""

    first: int
    second: tuple[int, ...] = ()


def test_a_value_goes_to_another_process() -> None:
    """Pickles are read to equal values."""
    assert pickle.loads(pickle.dumps(Kept(1, (2,)))) == Kept(1, (2,))


def test_other_kinds_are_those_of_the_standard_library() -> None:
    """What is neither frozen nor of slots has a dictionary, and can be changed."""

    @frozen.dataclass
    class Changing:
        x: int

    changing = Changing(1)
    changing.x = 2
    assert changing == Changing(2)


@given(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
def test_values_have_the_order_of_their_fields(a: int, b: int, c: int, d: int) -> None:
    """All four comparisons; another kind has no order beside them."""
    one, other = Place(first=a, second=b), Place(first=c, second=d)
    both = ((a, b), (c, d))
    assert [one < other, one <= other] == [both[0] < both[1], both[0] <= both[1]]
    assert [one > other, one >= other] == [both[0] > both[1], both[0] >= both[1]]
    with pytest.raises(TypeError):
        one < (c, d)  # type: ignore[operator]  # noqa: B015  # the comparison is what is refused


def test_what_is_equal_to_itself_alone_has_the_hash_of_a_thing() -> None:
    one, other = Thing(a=1, b=[2]), Thing(a=1, b=[2])
    assert one != other
    assert one in [one]
    assert len({one, other}) == 2
    assert repr(one) == "Thing(a=1, b=[2])"
    assert dataclasses.replace(one, a=3).a == 3
    assert weakref.ref(one)() is one
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.a = 2  # type: ignore[misc]


@frozen.dataclass(frozen=True, kw_only=True, eq=False)
class Thing:
    """A value that is compared by what it is, as large ones are."""

    a: int
    b: list[int]


@frozen.dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """A value with an order."""

    first: int
    second: int


def test_what_belongs_to_the_class_is_no_field() -> None:
    """Nor does a name that stands for nothing get lost."""

    @frozen.dataclass(frozen=True, slots=True, kw_only=True)
    class Held:
        SHARED: ClassVar[list[int]] = [1]
        NOTHING: ClassVar[int | None] = None
        x: int

    assert [one.name for one in fields(Held)] == ["x"]
    assert Held.SHARED is Held(x=1).SHARED
    assert Held(x=1).NOTHING is None
    assert Held.__slots__ == ("x",)


def test_a_frozen_value_without_slots_keeps_what_it_works_out() -> None:
    """Beside its fields, which stay as they are."""

    @frozen.dataclass(frozen=True, kw_only=True)
    class Working:
        x: int
        times: list[int] = field(default_factory=list, compare=False)

        @cached_property
        def double(self) -> int:
            self.times.append(1)
            return 2 * self.x

    value = Working(x=2)
    assert [value.double, value.double, len(value.times)] == [4, 4, 1]
    assert value == Working(x=2)
    assert asdict(value) == {"x": 2, "times": [1]}
    assert replace(value, x=3).double == 6
    with pytest.raises(FrozenInstanceError):
        value.x = 3  # type: ignore[misc]  # it must not


def test_what_may_change_is_as_quickly_made() -> None:
    """A class of slots that is not frozen: compared, shown, changed, and without a hash."""
    kinds: list[Any] = [
        by(slots=True)(type("Made", (), {"__annotations__": {"first": "int", "second": "str"}}))
        for by in (frozen.dataclass, dataclasses.dataclass)
    ]
    for ours in kinds:
        value: Any = ours(1, second="a")
        value.first = 2
        assert repr(value) == "Made(first=2, second='a')"
        assert value == ours(2, "a")
        assert ours.__hash__ is None
        assert asdict(replace(value, second="b")) == {"first": 2, "second": "b"}
        with pytest.raises(TypeError):
            ours(1, first=1, second="a")


def test_what_the_standard_library_keeps_is_there_when_it_is_looked_for() -> None:
    """Fields, and a class that takes over those of one of ours."""

    @frozen.dataclass(frozen=True, slots=True, kw_only=True)
    class Point:
        x: int
        y: int = field(default=0, metadata={"unit": "m"})

    assert [(one.name, one.default) for one in fields(Point)][1:] == [("y", 0)]
    assert fields(Point)[1].metadata == {"unit": "m"}

    @dataclasses.dataclass(frozen=False, kw_only=True)
    class Named(Point):  # type: ignore[misc]  # it may, where ours is a base
        name: str = ""

    assert [one.name for one in fields(Named)] == ["x", "y", "name"]
