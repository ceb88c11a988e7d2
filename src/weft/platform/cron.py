"""Times that come again and again, written as cron writes them, by the clock of a place."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from weft.domain.errors import BadInput

_FIELDS = 5


def next_time(cron: str, zone: str, *, after: datetime) -> datetime:
    """Return the first time past `after`, in UTC, at which a cron expression is due in a zone.

    What falls into the hour that a change of clocks leaves out is due right after it; what falls
    into the hour that comes twice is due once. Raises `BadInput` where either is not valid, or no
    such time ever comes.
    """
    if len(cron.split()) != _FIELDS:
        raise BadInput(
            f"'{cron}' is no time of a schedule: minute, hour, day, month and weekday are said, "
            "as in '0 3 * * *' for three each night.",
            cron=cron,
        )
    here = after.astimezone(_zone(zone))
    try:
        found: datetime | None = next(CronSim(cron, here), None)
    except CronSimError as wrong:
        raise BadInput(f"'{cron}' is no time of a schedule: {wrong}", cron=cron) from wrong
    if found is None:
        raise BadInput(f"'{cron}' never comes.", cron=cron)
    return found.astimezone(UTC)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as wrong:
        raise BadInput(
            f"There is no time zone '{name}'; write it as Europe/Berlin or UTC.", zone=name
        ) from wrong
