"""Steering runs and jobs from outside: cancelled, paused, gone on with, given more to spend."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict

from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import limits_of
from weft.platform.audit import AuditedAct, audited
from weft.ports.records.audit import Audit, Deed
from weft.ports.records.jobs import Jobs
from weft.ports.records.runs import ENDED, Run, Runs, RunStatus
from weft.ports.records.steering import MoreBudget, OrderKind, RunOrder, Steering

# A run that goes on somewhere heeds an order within this; one that does not has lost its process.
_PATIENCE_SECONDS = 3.0
_LOOK_SECONDS = 0.1
# Three of the looks that a run takes for its orders.
_ANSWER_SECONDS = 1.5


class RunSteering:
    """Orders for runs of flows, and for the ingestions that are jobs alone."""

    def __init__(self, *, runs: Runs, jobs: Jobs, orders: Steering, audit: Audit) -> None:
        """Take the records of both, and where orders are left."""
        self._runs = runs
        self._jobs = jobs
        self._orders = orders
        self._audit = audit

    async def cancel(self, scope: Scope, run_id: str) -> None:
        """End a run or a job; one that has ended stays as it is. Raises `NotFound`."""
        async with self._audited(scope, "run.cancel", run_id):
            run = await self._run(scope, run_id)
            if run is None:
                await self._jobs.cancel(scope, run_id)
            elif run.status not in ENDED:
                await self._ended(scope, run)

    async def pause(self, scope: Scope, run_id: str) -> None:
        """Let a run stand still before its next node, or a job by its next heartbeat."""
        async with self._audited(scope, "run.pause", run_id):
            if await self._going(scope, run_id):
                await self._orders.put(scope, RunId(run_id), RunOrder(kind=OrderKind.PAUSE))
            else:
                await self._jobs.pause(scope, run_id)

    async def grant(self, scope: Scope, run_id: str, budget: Mapping[str, object]) -> None:
        """Give a run more to spend, at once or once it goes on. Raises `BadInput`."""
        more = MoreBudget(**asdict(limits_of(budget)))
        if more == MoreBudget():
            raise BadInput("say how much more: tokens, money, time, iterations or tool_calls.")
        async with self._audited(scope, "run.budget", run_id):
            if not await self._going(scope, run_id):
                raise BadInput("an ingestion has no budget to be raised.")
            order = RunOrder(kind=OrderKind.GRANT, more=more)
            await self._orders.put(scope, RunId(run_id), order)

    async def resumable(self, scope: Scope, run_id: str) -> bool:
        """Tell whether it is a run that stands still; a paused job is put in line again instead.

        Raises `BadInput` for a run that has ended, or that goes on somewhere.
        """
        async with self._audited(scope, "run.resume", run_id):
            if await self._going(scope, run_id):
                await self._check_still(scope, RunId(run_id))
                return True
            await self._jobs.resume(scope, run_id)
            return False

    def _audited(self, scope: Scope, action: str, run_id: str) -> AuditedAct:
        return audited(self._audit, scope, Deed(action=action, target=f"run:{run_id}"))

    async def _going(self, scope: Scope, run_id: str) -> bool:
        """Tell whether it is a run, which has not ended; raise `BadInput` for one that has."""
        run = await self._run(scope, run_id)
        if run is not None and run.status in ENDED:
            raise BadInput(f"the run has {run.status.value} already.")
        return run is not None

    async def _check_still(self, scope: Scope, run_id: RunId) -> None:
        """Raise `BadInput` for a run that goes on: two processes must not drive the same one.

        Whoever has it takes orders, even one that grants nothing; nobody takes those of the dead.
        """
        if (await self._runs.get(scope, run_id)).status is not RunStatus.RUNNING:
            return
        before = await self._orders.take(scope, run_id)
        await self._orders.put(scope, run_id, RunOrder(kind=OrderKind.GRANT))
        await asyncio.sleep(_ANSWER_SECONDS)
        goes_on = not await self._orders.take(scope, run_id)
        for order in before:  # what was granted counts once it goes on again
            if goes_on or order.kind is OrderKind.GRANT:
                await self._orders.put(scope, run_id, order)
        if goes_on:
            raise BadInput("the run goes on already.")

    async def _run(self, scope: Scope, run_id: str) -> Run | None:
        nothing = NotFound("There is no such run or ingestion here that you may steer.")
        try:
            run = await self._runs.get(scope, RunId(run_id))
        except NotFound:
            try:
                await self._jobs.get(scope, run_id)
            except NotFound:
                raise nothing from None
            return None
        if run.actor != scope.actor:
            raise nothing
        return run

    async def _ended(self, scope: Scope, run: Run) -> None:
        run_id = run.header.run_id
        if run.status is RunStatus.RUNNING:
            await self._orders.put(scope, run_id, RunOrder(kind=OrderKind.CANCEL))
            for _ in range(round(_PATIENCE_SECONDS / _LOOK_SECONDS)):
                if (await self._runs.get(scope, run_id)).status in ENDED:
                    return
                await asyncio.sleep(_LOOK_SECONDS)
        await self._runs.finish(scope, run_id, status=RunStatus.CANCELLED, summary={})
        await self._orders.take(scope, run_id)
