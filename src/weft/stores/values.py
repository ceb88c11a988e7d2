"""What one column holds, checked: numbers, bytes, lists."""

from __future__ import annotations

import json
from collections.abc import Sequence

Row = Sequence[object]


class Misshapen(ValueError):
    """A column does not hold what it must."""


def whole(value: object) -> int:
    """Return a column that holds an integer; raises `Misshapen`."""
    if not isinstance(value, int):
        raise Misshapen(f"a column of integers holds {type(value).__name__}")
    return value


def binary(value: object) -> bytes:
    """Return a column that holds bytes; raises `Misshapen`."""
    if not isinstance(value, bytes | bytearray):
        raise Misshapen(f"a column of bytes holds {type(value).__name__}")
    return bytes(value)


def listed(value: object) -> list[object]:
    """Return a column that holds a list; raises `Misshapen`."""
    if not isinstance(value, list):
        raise Misshapen(f"a list was expected, not {type(value).__name__}")
    return value


def texts(value: object) -> list[str]:
    """Return a column that holds texts: a list of them, or the JSON of one."""
    found = json.loads(value) if isinstance(value, str) else value
    return [str(each) for each in listed(found)]
