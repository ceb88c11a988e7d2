"""Pages of lists: cursors that mean something to this service alone."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field

from weft.domain.errors import BadInput

Limit = Annotated[int, Query(ge=1, le=200, description="The most items of a page.")]
Cursor = Annotated[
    str, Query(max_length=2000, description="`next` of the page before; empty for the first.")
]


class Paging(BaseModel):
    """Which page of a list."""

    limit: Annotated[int, Field(ge=1, le=200, description="The most items of a page.")] = 50
    cursor: Annotated[
        str,
        Field(max_length=2000, description="`next` of the page before; empty for the first."),
    ] = ""


def cursor_of(place: str) -> str:
    """Return a place in a list as a cursor."""
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def place_of(cursor: str) -> str:
    """Return the place that a cursor names, empty for the start; raises `BadInput`."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise BadInput("cursor: it was not given out here.") from error
