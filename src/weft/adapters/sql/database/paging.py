"""Where a page of a list ends: a time and, among rows of one time, a key."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, ColumnElement, and_, or_

from weft.adapters.sql.database.columns import clean, microseconds, moment
from weft.domain.errors import BadInput

_DIGITS = 17  # a number of microseconds that long is still a date


def cursor_of(time: datetime, key: str) -> str:
    """Return the cursor of the row that a page ends with."""
    return f"{microseconds(time)}:{key}"


def before(cursor: str, *, time: Column[datetime], key: Column[str]) -> ColumnElement[bool]:
    """Return the condition for rows past a cursor, in falling order of `time` and `key`.

    Raises `BadInput` for what is no cursor.
    """
    number, _, last = cursor.partition(":")
    if not (number.isascii() and number.isdigit() and len(number) <= _DIGITS):
        raise BadInput("The cursor is not one of this list.", cursor=cursor)
    then = moment(int(number))
    return or_(time < then, and_(time == then, key < clean(last)))
