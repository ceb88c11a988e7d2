"""The worker: takes jobs of every kind that it knows, of any tenant, a few of a kind at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from weft.domain.errors import Cancelled, FenceRefused, WeftError
from weft.platform.lease import LEASE_SECONDS
from weft.ports.records.jobs import Job
from weft.ports.records.timetable import Timetable
from weft.ports.records.worklist import Worklist, lease_of

_IDLE_SECONDS = 2.0
# Schedules tell minutes.
_LOOK_SECONDS = 5.0


class JobHandler(Protocol):
    """Does jobs of one kind: those whose kind begins with `kind`, which ends in `:`.

    A worker does as many at a time as there are `lanes`. What follows the `:` names what a job
    works on; `each_at_once` is how many jobs may work on the same, over all workers, None any.
    """

    kind: str
    lanes: int
    each_at_once: int | None

    async def work_on(self, job: Job) -> None:
        """Do a claimed job with the rights that whoever asked for it has now.

        Its end is in its row. Raises `FenceRefused` when another worker took over, and the errors
        from before the work began.
        """
        ...


class Worker:
    """Works on what waits in line as long as its process runs."""

    def __init__(
        self,
        worklist: Worklist,
        *,
        worker: str,
        handlers: Sequence[JobHandler] = (),
        timetable: Timetable | None = None,
    ) -> None:
        """Begin nothing yet; `worker` names this process.

        With a `timetable` it also puts in line what is due of it.
        """
        self._worklist = worklist
        self._timetable = timetable
        self._worker = worker
        # Each kind has a line of its own: a question does not wait behind a long ingestion.
        self._lines = [(handler, asyncio.Event()) for handler in handlers]
        self._is_on = False

    @property
    def is_on(self) -> bool:
        """Tell whether somebody is at work, or waits for it."""
        return self._is_on

    def ring(self) -> None:
        """Say that there is new work."""
        for _, bell in self._lines:
            bell.set()

    async def work(self) -> None:
        """Take jobs until it is cancelled; a job that fails says so in its own row."""
        self._is_on = True
        try:
            async with asyncio.TaskGroup() as lines:
                if self._timetable is not None:
                    lines.create_task(self._by_the_clock(self._timetable))
                for handler, bell in self._lines:
                    for _ in range(handler.lanes):
                        lines.create_task(self._in_line(handler, bell))
        finally:
            self._is_on = False

    async def work_off(self) -> None:
        """Take jobs until none is left that may be begun now, those included that are due."""
        if self._timetable is not None:
            await self._timetable.begin_due()
        async with asyncio.TaskGroup() as lines:
            for handler, _ in self._lines:
                for _ in range(handler.lanes):
                    lines.create_task(self._until_none(handler))

    async def _until_none(self, handler: JobHandler) -> None:
        while await self._one(handler):
            pass

    async def _by_the_clock(self, timetable: Timetable) -> None:
        while True:
            with suppress(WeftError):  # the records do not answer: the next look comes soon
                if await timetable.begin_due():
                    self.ring()
            await asyncio.sleep(_LOOK_SECONDS)

    async def _in_line(self, handler: JobHandler, bell: asyncio.Event) -> None:
        while True:
            bell.clear()
            await self._until_none(handler)
            with suppress(TimeoutError):
                await asyncio.wait_for(bell.wait(), _IDLE_SECONDS)

    async def _one(self, handler: JobHandler) -> bool:
        """Work on one job; False when there is none, or the records do not answer."""
        try:
            job = await self._worklist.claim(
                self._worker,
                kinds=[handler.kind],
                lease_seconds=LEASE_SECONDS,
                each_at_once=handler.each_at_once,
            )
        except WeftError:
            return False
        if job is None:
            return False
        try:
            await handler.work_on(job)
        except Cancelled:
            pass  # its row says so
        except WeftError as error:
            await self._fail(job, error)
        return True

    async def _fail(self, job: Job, error: WeftError) -> None:
        """Note a failure from before the work began; a later one is noted, or no longer ours."""
        with suppress(WeftError):
            if isinstance(error, FenceRefused):  # a small request went first: begin again
                await self._worklist.release(lease_of(job))
                return
            await self._worklist.fail(lease_of(job), error=error.message, may_retry=False)
