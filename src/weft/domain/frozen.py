"""The decorator `dataclass` of the standard library, quick to apply to frozen values.

The standard library writes six methods of a frozen value as text and compiles them, which takes a
third of a millisecond for each class: of what `weft ask` loads, a fifth of all it takes. Here they
are closures over the fields, and `__init__` alone is compiled, once a class turns out to have more
than a few values. `fields`, `replace`, `asdict` and `is_dataclass` find what they look for.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import TYPE_CHECKING, Any

# So many values of a class are filled field by field before its `__init__` is compiled, which takes
# as long as filling some thirty: of most classes that a command loads it makes fewer.
_FILLED = 24

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  # checkers know it by heart
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        kw_only: bool = False,
        **others: bool,
    ) -> Any:
        """Make a class of annotated fields, as `dataclasses.dataclass` does."""
        if not (frozen and slots) or others:
            kinds = {"frozen": frozen, "slots": slots, "kw_only": kw_only, **others}
            return dataclasses.dataclass(cls, **kinds)

        def make(bare: type) -> type:
            # What has no docstring would get its signature as one, which takes its time.
            bare.__doc__ = bare.__doc__ or bare.__name__
            kinds = {"init": False, "repr": False, "eq": False, "slots": True}
            made = dataclasses.dataclass(bare, kw_only=kw_only, **kinds)
            for name, method in _methods(made).items():
                # A class that compares in its own way has no hash of its own from Python.
                if made.__dict__.get(name) is None:
                    setattr(made, name, method)
            return made

        return make if cls is None else make(cls)


def _methods(cls: Any) -> dict[str, Callable[..., Any]]:
    """Return the methods of a frozen value for a class of slots."""
    fields = dataclasses.fields(cls)
    compared = _getter([field.name for field in fields if field.compare])
    hashed = _getter([f.name for f in fields if (f.compare if f.hash is None else f.hash)])

    fill = _filler(cls, fields)
    left = _FILLED

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal left
        left -= 1
        # What does not fit is refused in the words of the standard library.
        if left < 0 or args or not fill(self, kwargs):
            cls.__init__ = _initialiser(cls, fields)
            cls.__init__(self, *args, **kwargs)

    def equal(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compared(self) == compared(other)

    def digest(self: Any) -> int:
        return hash(hashed(self))

    return {
        "__init__": init,
        "__eq__": equal,
        "__hash__": digest,
        "__repr__": _shown,
        "__setattr__": _refuse_setting,
        "__delattr__": _refuse_deleting,
        "__getstate__": _state,
        "__setstate__": _restore,
    }


def _getter(names: Sequence[str]) -> Callable[[Any], object]:
    """Return what reads all the fields at once, as something that compares and hashes."""
    return attrgetter(*names) if names else lambda _: ()


def _filler(cls: Any, fields: Sequence[Field[Any]]) -> Callable[[Any, dict[str, Any]], bool]:
    """Return what fills a value from named arguments, or says that they do not fit its fields."""
    puts = [(getattr(cls, one.name).__set__, one) for one in fields]
    finish = getattr(cls, "__post_init__", None)

    def fill(self: Any, given: dict[str, Any]) -> bool:
        taken = 0
        for put, one in puts:
            if one.init and one.name in given:
                put(self, given[one.name])
                taken += 1
            elif not _put_default(self, one, put):
                return False
        if taken != len(given):
            return False
        if finish is not None:
            finish(self)
        return True

    return fill


def _put_default(self: Any, one: Field[Any], put: Callable[[Any, Any], None]) -> bool:
    """Put what a field has by itself; a field of `__init__` that has nothing is missing."""
    if one.default is not MISSING:
        put(self, one.default)
    elif one.default_factory is not MISSING:
        put(self, one.default_factory())
    else:
        return not one.init
    return True


def _initialiser(cls: Any, fields: Sequence[Field[Any]]) -> Callable[..., None]:
    """Return `__init__` as the standard library writes it for these fields."""
    bare: dict[str, Any] = {field.name: field for field in fields}
    bare["__annotations__"] = {field.name: field.type for field in fields}
    bare["__module__"], bare["__doc__"] = cls.__module__, cls.__doc__
    if hasattr(cls, "__post_init__"):
        bare["__post_init__"] = cls.__post_init__
    twin: Any = dataclasses.dataclass(
        type(cls.__name__, (), bare), frozen=True, repr=False, eq=False, match_args=False
    )
    made: Callable[..., None] = twin.__init__
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _shown(self: Any) -> str:
    shown = (field.name for field in dataclasses.fields(self) if field.repr)
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({values})"


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: Sequence[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _refuse_setting(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
