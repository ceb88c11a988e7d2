"""A run's state and how it changes: one rule for both engines."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from weft.domain.errors import WeftError

ERRORS = "errors"


def merge(state: Mapping[str, object], patch: Mapping[str, object]) -> Mapping[str, object]:
    """Return the state after a patch; neither argument changes, and the result cannot be.

    A list in the patch is appended to the tuple under its key (or begins one); anything else
    replaces what is there.
    """
    merged = dict(state)
    for key, value in patch.items():
        merged[key] = _appended(merged.get(key), value) if isinstance(value, list) else value
    return MappingProxyType(merged)


def _appended(before: object, added: list[object]) -> tuple[object, ...]:
    return (*before, *added) if isinstance(before, tuple) else tuple(added)


def failure_patch(path: str, error: WeftError) -> Mapping[str, object]:
    """Return the patch that records an optional node's failure under `errors`."""
    return {ERRORS: [failure_data(path, error)]}


def failure_data(path: str, error: WeftError) -> dict[str, object]:
    """Return a failure as JSON: the node's path, the error's code and its message."""
    return {"node": path, "code": error.code, "message": error.message}
