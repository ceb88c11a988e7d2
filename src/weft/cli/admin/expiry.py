"""When a key expires, as people say it: after so many days, or on a day."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from weft.domain.errors import BadInput

_AFTER = re.compile(r"([1-9][0-9]{0,4})([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def expiry_of(said: str, *, now: datetime) -> datetime | None:
    """Return the time that `30d`, `12h`, `90m` or `2027-01-31` means; None for an empty text.

    A day without a time is over as it begins, in UTC. Raises `BadInput` for anything else, and for
    a time that is past.
    """
    if not said:
        return None
    if after := _AFTER.fullmatch(said):
        return now + timedelta(**{_UNITS[after[2]]: int(after[1])})
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        raise BadInput(
            f"--expires '{said[:40]}' is no time; write it as 30d, 12h or 2027-01-31.",
            expires=said[:40],
        ) from None
    found = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    if found <= now:
        raise BadInput(f"--expires {said} is past.", expires=said)
    return found
