"""The engine: begins and ends runs, records them, and keeps their frontier."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, Self

from weft.domain.errors import BudgetExceeded, Cancelled, InvalidFlow, NotFound, WeftError
from weft.domain.event import EventType
from weft.ports.clock import Clock
from weft.ports.records.runs import ENDED_BY, RunStatus
from weft.runtime.active import ActiveRun, RunRecord, close_accounts, open_accounts
from weft.runtime.budget import Budget, done
from weft.runtime.codec import StateCodec
from weft.runtime.context import EMPTY, Node, RunSeed
from weft.runtime.control import RunControl
from weft.runtime.engines.task_walker import TaskWalker
from weft.runtime.engines.walking import Walker
from weft.runtime.events import EventSink, Recorder
from weft.runtime.flow import FlowSpec
from weft.runtime.frontier import Frontier, FrontierStore, Track, read_frontier, write_frontier
from weft.runtime.node_call import StepFailed
from weft.runtime.outcome import RunOutcome
from weft.runtime.plan import FlowPlan, compile_flow, uses_of
from weft.runtime.state import failure_data, merge
from weft.runtime.step import TrackProgress
from weft.runtime.tasks import GRACE_S, forget, insist, stop


class FlowEngine:
    """Runs flows in this process; any number of runs may go on at once and share nothing.

    Their steps are tasks of asyncio, unless another walker schedules them.
    """

    def __init__(
        self,
        nodes: Mapping[str, Node],
        sink: EventSink,
        *,
        clock: Clock,
        frontier_store: FrontierStore | None = None,
        codec: StateCodec | None = None,
    ) -> None:
        self._nodes = nodes
        self._sink = sink
        self._clock = clock
        self._store = frontier_store
        self._codec = codec or StateCodec()
        self._walker: Walker = TaskWalker()

    def under(self, walker: Walker) -> Self:
        """Have another walker schedule the steps of all runs, and return this engine."""
        self._walker = walker
        return self

    async def run(
        self, flow: FlowSpec | FlowPlan, seed: RunSeed, *, control: RunControl | None = None
    ) -> RunOutcome:
        """Run a flow from its entry until it ends or waits for an answer.

        Raises `InvalidFlow` before anything happens. A node's failure is an outcome; what the sink
        or the frontier store raises is raised. A cancelled run is recorded as such, then the
        cancellation goes on. `control` steers it from outside.
        """
        plan = self._plan(flow)
        track = Track(at=plan.flow.entry, state=merge(EMPTY, seed.state))
        fingerprint = "" if self._store is None else plan.flow.fingerprint()
        limits = plan.flow.budget if seed.limits is None else seed.limits
        frontier = Frontier(
            flow=fingerprint, track=track, answers=dict(seed.answers), limits=limits
        )
        run = self._begin(plan, seed, frontier=frontier, control=control)
        data = {"flow": plan.flow.name, "agent": seed.agent_id}
        run.recorder.emit(EventType.RUN_STARTED, data=data)
        return await self._drive(run)

    async def resume(
        self,
        flow: FlowSpec | FlowPlan,
        seed: RunSeed,
        *,
        answers: Mapping[str, object] = EMPTY,
        last_seq: int = 0,
        control: RunControl | None = None,
    ) -> RunOutcome:
        """Go on with a run that was suspended, or whose process died, from its saved frontier.

        Finished nodes do not run again; of `seed` the state is ignored. `answers` are given by the
        keys of the questions, `last_seq` is the last event in the record. Raises `NotFound` when
        nothing was saved and `InvalidFlow` when the flow has changed since.
        """
        plan = self._plan(flow)
        if self._store is None:
            raise NotFound("nothing keeps the frontiers of runs here", run=seed.run_id)
        kept = await self._store.load_frontier(seed.scope, seed.run_id)
        if kept is None:
            raise NotFound("nothing is left of the run to go on from", run=seed.run_id)
        frontier = read_frontier(kept, self._codec)
        if frontier.flow != plan.flow.fingerprint():
            raise InvalidFlow("the flow has changed since the run began", flow=plan.flow.name)
        saved, frontier.seq = frontier.seq, max(frontier.seq, last_seq)
        frontier.answers.update(answers)
        run = self._begin(plan, seed, frontier=frontier, control=control)
        data = {"answers": sorted(answers), "after": saved}
        run.recorder.emit(EventType.RESUMED, data=data)
        return await self._drive(run)

    def _plan(self, flow: FlowSpec | FlowPlan) -> FlowPlan:
        plan = flow if isinstance(flow, FlowPlan) else compile_flow(flow)
        for uses, node in uses_of(plan).items():
            if uses not in self._nodes:
                raise InvalidFlow(f"node '{node}' uses '{uses}', which is not there")
        return plan

    def _begin(
        self, plan: FlowPlan, seed: RunSeed, *, frontier: Frontier, control: RunControl | None
    ) -> ActiveRun:
        limits = seed.limits or frontier.limits or plan.flow.budget
        budget = Budget(limits, self._clock, spent=frontier.spent, elapsed_s=frontier.elapsed_s)
        if frontier.closing:
            budget.allow_last_call()
        recorder = Recorder(seed.run_id, seed.scope, sink=self._sink, clock=self._clock)
        recorder.seq = frontier.seq
        steering = control or RunControl()
        steering.attach(budget)
        record = RunRecord(
            recorder=recorder,
            frontier=frontier,
            budget=budget,
            clock=self._clock,
            slots=asyncio.Semaphore(plan.flow.max_concurrency),
            control=steering,
            can_wait=self._store is not None,
        )
        run = ActiveRun(
            plan=plan,
            seed=seed,
            nodes=self._nodes,
            frontier=frontier,
            budget=budget,
            record=record,
        )
        open_accounts(run, frontier.track, above=budget)
        return run

    async def _drive(self, run: ActiveRun) -> RunOutcome:
        # A task of its own: a node that ignores its cancellation cannot hold up the run's end.
        living = asyncio.create_task(self._live(run))
        try:
            await asyncio.wait({living})
        except asyncio.CancelledError:
            await insist(self._cancel(run, living))
            raise
        if living.cancelled():
            await insist(self._cancel(run, living))
            raise asyncio.CancelledError
        error = living.exception()
        if error is not None:
            # The record itself failed: nothing more is done, and one more try made to say so.
            await insist(self._give_up(run, error))
            raise error
        return living.result()

    async def _live(self, run: ActiveRun) -> RunOutcome:
        try:
            await self._save(run)
            progress = await self._walker.walk(run, self._save)
        except StepFailed as failure:
            data = failure_data(failure.path, failure.reason)
            return await self._end(run, EventType.RUN_FAILED, data=data, error=failure.reason)
        except BudgetExceeded as error:
            data = failure_data("", error)
            return await self._end(run, EventType.RUN_FAILED, data=data, error=error)
        except Cancelled as error:
            return await self._end(run, EventType.RUN_CANCELLED, data=EMPTY, error=error)
        if progress is TrackProgress.SUSPENDED:
            if run.record.control.is_paused:
                run.recorder.emit(EventType.SUSPENDED, data={"paused": True})
            await self._save(run, RunStatus.SUSPENDED)
            return _outcome(run, RunStatus.SUSPENDED)
        return await self._end(run, EventType.RUN_FINISHED, data=EMPTY)

    async def _save(self, run: ActiveRun, status: RunStatus = RunStatus.RUNNING) -> None:
        """Write the events so far, then the frontier they led to, child runs included."""
        if self._store is None:
            return
        record = run.record
        async with record.saving:
            frontier = record.frontier
            frontier.spent, frontier.elapsed_s = done(record.budget), record.budget.elapsed_s
            frontier.limits = record.budget.limits
            close_accounts(frontier.track)
            frontier.seq = run.recorder.seq
            data = write_frontier(frontier, self._codec)
            record.is_unsaved = False
            await run.recorder.flush()
            seed = run.seed
            await self._store.save_frontier(seed.scope, seed.run_id, frontier=data, status=status)

    async def _end(
        self,
        run: ActiveRun,
        kind: EventType,
        *,
        data: Mapping[str, object],
        error: WeftError | None = None,
    ) -> RunOutcome:
        run.recorder.emit(kind, data=data)
        await run.recorder.flush()
        await self._let_go(run)
        return _outcome(run, ENDED_BY[kind], error=error)

    async def _cancel(self, run: ActiveRun, living: asyncio.Task[RunOutcome]) -> None:
        if not run.recorder.is_closed:
            await stop([living])
            run.recorder.emit(EventType.RUN_CANCELLED)
        await self._close_record(run)
        await self._let_go(run)

    async def _let_go(self, run: ActiveRun) -> None:
        """Have what the walker kept of a run removed; without a store it kept nothing."""
        if self._store is not None:
            await _briefly(self._walker.ended(run))

    async def _give_up(self, run: ActiveRun, error: BaseException) -> None:
        if not run.recorder.is_closed:
            code = error.code if isinstance(error, WeftError) else WeftError.code
            run.recorder.emit(EventType.RUN_FAILED, data={"code": code})
        await self._close_record(run)

    async def _close_record(self, run: ActiveRun) -> None:
        """Try once more to write what is left; a sink that fails or hangs has had its chance."""
        await _briefly(run.recorder.flush())


async def _briefly(work: Coroutine[Any, Any, None]) -> None:
    """Give some work a moment, and leave it whatever came of it."""
    task = asyncio.create_task(work)
    task.add_done_callback(forget)
    await asyncio.wait({task}, timeout=GRACE_S)
    task.cancel()


def _outcome(run: ActiveRun, status: RunStatus, *, error: WeftError | None = None) -> RunOutcome:
    return RunOutcome(
        status=status,
        state=run.frontier.track.state,
        answer=run.frontier.answer,
        usage=run.budget.spent,
        seq=run.recorder.seq,
        error=error,
        questions=tuple(run.record.questions),
    )
