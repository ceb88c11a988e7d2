"""Times that come again: by the clock of a place, over changes of clocks, always later."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.errors import BadInput
from weft.platform.cron import next_time

BERLIN = "Europe/Berlin"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("cron", "zone", "after", "due"),
    [
        ("0 3 * * *", "UTC", "2026-03-01 02:59", "2026-03-01 03:00"),
        ("0 3 * * *", "UTC", "2026-03-01 03:00", "2026-03-02 03:00"),
        ("0 3 * * *", BERLIN, "2026-01-10 00:00", "2026-01-10 02:00"),
        ("0 3 * * *", BERLIN, "2026-07-10 00:00", "2026-07-10 01:00"),
        ("30 9 * * 1-5", "Asia/Seoul", "2026-11-20 00:30", "2026-11-23 00:30"),
        # Half past two does not come that night: it is due when it would have been past.
        ("30 2 * * *", BERLIN, "2026-03-28 12:00", "2026-03-29 01:00"),
        # It comes twice, and is due at the first.
        ("30 2 * * *", BERLIN, "2026-10-24 12:00", "2026-10-25 00:30"),
        ("30 2 * * *", BERLIN, "2026-10-25 00:30", "2026-10-26 01:30"),
    ],
)
def test_the_next_time(cron: str, zone: str, after: str, due: str) -> None:
    assert next_time(cron, zone, after=utc(after)) == utc(due)


@given(
    st.integers(0, 20 * 366 * 24 * 60),
    st.sampled_from(["UTC", BERLIN, "Asia/Seoul", "America/New_York"]),
    st.sampled_from(["* * * * *", "*/7 1-5 * * *", "0 0 29 2 *", "15 14 1 * *", "0 22 * * 1-5"]),
)
def test_it_is_always_later_and_comes_again(minutes: int, zone: str, cron: str) -> None:
    now = utc("2020-01-01 00:00") + timedelta(minutes=minutes)
    due = next_time(cron, zone, after=now)
    assert now < due < now + timedelta(days=9 * 366)
    assert next_time(cron, zone, after=due) > due
    assert (due.second, due.microsecond) == (0, 0)


@pytest.mark.parametrize(
    "cron", ["", "* * * *", "* * * * * *", "60 * * * *", "x * * * *", "@daily"]
)
def test_what_is_no_time_is_named(cron: str) -> None:
    with pytest.raises(BadInput, match="no time of a schedule"):
        next_time(cron, "UTC", after=utc("2026-01-01 00:00"))


@pytest.mark.parametrize("zone", ["", "Nowhere/Land", "../../etc/passwd", "Europe", "\0"])
def test_a_zone_that_is_not_there_is_named(zone: str) -> None:
    with pytest.raises(BadInput, match="no time zone"):
        next_time("* * * * *", zone, after=utc("2026-01-01 00:00"))
