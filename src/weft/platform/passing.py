"""Which errors may be gone in a while: what else failed fails the same way a second time."""

from __future__ import annotations

from weft.domain.errors import (
    InUse,
    ModelUnavailable,
    StoreCorrupt,
    StoreUnavailable,
    StoreUnwritable,
    WeftError,
    WeightsMissing,
)

_PASSING = (StoreUnavailable, ModelUnavailable, InUse)
_LASTING = (StoreCorrupt, StoreUnwritable, WeightsMissing)
# Of a model's refusals: not in time, in conflict, too many, and whatever is its own fault.
_PASSING_STATUS = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500


def is_passing(error: BaseException) -> bool:
    """Tell whether trying again may help: a store busy or away, a model overloaded, a file in use.

    A model that refuses a key, a name or a request, a full disk and a damaged file stay so.
    """
    if not isinstance(error, _PASSING) or isinstance(error, _LASTING):
        return False
    status = error.fields.get("status")
    return not isinstance(status, int) or status >= _SERVER_FAULT or status in _PASSING_STATUS


def is_worth_waiting(error: WeftError) -> bool:
    """Tell whether a job may be done later: what passes by itself, or once somebody makes room."""
    return is_passing(error) or isinstance(error, StoreUnwritable)
