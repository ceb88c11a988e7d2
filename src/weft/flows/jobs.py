"""Flows as jobs: put in line, run by whichever worker is free, gone on with after a crash."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import cast

from weft.domain.errors import Cancelled, Forbidden, NotFound, RunSuspended
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking, FlowOutcome, limits_data, limits_of
from weft.flows.reading_rights import ReadingRights
from weft.flows.running import FlowRunner
from weft.platform.access import require
from weft.platform.identity import NOBODY, of_today
from weft.platform.lease import LeasedJob
from weft.platform.people.principals import Caller, Principals
from weft.platform.people.watching import while_allowed
from weft.ports.records.jobs import Job, Jobs, NewJob
from weft.ports.records.runs import ENDED, RunStatus
from weft.ports.records.worklist import Worklist, lease_of

KIND = "flow:"  # followed by the flow's name


class FlowJobs:
    """Puts flows in line, and does those that wait."""

    kind = KIND
    lanes = 1
    each_at_once: int | None = None

    def __init__(
        self,
        runner: FlowRunner,
        *,
        principals: Principals,
        reading: ReadingRights,
        jobs: Jobs,
        worklist: Worklist,
    ) -> None:
        """Take what runs flows, who may ask and still read, and the two sides of the list."""
        self._runner = runner
        self._principals = principals
        self._reading = reading
        self._jobs = jobs
        self._worklist = worklist

    async def submit(self, scope: Scope, asking: Asking) -> RunId:
        """Put a question in line and return the id of its run, which is there at once.

        Raises `Forbidden` without the permission `ask`, `NotFound` for an unknown flow.
        """
        require(scope, "ask", f"kb:{','.join(asking.knowledge_bases) or '-'}")
        flow = self._runner.catalog.find(asking.flow)
        run_id = asking.run_id or RunId(secrets.token_hex(8))
        named = replace(asking, run_id=run_id, flow=flow.name)
        await self._runner.announce(scope, named)
        job = NewJob(kind=f"{KIND}{flow.name}", args=_args(named), key=f"{KIND}{run_id}")
        await self._jobs.enqueue(scope, job)
        return run_id

    async def go_on(self, scope: Scope, run_id: RunId) -> None:
        """Put a run that stands still in line again."""
        run = await self._runner.services.runs.get(scope, run_id)
        asking = Asking(
            question="", knowledge_bases=run.header.kb_refs, flow=run.header.flow, run_id=run_id
        )
        job = NewJob(kind=f"{KIND}{asking.flow}", args=_args(asking), key=f"{KIND}{run_id}")
        await self._jobs.enqueue(scope, job)

    async def work_on(self, job: Job) -> None:
        """Run a flow, or go on with it where it has begun."""
        asking = _asking(job)
        try:
            scope = await self._principals.of_job(job.owner)
        except Forbidden as error:
            await self._end(job, asking, error)
            raise

        async def work() -> Mapping[str, object]:
            try:
                outcome = await while_allowed(
                    lambda: self._may_go_on(scope, asking), self._done(scope, asking)
                )
            except (RunSuspended, Cancelled):
                return {"run_id": asking.run_id}  # the run's own record says how it stands
            return {"run_id": asking.run_id, "refused": outcome.answer.refused}

        await LeasedJob(self._worklist, lease_of(job)).hold(work())

    async def _may_go_on(self, scope: Scope, asking: Asking) -> bool:
        """Tell whether whoever asked has all rights still, and may read all that the run read."""
        assert asking.run_id is not None
        if not await self._principals.still(Caller(scope=scope)):
            return False
        return await self._reading.hold(scope, asking.run_id)

    async def _end(self, job: Job, asking: Asking, error: Forbidden) -> None:
        """End the run of somebody who may ask no more; it is not gone on with."""
        assert asking.run_id is not None
        nobody = of_today(job.owner, NOBODY)
        summary = {"error": error.code, "reason": str(error.fields.get("reason", ""))}
        await self._runner.services.runs.finish(
            nobody, asking.run_id, status=RunStatus.FAILED, summary=summary
        )

    async def _done(self, scope: Scope, asking: Asking) -> FlowOutcome:
        assert asking.run_id is not None
        if (await self._runner.services.runs.get(scope, asking.run_id)).status in ENDED:
            raise Cancelled("The run had ended before it began.", run=asking.run_id)
        try:
            return await self._runner.resume(scope, asking.run_id, names_none=asking.names_none)
        except NotFound:
            if not asking.question:
                raise
            return await self._runner.run(scope, asking)


def _args(asking: Asking) -> dict[str, object]:
    return {
        "run_id": asking.run_id,
        "flow": asking.flow,
        "question": asking.question,
        "kb": list(asking.knowledge_bases),
        "limits": None if asking.limits is None else limits_data(asking.limits),
        "rounds": asking.rounds,
        "mode": asking.mode,
        "names_none": asking.names_none,
    }


def _asking(job: Job) -> Asking:
    args = job.args
    limits = cast("Mapping[str, int | float | str | Decimal] | None", args.get("limits"))
    return Asking(
        question=str(args["question"]),
        knowledge_bases=tuple(cast("list[str]", args["kb"])),
        flow=str(args["flow"]),
        run_id=RunId(str(args["run_id"])),
        limits=None if limits is None else limits_of(limits),
        rounds=cast("int", args.get("rounds", 1)),
        mode=str(args.get("mode", "")),
        names_none=bool(args.get("names_none", False)),
    )
