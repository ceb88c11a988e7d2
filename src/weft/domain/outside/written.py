"""Values as plain data: what JSON has, with the names of their fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from typing import Any


def fields_of(value: object) -> dict[str, Any]:
    """Return the fields of a frozen value by name, in order, each as plain data."""
    assert dataclasses.is_dataclass(value)
    return {field.name: written(getattr(value, field.name)) for field in dataclasses.fields(value)}


def written(value: object) -> object:
    """Return anything as plain data: a value by its fields, a choice as what it stands for."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [written(item) for item in value]
    if isinstance(value, Mapping):
        return {key: written(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return fields_of(value)
    return str(value) if isinstance(value, Decimal) else value
