"""Runs as they happen: the record of runs, and in this process those who watch it grow."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from weft.domain.event import RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import Run, RunFilter, RunHeader, RunPage, Runs, RunStatus

Feed = asyncio.Queue[RunEvent]
Tap = Callable[[Sequence[RunEvent]], None]


class LiveRuns:
    """The port `Runs`, which also tells watchers of each event once it is on the record.

    A watcher has the run's id from the run itself or has read the run under its scope before.
    """

    def __init__(self, runs: Runs, taps: Sequence[Tap] = ()) -> None:
        """Keep runs where `runs` keeps them; `taps` hear every event of every run."""
        self._runs = runs
        self._taps = taps
        self._feeds: defaultdict[RunId, list[Feed]] = defaultdict(list)

    @contextmanager
    def watching(self, run_id: RunId) -> Iterator[Feed]:
        """Give a feed of the run's events from now on, as long as the block lasts."""
        feed: Feed = asyncio.Queue()
        self._feeds[run_id].append(feed)
        try:
            yield feed
        finally:
            self._feeds[run_id].remove(feed)
            if not self._feeds[run_id]:
                del self._feeds[run_id]

    async def create(self, scope: Scope, header: RunHeader) -> None:
        """Begin a run of the caller."""
        await self._runs.create(scope, header)

    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        """Add events of one run, then tell its watchers."""
        await self._runs.append(scope, events)
        for tap in self._taps:
            tap(events)
        for event in events:
            for feed in self._feeds.get(event.run_id, ()):
                feed.put_nowait(event)

    async def finish(
        self, scope: Scope, run_id: RunId, *, status: RunStatus, summary: Mapping[str, object]
    ) -> None:
        """End a run."""
        await self._runs.finish(scope, run_id, status=status, summary=summary)

    async def get(self, scope: Scope, run_id: RunId) -> Run:
        """Return a run, or raise `NotFound`."""
        return await self._runs.get(scope, run_id)

    async def newest(
        self, scope: Scope, *, limit: int, cursor: str = "", wanted: RunFilter | None = None
    ) -> RunPage:
        """Return the readable runs that are wanted, the newest first."""
        return await self._runs.newest(scope, limit=limit, cursor=cursor, wanted=wanted)

    async def events(self, scope: Scope, run_id: RunId, *, after_seq: int = 0) -> list[RunEvent]:
        """Return a run's events past `after_seq`, in order."""
        return await self._runs.events(scope, run_id, after_seq=after_seq)

    async def save_frontier(
        self,
        scope: Scope,
        run_id: RunId,
        *,
        frontier: Mapping[str, object],
        status: RunStatus = RunStatus.RUNNING,
    ) -> None:
        """Keep where a run stands."""
        await self._runs.save_frontier(scope, run_id, frontier=frontier, status=status)

    async def load_frontier(self, scope: Scope, run_id: RunId) -> Mapping[str, object] | None:
        """Return where the caller's run stands."""
        return await self._runs.load_frontier(scope, run_id)

    async def erase(self, scope: Scope, run_id: RunId) -> None:
        """Erase a run of the caller."""
        await self._runs.erase(scope, run_id)


async def told(feed: Feed, run: asyncio.Future[Any]) -> AsyncIterator[RunEvent]:
    """Yield a run's events until it has ended; a failure is the run's own to tell."""
    while True:
        getting = asyncio.ensure_future(feed.get())
        try:
            await asyncio.wait({getting, run}, return_when=asyncio.FIRST_COMPLETED)
            if getting.done():
                yield getting.result()
                continue
        finally:
            getting.cancel()
        while not feed.empty():
            yield feed.get_nowait()
        return
