"""State as JSON, for runs that outlive their process, and as hashes, for their events."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from weft.domain.answer import Answer
from weft.domain.errors import BadInput, StoreCorrupt
from weft.domain.evidence import Evidence
from weft.domain.ids import digest
from weft.runtime.context import ChildResult, ChildStatus

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_SCALARS = (str, int, float, bool, type(None))


class StateCodec:
    """Writes JSON values, tuples, sets, times and values of the given dataclasses, and reads them.

    What is read equals what was written: lists stay lists and tuples stay tuples.
    """

    def __init__(self, types: tuple[type, ...] = ()) -> None:
        known = (kind for kind in types if kind is not ChildResult)  # it has a form of its own
        self._types = {kind.__name__: kind for kind in (Answer, Evidence, *known)}
        self._adapters: dict[str, TypeAdapter[object]] = {}

    def encode(self, value: object) -> object:
        """Return the value as JSON has it; raise `BadInput` for what could not be read again."""
        if isinstance(value, _SCALARS):
            return value
        if isinstance(value, list):
            return [self.encode(item) for item in value]
        if isinstance(value, Mapping):
            pairs = {str(key): self.encode(item) for key, item in value.items()}
            return {"$map": pairs} if any(key.startswith("$") for key in pairs) else pairs
        name = type(value).__name__
        if self._types.get(name) is type(value):
            return {"$is": name, "value": plain(value)}
        return self._encode_other(value)

    def decode(self, data: object) -> object:
        """Return the value that `encode` was given, or raise `StoreCorrupt`."""
        try:
            return self._decode(data)
        except (ValueError, KeyError, TypeError) as error:
            raise StoreCorrupt("the saved state of a run cannot be read") from error

    def _encode_other(self, value: object) -> object:
        if isinstance(value, tuple):
            return {"$tuple": [self.encode(item) for item in value]}
        if isinstance(value, (set, frozenset)):
            return {"$set": sorted((self.encode(item) for item in value), key=json.dumps)}
        if isinstance(value, datetime):
            return {"$time": value.isoformat()}
        if isinstance(value, Decimal):
            return {"$decimal": str(value)}
        if isinstance(value, ChildResult):  # its state holds whatever a state may hold
            fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
            return {"$child": {name: self.encode(held) for name, held in fields.items()}}
        raise BadInput(
            f"a run that is saved cannot keep a {type(value).__name__} in its state",
            type=type(value).__name__,
        )

    def _decode(self, value: object) -> object:
        if isinstance(value, list):
            return [self._decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$is" in value:
            return self._adapter(value["$is"]).validate_python(value["value"])
        for tag, read in self._readers().items():
            if tag in value:
                return read(value[tag])
        return {key: self._decode(item) for key, item in value.items()}

    def _readers(self) -> dict[str, Callable[..., object]]:
        return {
            "$tuple": lambda items: tuple(self._decode(item) for item in items),
            "$set": lambda items: frozenset(self._decode(item) for item in items),
            "$map": lambda pairs: {key: self._decode(item) for key, item in pairs.items()},
            "$time": datetime.fromisoformat,
            "$decimal": Decimal,
            "$child": self._read_child,
        }

    def _read_child(self, fields: Mapping[str, object]) -> ChildResult:
        held: dict[str, Any] = {name: self._decode(value) for name, value in fields.items()}
        return ChildResult(**{**held, "status": ChildStatus(held["status"])})

    def _adapter(self, name: str) -> TypeAdapter[object]:
        if name not in self._adapters:
            from pydantic import TypeAdapter  # here, because most runs are never read again

            self._adapters[name] = TypeAdapter(self._types[name])
        return self._adapters[name]


def plain(value: object) -> object:
    """Return a value as bare JSON: dataclasses as objects, tuples and sets as lists.

    What has no such form is represented by its type's name.
    """
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=json.dumps)
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else f"<{type(value).__name__}>"


def summary(value: object) -> object:
    """Return a number or a truth as it is, anything else as a hash and a size.

    Texts are hashed however short they are: a patch may quote a document, an event must not.
    """
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = value if isinstance(value, str) else json.dumps(plain(value), sort_keys=True)
    size = len(value) if isinstance(value, (str, list, tuple, Mapping, set, frozenset)) else 1
    return {"hash": digest(text)[:16], "size": size}
