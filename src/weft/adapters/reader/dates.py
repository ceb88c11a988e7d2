"""Points in time as sources write them."""

from __future__ import annotations

from datetime import UTC, date, datetime


def instant(value: object) -> datetime | None:
    """Return an ISO date or time as aware UTC (without a zone: UTC), None for anything else."""
    if isinstance(value, datetime):
        return _utc(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, str):
        return None
    try:
        return _utc(datetime.fromisoformat(value.strip()))
    except ValueError:
        return None


def _utc(moment: datetime) -> datetime | None:
    try:
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (OverflowError, ValueError):  # the first and the last hours that a calendar can hold
        return None
