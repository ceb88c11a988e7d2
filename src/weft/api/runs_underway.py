"""Answering runs under way: begun, watched, cancelled, and let go when nobody waits for them."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any

from fastapi import Request

from weft.api.host import Host, reading_rights
from weft.domain.errors import Cancelled, TooManyRequests, VersionConflict, WeftError
from weft.domain.event import RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking, FlowOutcome
from weft.platform.people.watching import while_allowed
from weft.runtime.live_runs import Feed, told

MAX_OPEN = 256
_AT_ONCE = 16
_GRACE_SECONDS = 2.0
Work = Callable[[Asking], Coroutine[Any, Any, FlowOutcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """A run under way: its outcome to be, and its events as they come."""

    run_id: RunId
    task: asyncio.Task[FlowOutcome]
    feed: Feed

    def events(self) -> AsyncIterator[RunEvent]:
        """Yield the run's events until it has ended; a failure is the task's to tell."""
        return told(self.feed, self.task)


class Answerings:
    """The answering runs of this service, at most `MAX_OPEN` of each caller."""

    def __init__(self, host: Host) -> None:
        """Begin with none."""
        self._host = host
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._open: Counter[tuple[str, str]] = Counter()
        self._tasks: dict[tuple[str, str, RunId], asyncio.Task[FlowOutcome]] = {}

    async def begin(self, scope: Scope, asking: Asking, work: Work) -> Answering:
        """Begin a run, or raise `TooManyRequests`; to be ended by `finished` or `let_go`.

        `asking` is named here, and its record is there when this returns.
        """
        caller = (scope.tenant, scope.actor)
        if self._open[caller] >= MAX_OPEN:
            raise TooManyRequests(f"{MAX_OPEN} questions of yours are being answered already.")
        run_id = RunId(secrets.token_hex(8))
        watching = self._host.runs.watching(run_id)
        feed = watching.__enter__()
        recorded = asyncio.Event()
        named = replace(asking, run_id=run_id)
        task = asyncio.create_task(self._held(scope, named, work=work, recorded=recorded))
        self._open[caller] += 1
        self._tasks[*caller, run_id] = task
        self._host.meters.open_runs.inc()

        def end(done: asyncio.Task[FlowOutcome]) -> None:
            watching.__exit__(None, None, None)
            self._open[caller] -= 1
            del self._tasks[*caller, run_id]
            self._host.meters.open_runs.dec()
            self._host.meters.run_ended(_status(done))
            recorded.set()  # or it could not be: the task tells why

        task.add_done_callback(end)
        running = Answering(run_id=run_id, task=task, feed=feed)
        try:
            await recorded.wait()
        except asyncio.CancelledError:
            await self.let_go(running)
            raise
        return running

    async def finished(self, request: Request, running: Answering) -> FlowOutcome:
        """Return what a run gave; a caller that goes away takes the run with it."""
        leaving = asyncio.create_task(_disconnected(request))
        try:
            await asyncio.wait({running.task, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not running.task.done():
                raise Cancelled("The caller went away.")
            return _outcome(running.task)
        finally:
            leaving.cancel()
            await self.let_go(running)

    async def let_go(self, running: Answering) -> None:
        """End a run that nobody waits for; at once if it has ended already."""
        await _ended(running.task)

    def holds(self, scope: Scope, run_id: RunId) -> bool:
        """Tell whether a run of the caller goes on here."""
        return (scope.tenant, scope.actor, run_id) in self._tasks

    async def cancel(self, scope: Scope, run_id: RunId) -> bool:
        """End a run of the caller within two seconds; False if it is none of its own."""
        task = self._tasks.get((scope.tenant, scope.actor, run_id))
        if task is None:
            return False
        await _ended(task)
        return True

    async def close(self) -> None:
        """End all runs."""
        await asyncio.gather(*(_ended(task) for task in list(self._tasks.values())))

    async def _held(
        self, scope: Scope, asking: Asking, *, work: Work, recorded: asyncio.Event
    ) -> FlowOutcome:
        run_id = asking.run_id
        assert run_id is not None
        async with self._host.flows.recorded(scope, asking):
            recorded.set()
            async with self._slots:
                # What the run has read must stay readable to its end.
                return await while_allowed(
                    lambda: reading_rights(self._host).hold(scope, run_id),
                    work(asking),
                    refusal=_changed,
                )


def _changed() -> WeftError:
    """Return why a run ends of which something that it read is there no more.

    Whether that was taken back or closed to the caller is told to nobody; who asks again is
    answered from what is left.
    """
    return VersionConflict(
        "What the answer was being made from was changed or taken back meanwhile; ask again.",
        reason="what it read was changed",
    )


async def _ended(task: asyncio.Task[FlowOutcome]) -> None:
    task.cancel()
    # Shielded by `wait`: whoever is cancelled here does not hold up the run's own end.
    await asyncio.wait({task}, timeout=_GRACE_SECONDS)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _outcome(task: asyncio.Task[FlowOutcome]) -> FlowOutcome:
    if task.cancelled():
        raise Cancelled("The run was cancelled.")
    return task.result()


def outcome_of(running: Answering) -> FlowOutcome:
    """Return what a run that has ended gave; raises what it raised, `Cancelled` if it was."""
    return _outcome(running.task)


def _status(done: asyncio.Task[FlowOutcome]) -> str:
    if done.cancelled():
        return "cancelled"
    return "failed" if done.exception() is not None else "finished"
