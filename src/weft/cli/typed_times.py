"""Times as people type them."""

from __future__ import annotations

from datetime import datetime, timedelta

from weft.domain.errors import BadInput


def typed_time(text: str, option: str, *, is_end: bool = False) -> datetime | None:
    """Return a time in the zone of whoever typed it; a day that ends something is all of it."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise BadInput(
            f"--{option}: '{text}' is no time; write it as 2026-11-21 or 2026-11-21T14:30.",
            option=option,
        ) from None
    is_day = len(text) == len("2026-11-21")
    return found + timedelta(days=1) if is_end and is_day else found
