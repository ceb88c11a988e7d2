"""One step of a run: call the node a track is at, take in what it did, move the track on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from weft.domain.errors import BudgetExceeded, WeftError
from weft.domain.event import EventType
from weft.ports.clock import Clock
from weft.runtime.budget import (
    NO_LIMITS,
    NO_USAGE,
    Budget,
    Limits,
    Usage,
    shares,
    usage_data,
    within,
)
from weft.runtime.codec import plain, summary
from weft.runtime.context import (
    EMPTY,
    AwaitedAnswer,
    ChildSeed,
    ChildStatus,
    Node,
    NodeResult,
    RunContext,
    RunSeed,
    Suspended,
)
from weft.runtime.control import RunControl
from weft.runtime.event_data import answer_data, evidence_data
from weft.runtime.events import EventOrigin, Recorder
from weft.runtime.flow import NodeKind, NodeSpec
from weft.runtime.frontier import Child, Frontier, Track
from weft.runtime.node_call import NodeChannel, StepFailed, Visit, call_node
from weft.runtime.plan import FlowPlan, Loop, route, turn
from weft.runtime.state import failure_data, failure_patch, merge

_ONE_TURN = Usage(iterations=1)


class TrackProgress(Enum):
    """What became of a track: it can go on, reached its end, waits, or ran out of budget."""

    GOING = "going"
    REACHED = "reached"
    SUSPENDED = "suspended"
    EXCEEDED = "exceeded"


class _Fork:
    """Does nothing: a parallel node that only opens its branches."""

    async def run(self, ctx: RunContext) -> NodeResult:
        """Return an empty result."""
        return NodeResult()


_FORK = _Fork()


@dataclass(slots=True, kw_only=True)
class RunRecord:
    """What a run and all its child runs share: the record, what is asked, what is still unsaved."""

    recorder: Recorder
    frontier: Frontier
    budget: Budget
    clock: Clock
    slots: asyncio.Semaphore
    control: RunControl
    can_wait: bool
    questions: list[AwaitedAnswer] = field(default_factory=list)
    told: list[BudgetExceeded] = field(default_factory=list)
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_unsaved: bool = False


@dataclass(slots=True, kw_only=True)
class ActiveRun:
    """A run in progress, or a child run of one: what it was given, where it stands, what it spends.

    `path` is where a child run is placed; empty for the run itself.
    """

    plan: FlowPlan
    seed: RunSeed
    nodes: Mapping[str, Node]
    frontier: Frontier
    budget: Budget
    record: RunRecord
    path: str = ""

    @property
    def recorder(self) -> Recorder:
        """Return the one recorder of the run."""
        return self.record.recorder

    def place(self, track: Track) -> EventOrigin:
        """Return where the track's next step happens; a node's later visits are numbered."""
        path = track.at
        visits = self.frontier.visits.get(path, 0)
        if visits:
            path = f"{path}#{visits + 1}"
        if self.path:
            path = f"{self.path}/{path}"
        came = track.came
        if len(came) == 1:
            return EventOrigin(node=path, parent=came[0])
        return EventOrigin(node=path, sources=came)

    def visit(self, spec: NodeSpec, track: Track, *, place: EventOrigin) -> Visit:
        """Return what the node at hand is called with."""
        seed = self.seed
        channel = NodeChannel(
            recorder=self.recorder,
            place=place,
            answers=self.record.frontier.answers,
            can_wait=self.record.can_wait,
        )
        context = RunContext(
            run_id=seed.run_id,
            scope=seed.scope,
            session_id=seed.session_id,
            conversation_id=seed.conversation_id,
            agent_id=seed.agent_id,
            trace_id=seed.trace_id,
            ui_state=seed.ui_state,
            policies=seed.policies,
            tool_catalog=seed.tool_catalog,
            kb_refs=seed.kb_refs,
            state=track.state,
            params=spec.params,
            budget=account_of(self, track).child(),
            clock=self.record.clock,
            path=place.node,
            channel=channel,
        )
        node = self.nodes[spec.uses] if spec.uses else _FORK
        ways = self.plan.ways[spec.id]
        return Visit(spec=spec, node=node, ways=ways, context=context, channel=channel)


def account_of(run: ActiveRun, track: Track) -> Budget:
    """Return what a track spends from: its branch's share, or the run's own account."""
    return run.budget if track.account is None else track.account


def open_accounts(run: ActiveRun, track: Track, *, above: Budget) -> None:
    """Give every branch of a track an account of its share."""
    for branch in track.branches:
        branch.account = Budget(branch.share, run.record.clock, parent=above, spent=branch.spent)
        if branch.child is not None and branch.child.frontier is not None:
            branch.account.continue_from(branch.child.frontier.elapsed_s)
        open_accounts(run, branch, above=branch.account)


def close_accounts(track: Track) -> None:
    """Write into the tracks what their branches have spent."""
    if track.account is not None:
        track.spent = track.account.spent
    for branch in track.branches:
        close_accounts(branch)
        child = branch.child
        if child is not None and child.frontier is not None and branch.account is not None:
            child.frontier.spent = branch.account.spent
            child.frontier.elapsed_s = branch.account.elapsed_s
            close_accounts(child.frontier.track)


async def step(run: ActiveRun, track: Track) -> TrackProgress:
    """Run the node that `track` is at, record it, and move the track on.

    Raises `StepFailed` when the node failed and is not optional. The state is changed by a node
    that succeeded, or by the note of an optional one's failure, and by nothing else.
    """
    if run.record.control.is_paused and run.record.can_wait:
        return TrackProgress.SUSPENDED
    if not run.frontier.closing:
        try:
            account_of(run, track).check()
        except BudgetExceeded as error:
            return _exceed(run, track, error=error, path=run.place(track).node)
    spec, place = run.plan.nodes[track.at], run.place(track)
    visit = run.visit(spec, track, place=place)
    run.recorder.emit(EventType.NODE_STARTED, place)
    try:
        if track.stop or run.path:
            async with run.record.slots:
                result = await call_node(visit)
        else:
            result = await call_node(visit)
    except Suspended as question:
        return _suspend(run, visit, question=question)
    except StepFailed as failure:
        return _fail(run, track, visit=visit, failure=failure)
    except BudgetExceeded as error:
        return _run_short(run, track, visit=visit, error=error)
    return _succeed(run, track, visit=visit, result=result)


def end_branch(run: ActiveRun, track: Track, *, failure: StepFailed) -> None:
    """End an optional branch at its join: what it did before stays, its failure is noted."""
    track.branches = []
    track.at = track.stop
    track.came = (failure.path,)
    _patch(run, track, place=EventOrigin(node=failure.path), patch=_note(failure))


def end_short(run: ActiveRun, track: Track) -> None:
    """End a branch that has used its own share up: what it did stays, and it is named."""
    error = track.exceeded
    assert error is not None
    end_branch(run, track, failure=StepFailed(track.short_at, error, attempts=1))


def end_child(
    run: ActiveRun, child: Child, *, place: EventOrigin, failure: WeftError | None
) -> None:
    """End a child run: keep what came of it, and write it down as the end of a node."""
    data: dict[str, object] = {"flow": child.flow}
    if failure is None:
        child.end(ChildStatus.FINISHED)
        run.recorder.emit(EventType.NODE_FINISHED, place, data=data)
        return
    is_short = isinstance(failure, BudgetExceeded)
    status = ChildStatus.SHORT if is_short else ChildStatus.FAILED
    child.end(status, failure)
    data |= {"status": status.value} | failure_data(child.path, failure)
    run.recorder.emit(EventType.NODE_FAILED, place, data=data)


def _note(failure: StepFailed) -> Mapping[str, object]:
    return failure_patch(failure.path, failure.reason)


def _succeed(run: ActiveRun, track: Track, *, visit: Visit, result: NodeResult) -> TrackProgress:
    place = visit.channel.place
    _record_result(run, place, result=result)
    _patch(run, track, place=place, patch=result.state_patch)
    if result.usage is not NO_USAGE:
        visit.context.budget.charge(result.usage)
    if visit.spec.kind is NodeKind.MAP:
        _spread(run, track, visit=visit, children=result.children)
        short = None
    else:
        short = _move(run, track, visit=visit, goto=result.goto)
    _record_spending(run, visit)
    run.recorder.emit(EventType.NODE_FINISHED, place)
    if short is None:
        return TrackProgress.GOING
    return _exceed(run, track, error=short, path=place.node)


def _fail(run: ActiveRun, track: Track, *, visit: Visit, failure: StepFailed) -> TrackProgress:
    spec, place = visit.spec, visit.channel.place
    is_isolated = spec.optional and spec.id != track.optional_head
    _record_spending(run, visit)
    data = failure_data(place.node, failure.reason)
    data |= {"attempts": failure.attempts, "optional": spec.optional}
    run.recorder.emit(EventType.NODE_FAILED, place, data=data)
    if not is_isolated:
        _count(run, visit)
        raise failure
    _patch(run, track, place=place, patch=_note(failure))
    _move(run, track, visit=visit, goto=None, failed=True)
    return TrackProgress.GOING


def _run_short(
    run: ActiveRun, track: Track, *, visit: Visit, error: BudgetExceeded
) -> TrackProgress:
    path = visit.context.path
    if run.frontier.closing:
        # The way out has spent its last call too: there is no other way out.
        failure = StepFailed(path, error, attempts=1)
        return _fail(run, track, visit=visit, failure=failure)
    _count(run, visit)
    _record_spending(run, visit)
    data = failure_data(path, error)
    run.recorder.emit(EventType.NODE_FAILED, visit.channel.place, data=data)
    return _exceed(run, track, error=error, path=path)


def _suspend(run: ActiveRun, visit: Visit, *, question: Suspended) -> TrackProgress:
    place = visit.channel.place
    run.record.questions.append(
        AwaitedAnswer(key=question.key, path=place.node, request=question.request)
    )
    _record_spending(run, visit)
    data = {"key": question.key, "request": question.request}
    run.recorder.emit(EventType.SUSPENDED, place, data=data)
    return TrackProgress.SUSPENDED


def _exceed(run: ActiveRun, track: Track, *, error: BudgetExceeded, path: str) -> TrackProgress:
    """Tell once whose budget is used up: the branch's own, the child run's, or the run's."""
    track.exceeded, track.short_at = error, path
    if not any(error is told for told in run.record.told):
        run.record.told.append(error)
        own = track.account is not None and track.account.has_refused(error)
        where = EventOrigin(node=path if own else run.path)
        run.recorder.emit(EventType.BUDGET_EXCEEDED, where, data=dict(error.fields))
    return TrackProgress.EXCEEDED


def _count(run: ActiveRun, visit: Visit) -> None:
    visits, node_id = run.frontier.visits, visit.spec.id
    visits[node_id] = visits.get(node_id, 0) + 1


def _move(
    run: ActiveRun, track: Track, *, visit: Visit, goto: str | None, failed: bool = False
) -> BudgetExceeded | None:
    """Put the track at its next node; return what refused the turn of a loop, if anything did."""
    frontier, ways = run.frontier, visit.ways
    _count(run, visit)
    track.came = (visit.context.path,)
    if ways.branches:
        nodes = run.plan.nodes
        optional = frozenset(head for head in ways.branches if nodes[head].optional)
        track.fork(ways.branches, join=ways.join, optional=optional)
        _divide(run, track, weights=[1] * len(track.branches))
        return None
    way = route(ways, goto, taken=frontier.loops, onward=failed or frontier.closing)
    if not isinstance(way, Loop):
        track.at = way
        return None
    track.at = way.target
    turn(way, frontier.loops)
    try:
        visit.context.budget.reserve(_ONE_TURN).settle(_ONE_TURN)
    except BudgetExceeded as error:
        return error
    return None


def _spread(run: ActiveRun, track: Track, *, visit: Visit, children: Sequence[ChildSeed]) -> None:
    """Begin the child runs that a map node asked for; the track goes on when all have ended."""
    spec, path = visit.spec, visit.context.path
    _count(run, visit)
    track.came = (path,)
    plan = run.plan.children[spec.flow]
    made = [
        Child(
            key=seed.key,
            flow=spec.flow,
            path=f"{path}/{seed.key}",
            kb_refs=visit.context.kb_refs if seed.kb_refs is None else seed.kb_refs,
            frontier=Frontier(
                flow="",
                track=Track(
                    at=plan.flow.entry,
                    came=(f"{path}/{seed.key}",),
                    state=merge(EMPTY, seed.state),
                ),
            ),
        )
        for seed in children
    ]
    track.spread(made, onward=visit.ways.only, into=spec.into)
    _divide(run, track, weights=[seed.weight for seed in children], own=plan.flow.budget)


def record_gathered(run: ActiveRun, track: Track, *, into: str) -> None:
    """Write down that what came of child runs is in the state."""
    if track.stop:
        track.patches.append({into: track.state[into]})
    data = {into: summary(track.state[into])}
    run.recorder.emit(
        EventType.STATE_PATCHED, EventOrigin(node=run.path, sources=track.came), data=data
    )


def _divide(
    run: ActiveRun, track: Track, *, weights: Sequence[int], own: Limits = NO_LIMITS
) -> None:
    """Give each branch its share of what is left, within limits of its own."""
    above = account_of(run, track)
    for branch, share in zip(track.branches, shares(above.remaining(), weights), strict=True):
        branch.share = within(share, own)
    open_accounts(run, track, above=above)


def _patch(
    run: ActiveRun, track: Track, *, place: EventOrigin, patch: Mapping[str, object]
) -> None:
    if patch:
        track.apply(patch)
        data = {key: summary(value) for key, value in patch.items()}
        run.recorder.emit(EventType.STATE_PATCHED, place, data=data)


def _record_result(run: ActiveRun, place: EventOrigin, *, result: NodeResult) -> None:
    recorder = run.recorder
    for draft in result.events:
        recorder.emit_draft(draft, place)
    if result.evidence:
        recorder.emit(EventType.EVIDENCE_FOUND, place, data=evidence_data(result.evidence))
    for action in result.actions_requested:
        data = {"id": action.id, "tool": action.tool, "arguments": plain(action.arguments)}
        recorder.emit(EventType.ACTION_REQUESTED, place, data=data)
    if result.answer is not None:
        run.frontier.answer = result.answer
        recorder.emit(EventType.ANSWER, place, data=answer_data(result.answer))


def _record_spending(run: ActiveRun, visit: Visit) -> None:
    # A node's own account, not the run's: the sum beside it would depend on its siblings' speed.
    spent = visit.context.budget.spent
    if spent is not NO_USAGE:
        data = usage_data(spent)
        run.recorder.emit(EventType.BUDGET_UPDATED, visit.channel.place, data=data)
