"""One worker's turn at a job: it holds the lease while the work runs, and stops when told to."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress

from weft.domain.errors import Cancelled, FenceRefused, StoreUnavailable, WeftError
from weft.platform.passing import is_worth_waiting
from weft.ports.records.worklist import Lease, Worklist

LEASE_SECONDS = 6.0
_BEAT = 1.5

Report = Mapping[str, object]


class LeasedJob:
    """Keeps the worklist informed of one job; reports and results are JSON."""

    def __init__(self, worklist: Worklist, lease: Lease) -> None:
        """Take the worklist, and the right to work on the job."""
        self._worklist = worklist
        self._lease = lease
        self._latest: Report = {}
        self._stopped = False
        self._lost = False

    def see(self, report: Report) -> None:
        """Take a report of how far the work has come."""
        self._latest = report

    async def hold(
        self, work: Coroutine[object, object, Report], *, may_retry: bool = False
    ) -> Report:
        """Run the work to its end and write down how it ended.

        With `may_retry` a job that failed for a store or a model that does not answer is put in
        line again, later each time, as often as the job allows.

        Raises `FenceRefused` when another worker took over, `Cancelled` when someone stopped it or
        wants it to stand still.
        """
        running = asyncio.create_task(work)
        beating = asyncio.create_task(self._beat(running))
        try:
            done = await running
        except asyncio.CancelledError:
            if self._lost:
                raise FenceRefused(job=self._lease.job_id) from None
            with suppress(FenceRefused, StoreUnavailable):  # the lease runs out by itself
                await self._worklist.release(self._lease)
            if self._stopped:
                raise Cancelled("The job was cancelled.") from None
            raise
        except FenceRefused:
            raise
        except WeftError as error:
            with suppress(StoreUnavailable):  # what went wrong first is what is told
                again = may_retry and is_worth_waiting(error)
                await self._worklist.fail(self._lease, error=error.message, may_retry=again)
            raise
        finally:
            beating.cancel()
        await self._worklist.finish(self._lease, done)
        return done

    async def _beat(self, running: asyncio.Task[Report]) -> None:
        while not (self._stopped or self._lost):
            await asyncio.sleep(_BEAT)
            try:
                self._stopped = await self._worklist.heartbeat(
                    self._lease, lease_seconds=LEASE_SECONDS
                )
                if self._latest:
                    await self._worklist.progress(self._lease, self._latest)
            except FenceRefused:
                self._lost = True
            except StoreUnavailable:
                continue  # the next beat may come through before the lease has run out
        running.cancel()
