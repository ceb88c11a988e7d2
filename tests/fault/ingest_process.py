"""A process that ingests a folder, and may end on its way: HOME FOLDER LOG [TURN POINT].

With a turn and a point it first brings in what is there, then edits the folder by that turn,
ingests again and is killed at that point. Without them it ends by itself.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from time import time

from fault.corpus import edit
from fault.kill_points import POINTS, Point, arm, intercept
from fault.workshop import workshop

PUBLISH = Point(step="", target="weft.adapters.sqlite.publishing:SqlitePublishing.publish")


def _note(log: Path, what: str) -> None:
    with log.open("a") as file:
        file.write(f"{time()} {what}\n")


async def _ingest(home: Path, folder: Path, log: Path, *turn: int) -> None:
    async with workshop(home) as shop:
        await shop.bring_in(folder)
        _note(log, "done")
        if turn:
            edit(folder, turn[0])
            arm(POINTS[turn[1]])
            await shop.bring_in(folder)


def main(home: Path, folder: Path, log: Path, *turn: int) -> None:
    """Ingest; the log gets a line when a document is published first and when all are."""
    intercept(PUBLISH, lambda: _note(log, "published"))
    if turn and POINTS[turn[1]].step == "open":
        arm(POINTS[turn[1]])
    asyncio.run(_ingest(home, folder, log, *turn))


if __name__ == "__main__":
    places = [Path(argument) for argument in sys.argv[1:4]]
    main(places[0], places[1], places[2], *map(int, sys.argv[4:]))
