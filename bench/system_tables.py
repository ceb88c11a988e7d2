"""Tables made of files that Debian's packages bring: releases, time zones, colours, countries."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

Row = Sequence[object]
_PLACE = re.compile(r"([+-]\d+)([+-]\d+)")
_COLOUR = re.compile(r"\s*(\d+)\s+(\d+)\s+(\d+)\s+(.+?)\s*$")
_NOT_PLAIN = re.compile(r"\d|grey")


def _write(target: Path, head: str, rows: Iterable[Row]) -> None:
    """Write rows below a head as CSV."""
    with target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(head.split())
        writer.writerows(rows)


def releases(found: Path, target: Path) -> None:
    """Write the releases of Ubuntu with the days of their ends."""
    with found.open(encoding="utf-8") as source:
        rows = [row for row in csv.reader(source) if row][1:]
    head = (
        "version lts codename series development_start release_date end_of_support"
        " end_of_server_support end_of_extended_maintenance"
    )
    _write(target, head, (_release(row) for row in rows))


def _release(row: Sequence[str]) -> Row:
    ends = [*row[6:8], "", ""][:2]
    lts = "yes" if "LTS" in row[0] else "no"
    return [row[0].replace(" LTS", ""), lts, *row[1:6], *ends]


def time_zones(found: Path, target: Path) -> None:
    """Write the time zones with where they lie and how far they are from UTC in 2024."""
    codes = (found.parent / "iso3166.tab").read_text(encoding="utf-8").splitlines()
    names = dict(line.split("\t")[:2] for line in codes if not line.startswith("#"))
    lines = found.read_text(encoding="utf-8").splitlines()
    head = (
        "timezone region main_country countries_covered latitude longitude utc_offset_january"
        " utc_offset_july clock_change"
    )
    _write(target, head, (_zone(one.split("\t"), names) for one in lines if one[:1] != "#"))


def _zone(row: Sequence[str], names: dict[str, str]) -> Row:
    codes, zone = row[0].split(","), ZoneInfo(row[2])
    place = _PLACE.match(row[1])
    assert place is not None
    winter, summer = (_offset(zone, month) for month in (1, 7))
    moved = "yes" if winter != summer else "no"
    where = [round(_degrees(one), 2) for one in place.groups()]
    region = row[2].partition("/")[0]
    return [row[2], region, names[codes[0]], len(codes), *where, winter, summer, moved]


def _offset(zone: ZoneInfo, month: int) -> float:
    away = datetime(2024, month, 15, tzinfo=zone).utcoffset()
    assert away is not None
    return away.total_seconds() / 3600


def _degrees(said: str) -> float:
    sign, digits = -1 if said[0] == "-" else 1, said[1:]
    if len(digits) <= len("DDDMM"):
        return sign * (int(digits[:-2]) + int(digits[-2:]) / 60)
    return sign * (int(digits[:-4]) + int(digits[-4:-2]) / 60 + int(digits[-2:]) / 3600)


def colours(found: Path, target: Path) -> None:
    """Write the named colours of X11, each once."""
    lines = found.read_text(encoding="utf-8").splitlines()
    _write(target, "colour red green blue hex_code", _colours(lines))


def _colours(lines: Iterable[str]) -> Iterator[Row]:
    known = {"navyblue"}
    for match in filter(None, map(_COLOUR.match, lines)):
        name, parts = match[4], [int(match[at]) for at in (1, 2, 3)]
        key = name.lower().replace(" ", "")
        if key not in known and not _NOT_PLAIN.search(name):
            known.add(key)
            yield [name, *parts, "#" + "".join(f"{one:02x}" for one in parts)]


def former_countries(found: Path, target: Path) -> None:
    """Write the countries whose codes were withdrawn."""
    records = json.loads(found.read_text(encoding="utf-8"))["3166-3"]
    head = (
        "name old_two_letter_code old_three_letter_code four_letter_code old_number"
        " withdrawal_date withdrawal_year comment"
    )
    keys = ("name", "alpha_2", "alpha_3", "alpha_4", "numeric", "withdrawal_date")
    rows = (
        [*(one.get(key) or "" for key in keys), one["withdrawal_date"][:4], one.get("comment", "")]
        for one in records
    )
    _write(target, head, rows)


MAKERS: dict[str, Callable[[Path, Path], None]] = {
    "releases": releases,
    "time zones": time_zones,
    "colours": colours,
    "former countries": former_countries,
}
