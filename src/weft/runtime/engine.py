"""The simple engine: runs a flow's tracks as asyncio tasks and keeps their frontier."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from weft.domain.errors import BudgetExceeded, Cancelled, InvalidFlow, NotFound, WeftError
from weft.domain.event import EventType
from weft.ports.clock import Clock
from weft.ports.records.runs import RunStatus
from weft.runtime.active import ActiveRun, RunRecord, account_of, close_accounts, open_accounts
from weft.runtime.budget import Budget
from weft.runtime.codec import StateCodec
from weft.runtime.context import EMPTY, Node, RunSeed
from weft.runtime.control import RunControl
from weft.runtime.events import EventOrigin, EventSink, Recorder
from weft.runtime.flow import FlowSpec, NodeKind
from weft.runtime.frontier import (
    ChildRun,
    Frontier,
    FrontierStore,
    Track,
    read_frontier,
    write_frontier,
)
from weft.runtime.node_call import StepFailed
from weft.runtime.outcome import RunOutcome
from weft.runtime.plan import FlowPlan, compile_flow, uses_of
from weft.runtime.state import failure_data, merge
from weft.runtime.step import (
    TrackProgress,
    end_branch,
    end_child,
    end_short,
    record_gathered,
    step,
)
from weft.runtime.tasks import GRACE_S, forget, insist, stop

# Model calls and side effects: what they cost is not to be paid twice.
_DURABLE = frozenset({NodeKind.AGENT, NodeKind.TOOL, NodeKind.MAP})


class SimpleEngine:
    """Runs flows in this process; any number of runs may go on at once and share nothing."""

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
            progress = await self._walk_to_end(run)
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

    async def _walk_to_end(self, run: ActiveRun) -> TrackProgress:
        root = run.frontier.track
        progress = await self._walk(run, root)
        if progress is TrackProgress.EXCEEDED:
            assert root.exceeded is not None
            if run.path and not run.budget.has_refused(root.exceeded):
                return progress  # the run around it has nothing left to spend either
            if not run.plan.flow.budget_exit:
                raise root.exceeded
            root.join()
            root.at = run.plan.flow.budget_exit
            run.frontier.closing = True
            run.record.questions.clear()
            run.budget.allow_last_call()
            progress = await self._walk(run, root)
        return progress

    async def _walk(self, run: ActiveRun, track: Track) -> TrackProgress:
        while True:
            if track.branches or track.into:
                progress = await self._join(run, track)
            elif track.at == track.stop:
                return TrackProgress.REACHED
            else:
                progress = await self._step(run, track)
            if progress is not TrackProgress.GOING:
                return progress

    async def _step(self, run: ActiveRun, track: Track) -> TrackProgress:
        is_durable = self._store is not None and run.plan.nodes[track.at].kind in _DURABLE
        if is_durable and run.record.is_unsaved:
            await self._save(run)
        progress = await step(run, track)
        run.record.is_unsaved = True
        if is_durable:
            await self._save(run)
        else:
            await run.recorder.flush()
        return progress

    async def _join(self, run: ActiveRun, track: Track) -> TrackProgress:
        progresses = await self._fan_out(run, track.branches)
        for standing in (TrackProgress.EXCEEDED, TrackProgress.SUSPENDED):
            if standing in progresses:
                if standing is TrackProgress.EXCEEDED:
                    short = track.branches[progresses.index(standing)]
                    track.exceeded, track.short_at = short.exceeded, short.short_at
                return standing
        into = track.into
        track.join()
        if into:
            record_gathered(run, track, into=into)
        return TrackProgress.GOING

    async def _fan_out(self, run: ActiveRun, branches: Sequence[Track]) -> list[TrackProgress]:
        tasks = [asyncio.create_task(self._branch(run, branch)) for branch in branches]
        if not tasks:
            return []
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            await stop(tasks)
        ended = [task for task in tasks if task.done() and not task.cancelled()]
        errors = [error for task in ended if (error := task.exception()) is not None]
        if errors:
            raise errors[0]
        return [task.result() for task in tasks]

    async def _branch(self, run: ActiveRun, track: Track) -> TrackProgress:
        if track.child is not None:
            return await self._child(run, track, track.child)
        try:
            progress = await self._walk(run, track)
        except StepFailed as failure:
            if not track.optional_head:
                raise
            end_branch(run, track, failure=failure)
        else:
            account = account_of(run, track)
            if progress is not TrackProgress.EXCEEDED or not account.has_refused(track.exceeded):
                return progress
            end_short(run, track)
        await run.recorder.flush()
        return TrackProgress.REACHED

    async def _child(self, run: ActiveRun, track: Track, child: ChildRun) -> TrackProgress:
        """Walk a child run to its end; what fails or runs short there ends there."""
        if child.frontier is None:
            return TrackProgress.REACHED
        place = EventOrigin(node=child.path, parent=track.came[0])
        if not child.begun:
            child.begun = True
            run.recorder.emit(
                EventType.NODE_STARTED, place, data={"flow": child.flow, **child.tags}
            )
        inner = self._inner(run, track, child)
        progress, failure = await self._walk_inside(inner)
        if failure is None and progress is not TrackProgress.REACHED:
            inside = inner.frontier.track
            track.exceeded, track.short_at = inside.exceeded, inside.short_at
            return progress
        track.spent = inner.budget.spent
        end_child(run, child, place=place, failure=failure)
        run.record.is_unsaved = True
        await self._save(run)
        return TrackProgress.REACHED

    async def _walk_inside(self, inner: ActiveRun) -> tuple[TrackProgress, WeftError | None]:
        """Walk a child run; return how far it came, and what ended it before its time."""
        try:
            progress = await self._walk_to_end(inner)
        except StepFailed as failure:
            return TrackProgress.REACHED, failure.reason
        except BudgetExceeded as short:
            return TrackProgress.REACHED, short
        short_of = inner.frontier.track.exceeded if inner.frontier.closing else None
        return progress, short_of if progress is TrackProgress.REACHED else None

    def _inner(self, run: ActiveRun, track: Track, child: ChildRun) -> ActiveRun:
        assert child.frontier is not None
        inner = ActiveRun(
            plan=run.plan.children[child.flow],
            seed=replace(run.seed, kb_refs=child.kb_refs),
            nodes=run.nodes,
            frontier=child.frontier,
            budget=account_of(run, track),
            record=run.record,
            path=child.path,
        )
        open_accounts(inner, child.frontier.track, above=inner.budget)
        if child.frontier.closing:
            inner.budget.allow_last_call()
        return inner

    async def _save(self, run: ActiveRun, status: RunStatus = RunStatus.RUNNING) -> None:
        """Write the events so far, then the frontier they led to, child runs included."""
        if self._store is None:
            return
        record = run.record
        async with record.saving:
            frontier = record.frontier
            frontier.spent, frontier.elapsed_s = record.budget.spent, record.budget.elapsed_s
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
        return _outcome(run, _STATUS[kind], error=error)

    async def _cancel(self, run: ActiveRun, living: asyncio.Task[RunOutcome]) -> None:
        if not run.recorder.is_closed:
            await stop([living])
            run.recorder.emit(EventType.RUN_CANCELLED)
        await self._close_record(run)

    async def _give_up(self, run: ActiveRun, error: BaseException) -> None:
        if not run.recorder.is_closed:
            code = error.code if isinstance(error, WeftError) else WeftError.code
            run.recorder.emit(EventType.RUN_FAILED, data={"code": code})
        await self._close_record(run)

    async def _close_record(self, run: ActiveRun) -> None:
        """Try once more to write what is left; a sink that fails or hangs has had its chance."""
        closing = asyncio.create_task(run.recorder.flush())
        closing.add_done_callback(forget)
        await asyncio.wait({closing}, timeout=GRACE_S)
        closing.cancel()


_STATUS = {
    EventType.RUN_FINISHED: RunStatus.FINISHED,
    EventType.RUN_FAILED: RunStatus.FAILED,
    EventType.RUN_CANCELLED: RunStatus.CANCELLED,
}


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
