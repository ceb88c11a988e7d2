"""Where ingestion is killed: every step, before it, after it, and inside the transaction."""

from __future__ import annotations

import functools
import inspect
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Point:
    """One place: the process ends at the n-th call of `target`, `when` before or after it.

    With `argument`, only calls count that have it, or a path of that name, among their arguments.
    """

    step: str
    target: str
    when: str = "after"
    nth: int = 1
    argument: str = ""

    @property
    def label(self) -> str:
        """Return the point in words."""
        what = self.argument or self.target.rpartition(":")[2]
        return f"{self.when} {what} #{self.nth}"


_FEED = "weft.adapters.sqlite"
_STATEMENT = f"{_FEED}.database:Connection"
_RECORDS = "weft.adapters.sql"


def _inside(query: str, how: str = "each", nth: int = 1) -> Point:
    step = "publish: inside the transaction"
    return Point(step=step, target=f"{_STATEMENT}.{how}", argument=query, nth=nth)


POINTS: tuple[Point, ...] = (
    Point(step="open", target=f"{_STATEMENT}.script"),
    Point(step="open", target=f"{_FEED}.store:_prepare"),
    Point(step="plan", target="weft.ingest.jobs.ingestion:made_plan", when="before"),
    Point(step="plan", target="weft.ingest.jobs.ingestion:made_plan"),
    Point(step="job taken", target=f"{_RECORDS}.jobs:SqlJobs.enqueue"),
    Point(step="job taken", target=f"{_RECORDS}.worklist:SqlWorklist.claim"),
    Point(step="fence", target=f"{_FEED}.publishing:SqlitePublishing.issue_fence"),
    Point(step="read", target="weft.adapters.reader.reader:ChildReader.read", when="before", nth=3),
    Point(step="read", target="weft.adapters.reader.process:Child._message", when="before", nth=4),
    Point(step="read", target="weft.adapters.reader.reader:ChildReader.read", nth=2),
    Point(step="split", target="weft.ingest.pipeline:split_into", when="before", nth=2),
    Point(step="split", target="weft.ingest.pipeline:split_into", nth=3),
    Point(step="embed", target="fault.workshop:HashEmbedder.passages", when="before"),
    Point(step="embed", target="fault.workshop:HashEmbedder.passages", nth=2),
    Point(step="facts", target="weft.ingest.pipeline:facts_of"),
    Point(step="extract", target="weft.extraction.ladder.ladder:Ladder.climb", when="before"),
    Point(step="extract", target="weft.extraction.ladder.ladder:Ladder.climb", nth=2),
    _inside("bump", "run"),
    _inside("drop_chunks", "run"),
    _inside("put_document", "run"),
    _inside("put_chunk"),
    _inside("put_mention"),
    _inside("put_handle"),
    _inside("mark_deleted", "run"),
    _inside("reclassify_chunks", "run"),
    Point(step="publish: before commit", target=f"{_FEED}.publishing:_publish", nth=2),
    Point(
        step="publish: committed, no ledger row",
        target=f"{_FEED}.publishing:SqlitePublishing.publish",
        nth=2,
    ),
    Point(step="delete: tapes emptied", target=f"{_RECORDS}.tape:SqlTape.forget"),
    Point(
        step="delete: committed, no ledger row",
        target=f"{_RECORDS}.tape:SqlTape.forget",
        when="before",
        nth=2,
    ),
    Point(
        step="reclassify: committed, no ledger row",
        target=f"{_FEED}.publishing:SqlitePublishing.reclassify",
    ),
    Point(step="ledger", target=f"{_STATEMENT}.run", argument="put_file"),
    Point(step="ledger", target=f"{_FEED}.ledger:SqliteLedger.record"),
    Point(step="snapshot", target=f"{_FEED}.segment_files:_write_segment", when="before"),
    Point(step="snapshot", target=f"{_FEED}.segment_files:put_in_place", when="before", nth=2),
    Point(step="snapshot: segment written", target=f"{_FEED}.segment_files:_write_segment"),
    Point(
        step="snapshot: before the rename",
        target=f"{_FEED}.segment_files:put_in_place",
        argument="manifest.tmp",
    ),
    Point(step="snapshot: after the rename", target=f"{_FEED}.segment_files:_sweep", when="before"),
    Point(step="job ended", target=f"{_RECORDS}.worklist:SqlWorklist.finish", when="before"),
    Point(step="job ended", target=f"{_RECORDS}.worklist:SqlWorklist.finish"),
)


def arm(point: Point) -> None:
    """Make this process end without a farewell at a point."""
    intercept(point, lambda: os.kill(os.getpid(), signal.SIGKILL))


def intercept(point: Point, act: Callable[[], object]) -> None:
    """Call `act` at a point, every time it is reached for the n-th time."""
    module, _, path = point.target.partition(":")
    *owners, name = path.split(".")
    owner = functools.reduce(getattr, owners, import_module(module))
    original = getattr(owner, name)
    left = point.nth

    def reached(when: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        names = [each.name if isinstance(each, Path) else each for each in arguments]
        if when == point.when and (not point.argument or point.argument in names):
            left -= 1
            if left == 0:
                act()

    setattr(owner, name, _around(original, reached))


def _around(original: Any, reached: Callable[[str, tuple[object, ...]], None]) -> Any:
    if inspect.iscoroutinefunction(original):

        async def waited(*arguments: Any, **named: Any) -> Any:
            reached("before", arguments)
            result = await original(*arguments, **named)
            reached("after", arguments)
            return result

        return waited

    def called(*arguments: Any, **named: Any) -> Any:
        reached("before", arguments)
        result = original(*arguments, **named)
        reached("after", arguments)
        return result

    return called
