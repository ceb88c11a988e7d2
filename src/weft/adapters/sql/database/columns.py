"""How values lie in the columns of the records, and which revision of the tables is the newest."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

REVISION = "0011"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """Return an aware time as microseconds since 1970: exact, and in the order of time."""
    return (moment - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """Return the time that `microseconds` made a number of, in UTC."""
    return _EPOCH + value * _MICROSECOND


def clean(text: str) -> str:
    """Return a text that every database takes: no NUL, no half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def as_json(value: object) -> str:
    """Return a value as JSON text: ASCII, so that any string can be in it, keys in order."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, sort_keys=True)
