"""The decorator `dataclass` of the standard library, quick to apply to frozen values.

The standard library writes six methods of a frozen value as text and compiles them, which takes a
third of a millisecond for each class: of what `weft ask` loads, a fifth of all it takes. Here they
are closures over the fields, and `__init__` alone is compiled, once a class turns out to have more
than a few values. `fields`, `replace`, `asdict` and `is_dataclass` find what they look for: what
the standard library keeps of each field is made when it is first asked for.
"""

from __future__ import annotations

import dataclasses
from copy import copy
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter, ge, gt, le, lt
from typing import TYPE_CHECKING, Any, TypeAlias

# So many values of a class are filled field by field before its `__init__` is compiled: that takes
# as long as it gains with some thousand, and of most classes that a command loads it makes fewer.
_FILLED = 1000
# What an annotation says that is no plain field's; such a class is left to the standard library.
_SPECIAL = ("InitVar", "KW_ONLY")
_OF_CLASS = ("ClassVar", "typing.ClassVar")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
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
        if not (slots or frozen) or set(others) - {"order", "eq"}:
            kinds = {"frozen": frozen, "slots": slots, "kw_only": kw_only, **others}
            return dataclasses.dataclass(cls, **kinds)
        # What has no slots keeps what it works out beside its fields, and may be held weakly.
        beside = () if slots else ("__dict__", "__weakref__")

        def make(bare: type) -> type:
            # What has no docstring would get its signature as one, which takes its time.
            bare.__doc__ = bare.__doc__ or bare.__name__
            methods = {**_FROZEN, **_OF_VALUES} if frozen else {**_OPEN, **_OF_VALUES}
            if others.get("order"):
                methods |= _ORDERED
            if not others.get("eq", True):
                methods = {name: one for name, one in methods.items() if name not in _OF_EQUALS}
            made = _slotted(bare, methods, beside, kw_only=kw_only)
            if made is None:
                kinds = {"init": False, "repr": False, "eq": False, "slots": slots}
                made = dataclasses.dataclass(bare, kw_only=kw_only, **kinds)
                methods["__init__"] = _init(made, lambda: _parts(dataclasses.fields(made)))
                for name, method in methods.items():
                    # A class that compares in its own way has no hash of its own from Python.
                    if made.__dict__.get(name) is None:
                        setattr(made, name, method)
            return made

        return make if cls is None else make(cls)


class _Part:
    """What must be known of a field: what it has by itself, and what it is for."""

    __slots__ = ("default", "factory", "is_compared", "is_hashed", "is_taken", "name")

    def __init__(self, name: str, said: object) -> None:
        """Take a field's name, and what stands behind it in the class."""
        self.name = name
        if isinstance(said, Field):
            self.default, self.factory, self.is_taken = (
                said.default,
                said.default_factory,
                said.init,
            )
            self.is_compared = said.compare
            self.is_hashed = said.compare if said.hash is None else said.hash
        else:
            self.default, self.factory = said, MISSING
            self.is_taken = self.is_compared = self.is_hashed = True


def _parts(fields: Iterable[Field[Any]]) -> list[_Part]:
    return [_Part(one.name, one) for one in fields]


class _LateFields:
    """Stands at a class for what the standard library keeps of its fields."""

    def __init__(self, bare: type, kinds: Mapping[str, object], *, kw_only: bool) -> None:
        """Take the class as it was written, and the kinds of its fields."""
        self._kinds = kinds
        self._body = {name: vars(bare)[name] for name in kinds if name in vars(bare)}
        self._kw_only = kw_only
        self.cls: Any = None

    def __get__(self, instance: object, owner: type) -> Any:
        """Have them made, and put them in this place."""
        made = {name: self._field(name) for name in self._kinds}
        self.cls.__dataclass_fields__ = made
        return made

    def parts(self) -> list[_Part]:
        """Return what must be known of each field to fill it."""
        return [_Part(name, self._body.get(name, MISSING)) for name in self._kinds]

    def _field(self, name: str) -> Field[Any]:
        said = self._body.get(name, MISSING)
        if not isinstance(said, Field):
            said = dataclasses.field(default=said)
        # A copy, for what only the standard library knows of a field that it has looked at.
        one: Any = copy(_PLAIN_FIELD)
        for kept in ("default", "default_factory", "init", "repr", "hash", "compare", "metadata"):
            setattr(one, kept, getattr(said, kept))
        one.name, one.type = name, self._kinds[name]
        one.kw_only = self._kw_only if said.kw_only is MISSING else said.kw_only
        made: Field[Any] = one
        return made


# As the standard library has it of a class for which it writes no methods.
_PARAMS: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(
    type("Plain", (), {"__doc__": ".", "__annotations__": {"field": "object"}})
)
(_PLAIN_FIELD,) = dataclasses.fields(_PARAMS)


def _slotted(
    bare: Any, methods: Mapping[str, object], beside: tuple[str, ...], *, kw_only: bool
) -> Any:
    """Return a class with a slot for each field, None where it is no plain class of fields.

    It has these methods where it has none of its own, and the slots `beside`.
    """
    said = _fields_said(bare)
    if not said or any(hasattr(base, "__dataclass_fields__") for base in bare.__bases__):
        return None
    for name in said:
        default = vars(bare).get(name)
        if isinstance(default, Field):
            if default.kw_only is True:
                return None
        elif default.__hash__ is None:  # may be changed, and is refused
            return None
    taken = {*said, "__dict__", "__weakref__"}
    own = {name: one for name, one in vars(bare).items() if name not in taken}
    if "__eq__" in own and own.get("__hash__") is None:
        # A class that compares in its own way has no hash of its own from Python.
        own.pop("__hash__", None)
    late = _LateFields(bare, said, kw_only=kw_only)
    body = {
        **methods,
        "__init__": _init(late, late.parts),
        **own,
        "__slots__": (*said, *beside),
        "__match_args__": () if kw_only else tuple(n for n in said if _is_taken(vars(bare).get(n))),
        "__dataclass_fields__": late,
        "__dataclass_params__": _PARAMS.__dataclass_params__,
    }
    made = type(bare)(bare.__name__, bare.__bases__, body)
    made.__qualname__ = bare.__qualname__
    late.cls = made
    return made


def _fields_said(bare: Any) -> dict[str, object]:
    """Return the kinds of a class's own fields by name, none where one is of a special kind."""
    said = dict[str, object]()
    for name, kind in vars(bare).get("__annotations__", {}).items():
        written = kind if isinstance(kind, str) else repr(kind)
        if any(word in written for word in _SPECIAL):
            return {}
        if not written.startswith(_OF_CLASS):
            said[name] = kind
    return said


def _is_taken(default: object) -> bool:
    return not isinstance(default, Field) or default.init


def _init(of: Any, parts: Callable[[], list[_Part]]) -> Callable[..., None]:
    """Return the `__init__` of a class, or of the one that late fields turn out to be of."""
    fill: Callable[[Any, dict[str, Any]], bool] | None = None
    left = _FILLED

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal fill, left
        left -= 1
        cls = of.cls if isinstance(of, _LateFields) else of
        if fill is None:  # many classes are loaded of which no value is made
            fill = _filler(cls, parts())
        # What does not fit is refused in the words of the standard library.
        named = _named(cls, args, kwargs) if args else kwargs
        if left < 0 or not fill(self, named):
            cls.__init__ = _initialiser(cls, dataclasses.fields(cls))
            cls.__init__(self, *args, **kwargs)

    return init


# What reads the fields of a class that are compared, and those that are hashed.
_Getter: TypeAlias = "Callable[[Any], Any]"
_COMPARED: dict[type, _Getter] = {}
_HASHED: dict[type, _Getter] = {}


def _compared(cls: Any) -> _Getter:
    made = _COMPARED[cls] = _getter([one.name for one in dataclasses.fields(cls) if one.compare])
    return made


def _hashed(cls: Any) -> _Getter:
    every = dataclasses.fields(cls)
    said = [one.name for one in every if (one.compare if one.hash is None else one.hash)]
    made = _HASHED[cls] = _getter(said)
    return made


def _equal(self: Any, other: Any) -> Any:
    cls = self.__class__
    if other.__class__ is not cls:
        return NotImplemented
    read = _COMPARED.get(cls) or _compared(cls)
    return read(self) == read(other)


def _digest(self: Any) -> int:
    cls = self.__class__
    return hash((_HASHED.get(cls) or _hashed(cls))(self))


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        cls = self.__class__
        if other.__class__ is not cls:
            return NotImplemented
        read = _COMPARED.get(cls) or _compared(cls)
        return compare(read(self), read(other))

    return method


def _getter(names: Sequence[str]) -> Callable[[Any], object]:
    """Return what reads all the fields at once, as something that compares and hashes."""
    return attrgetter(*names) if names else lambda _: ()


def _filler(cls: Any, parts: Sequence[_Part]) -> Callable[[Any, dict[str, Any]], bool]:
    """Return what fills a value from named arguments, or says that they do not fit its fields."""
    puts = [(getattr(cls, part.name).__set__, part) for part in parts]
    finish = getattr(cls, "__post_init__", None)

    def fill(self: Any, given: dict[str, Any]) -> bool:
        taken = 0
        for put, part in puts:
            if part.is_taken and part.name in given:
                put(self, given[part.name])
                taken += 1
            elif not _put_default(self, part, put):
                return False
        if taken != len(given):
            return False
        if finish is not None:
            finish(self)
        return True

    return fill


def _named(cls: Any, args: Sequence[object], named: dict[str, Any]) -> dict[str, Any]:
    """Return all arguments by name; with one that no field has where they do not fit."""
    names = cls.__match_args__
    if len(args) > len(names) or any(name in named for name in names[: len(args)]):
        return {"": None}
    return {**dict(zip(names, args, strict=False)), **named}


def _put_default(self: Any, part: _Part, put: Callable[[Any, Any], None]) -> bool:
    """Put what a field has by itself; a field of `__init__` that has nothing is missing."""
    if part.default is not MISSING:
        put(self, part.default)
    elif part.factory is not MISSING:
        put(self, part.factory())
    else:
        return not part.is_taken
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


_OF_VALUES: dict[str, Any] = {"__eq__": _equal, "__repr__": _shown}
_OF_EQUALS = ("__eq__", "__hash__")
_OPEN: dict[str, Any] = {"__hash__": None}  # what may change has no hash
_FROZEN: dict[str, Any] = {
    "__hash__": _digest,
    "__setattr__": _refuse_setting,
    "__delattr__": _refuse_deleting,
    "__getstate__": _state,
    "__setstate__": _restore,
}
_COMPARISONS = {"__lt__": lt, "__le__": le, "__gt__": gt, "__ge__": ge}
_ORDERED: dict[str, Any] = {name: _ordered(one) for name, one in _COMPARISONS.items()}
