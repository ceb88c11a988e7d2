"""Limits of fields: they stand at a value's class, and are held against what comes from outside.

What checks is pydantic. It takes longer to load than a whole answer's rules, and code that makes
values itself is checked by its types: so it is loaded with the first value that is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from weft.domain.errors import WeftError

T = TypeVar("T")
_READERS: dict[type, TypeAdapter[Any]] = {}
# Of a class in which fields that it has not are refused.
FORBID: Mapping[str, str] = {"extra": "forbid"}


class Limit:
    """What a field's value must keep to, as pydantic's `Field` has it: `ge`, `max_length` …"""

    __slots__ = ("said",)

    def __init__(self, **said: object) -> None:
        """Take the limits by name."""
        self.said = said

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Have pydantic check the limits."""
        from pydantic import Field

        checks: Any = Field(**self.said)  # type: ignore[call-overload]  # checked by pydantic
        return handler(Annotated[source, checks])


class Untold:
    """Marks a field that rules fill and no model is told of."""

    __slots__ = ()

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        """Leave the field out of what is told."""
        from pydantic import json_schema

        # For checkers of types it is no class, but a way to write a type.
        skipping: Any = vars(json_schema)["SkipJsonSchema"]
        return skipping().__get_pydantic_json_schema__(schema, handler)


def checked(kind: type[T], data: object, *, wrong: Callable[[str, str], WeftError]) -> T:
    """Return the value that plain data describes.

    Else the error is raised that `wrong` makes of the place of the first mistake, its names parted
    by dots, and of what is said of it.
    """
    from pydantic import ValidationError

    try:
        return reader_of(kind).validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise wrong(".".join(map(str, first["loc"])), first["msg"]) from error


def reader_of(kind: type[T]) -> TypeAdapter[T]:
    """Return what reads values of a class from plain data."""
    from pydantic import TypeAdapter

    if kind not in _READERS:
        _READERS[kind] = TypeAdapter(kind)
    return _READERS[kind]
