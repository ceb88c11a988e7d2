"""A process that ingests a folder, and may be told where to end: HOME FOLDER LOG [POINT-NUMBER]."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from time import time

from fault.kill_points import POINTS, Point, arm, intercept
from fault.workshop import workshop


def _note(log: Path, what: str) -> None:
    with log.open("a") as file:
        file.write(f"{time()} {what}\n")


async def _ingest(home: Path, folder: Path) -> None:
    async with workshop(home) as house:
        await house.bring_in(folder)


def main(home: Path, folder: Path, log: Path, *numbers: str) -> None:
    """Ingest; the log gets a line when the first document is published and when all is done."""
    first = Point(step="", target="weft.adapters.sqlite.publishing:SqlitePublishing.publish")
    intercept(first, lambda: _note(log, "published"))
    for number in numbers:
        arm(POINTS[int(number)])
    asyncio.run(_ingest(home, folder))
    _note(log, "done")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]), *sys.argv[4:])
