"""One step of a run: call the node a track is at, take in what it did, move the track on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from weft.domain.errors import BudgetExceeded, WeftError
from weft.domain.event import EventType
from weft.runtime.active import ActiveRun, account_of, divide
from weft.runtime.amounts import NO_USAGE, Usage, usage_data
from weft.runtime.codec import plain, summary
from weft.runtime.context import (
    EMPTY,
    AwaitedAnswer,
    ChildSeed,
    ChildStatus,
    NodeResult,
    Suspended,
)
from weft.runtime.event_data import answer_data, evidence_data
from weft.runtime.events import EventOrigin
from weft.runtime.flow import NodeKind
from weft.runtime.frontier import ChildRun, Frontier, Track
from weft.runtime.node_call import StepFailed, Visit, call_node
from weft.runtime.plan import Loop, route, turn
from weft.runtime.state import failure_data, failure_patch, merge

_ONE_TURN = Usage(iterations=1)


class TrackProgress(Enum):
    """What became of a track: it can go on, reached its end, waits, or ran out of budget."""

    GOING = "going"
    REACHED = "reached"
    SUSPENDED = "suspended"
    EXCEEDED = "exceeded"


async def step(run: ActiveRun, track: Track) -> TrackProgress:
    """Run the node that `track` is at, record it, and move the track on.

    Raises `StepFailed` when the node failed and is not optional. The state is changed by a node
    that succeeded, or by the note of an optional one's failure, and by nothing else.
    """
    if run.record.control.is_paused and run.record.can_wait:
        return TrackProgress.SUSPENDED
    spec, place = run.plan.nodes[track.at], run.place(track)
    visit = run.visit(spec, track, place=place)
    try:
        _admit(run, track, visit=visit)
    except BudgetExceeded as error:
        visit.account.end()
        return _exceed(run, track, error=error, path=place.node)
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
        visit.account.end()
        return _fail(run, track, visit=visit, failure=failure)
    except BudgetExceeded as error:
        visit.account.end()
        return _run_short(run, track, visit=visit, error=error)
    visit.account.end()
    return _succeed(run, track, visit=visit, result=result)


def _admit(run: ActiveRun, track: Track, *, visit: Visit) -> None:
    """Raise `BudgetExceeded` where nothing is left for a visit; one that begins a turn counts it.

    The way out is open to a run that has nothing left.
    """
    if run.frontier.closing:
        return
    account_of(run, track).check()
    if track.at in run.plan.heads:
        visit.context.budget.reserve(_ONE_TURN).settle(_ONE_TURN)


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
    run: ActiveRun, child: ChildRun, *, place: EventOrigin, failure: WeftError | None
) -> None:
    """End a child run: keep what came of it, and write it down as the end of a node."""
    data: dict[str, object] = {"flow": child.flow, **child.tags}
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
    else:
        _move(run, track, visit=visit, goto=result.goto)
    _record_spending(run, visit)
    run.recorder.emit(EventType.NODE_FINISHED, place, data=result.tags)
    return TrackProgress.GOING


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
) -> None:
    """Put the track at its next node."""
    frontier, ways = run.frontier, visit.ways
    _count(run, visit)
    track.came = (visit.context.path,)
    if ways.branches:
        nodes = run.plan.nodes
        optional = frozenset(head for head in ways.branches if nodes[head].optional)
        track.fork(ways.branches, join=ways.join, optional=optional)
        divide(run, track, weights=[1] * len(track.branches))
        return
    way = route(ways, goto, taken=frontier.loops, onward=failed or frontier.closing)
    if not isinstance(way, Loop):
        track.at = way
        return
    track.at = way.target
    turn(way, frontier.loops)


def _spread(run: ActiveRun, track: Track, *, visit: Visit, children: Sequence[ChildSeed]) -> None:
    """Begin the child runs that a map node asked for; the track goes on when all have ended."""
    spec, path = visit.spec, visit.context.path
    _count(run, visit)
    track.came = (path,)
    plan = run.plan.children[spec.flow]
    made = [
        ChildRun(
            key=seed.key,
            flow=spec.flow,
            path=f"{path}/{seed.key}",
            kb_refs=visit.context.kb_refs if seed.kb_refs is None else seed.kb_refs,
            tags=seed.tags,
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
    divide(run, track, weights=[seed.weight for seed in children], own=plan.flow.budget)


def record_gathered(run: ActiveRun, track: Track, *, into: str) -> None:
    """Write down that what came of child runs is in the state."""
    if track.stop:
        track.patches.append({into: track.state[into]})
    data = {into: summary(track.state[into])}
    run.recorder.emit(
        EventType.STATE_PATCHED, EventOrigin(node=run.path, sources=track.came), data=data
    )


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
