"""A run's state as a value of its flow's own type: read whole, changed by what differs."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from weft.runtime.codec import StateCodec

State = TypeVar("State")


def read(kind: type[State], state: Mapping[str, object]) -> State:
    """Return a run's state as its flow's type; what is not there yet has its default."""
    names = {field.name for field in dataclasses.fields(typing.cast("Any", kind))}
    return kind(**{name: value for name, value in state.items() if name in names})


def begun(state: object) -> dict[str, object]:
    """Return the state that a run begins with, field by field."""
    value = typing.cast("Any", state)
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def changed(before: State, after: State) -> dict[str, object]:
    """Return as a patch what differs between two states of one type."""
    old, new = begun(before), begun(after)
    return {name: value for name, value in new.items() if value is not old[name]}


def codec_of(kinds: typing.Iterable[type]) -> StateCodec:
    """Return the codec of some types of states: every dataclass that their fields may hold."""
    found: dict[str, type] = {}
    for kind in kinds:
        for each in _held(kind):
            found[each.__name__] = each
    return StateCodec(tuple(found.values()))


def _held(kind: type) -> Iterator[type]:
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(typing.cast("Any", kind)):
        yield from _dataclasses(hints[field.name])


def _dataclasses(hint: object) -> Iterator[type]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield hint
        return
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is not None:
        for part in typing.get_args(hint):
            yield from _dataclasses(part)
