"""Walking a run's tracks: what is the same whoever schedules the steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

from weft.domain.errors import BudgetExceeded, WeftError
from weft.domain.event import EventType
from weft.runtime.active import ActiveRun, account_of, open_accounts
from weft.runtime.events import EventOrigin
from weft.runtime.flow import NodeKind
from weft.runtime.frontier import ChildRun, Track
from weft.runtime.node_call import StepFailed
from weft.runtime.step import (
    TrackProgress,
    end_branch,
    end_child,
    end_short,
    record_gathered,
    step,
)

# Model calls and side effects: what they cost is not to be paid twice.
_DURABLE = frozenset({NodeKind.AGENT, NodeKind.TOOL, NodeKind.MAP})

# Writes a run's events so far and the frontier they led to.
Save = Callable[[ActiveRun], Awaitable[None]]


class Walker(Protocol):
    """Schedules the steps of runs: which go on at once, and when branches join."""

    async def walk(self, run: ActiveRun, save: Save) -> TrackProgress:
        """Walk a run to its end, or as far as it comes before it waits.

        Raises `StepFailed` and `BudgetExceeded`, and whatever the record raises.
        """
        ...

    async def ended(self, run: ActiveRun) -> None:
        """Let go of what was kept of a run that has ended."""
        ...


async def take_step(run: ActiveRun, track: Track, *, save: Save) -> TrackProgress:
    """Run the node that a track is at; the run is saved around what costs something."""
    is_durable = run.record.can_wait and run.plan.nodes[track.at].kind in _DURABLE
    if is_durable and run.record.is_unsaved:
        await save(run)
    progress = await step(run, track)
    run.record.is_unsaved = True
    if is_durable:
        await save(run)
    else:
        await run.recorder.flush()
    return progress


def take_exit(run: ActiveRun, progress: TrackProgress) -> bool:
    """Put a run whose budget is used up at its exit; tell whether it goes on there.

    Raises `BudgetExceeded` where it has none.
    """
    root = run.frontier.track
    if progress is not TrackProgress.EXCEEDED:
        return False
    assert root.exceeded is not None
    if run.path and not run.budget.has_refused(root.exceeded):
        return False  # the run around it has nothing left to spend either
    if not run.plan.flow.budget_exit:
        raise root.exceeded
    root.join()
    root.at = run.plan.flow.budget_exit
    run.frontier.closing = True
    run.record.questions.clear()
    run.budget.allow_last_call()
    return True


def join_branches(
    run: ActiveRun, track: Track, *, progresses: Sequence[TrackProgress]
) -> TrackProgress:
    """Join branches that have come as far as they can; the track goes on if all have ended."""
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


async def end_failed(run: ActiveRun, track: Track, *, failure: StepFailed) -> TrackProgress:
    """End a branch that failed, if it is optional; else raise what failed."""
    if not track.optional_head:
        raise failure
    end_branch(run, track, failure=failure)
    await run.recorder.flush()
    return TrackProgress.REACHED


async def end_walked(run: ActiveRun, track: Track, *, progress: TrackProgress) -> TrackProgress:
    """Return how far a branch came; one that used up a share of its own ends there."""
    account = account_of(run, track)
    if progress is not TrackProgress.EXCEEDED or not account.has_refused(track.exceeded):
        return progress
    end_short(run, track)
    await run.recorder.flush()
    return TrackProgress.REACHED


def begin_child(run: ActiveRun, track: Track, *, child: ChildRun) -> ActiveRun:
    """Return a child run at work; that it began is written down once."""
    if not child.begun:
        child.begun = True
        run.recorder.emit(
            EventType.NODE_STARTED, _place(track, child), data={"flow": child.flow, **child.tags}
        )
    return _inner(run, track, child=child)


async def end_walked_child(
    inner: ActiveRun,
    track: Track,
    *,
    progress: TrackProgress,
    failure: WeftError | None,
    around: tuple[ActiveRun, Save],
) -> TrackProgress:
    """End a child run, unless it waits or all around it is short; `around` is the run it is of."""
    if failure is None and progress is TrackProgress.REACHED and inner.frontier.closing:
        failure = inner.frontier.track.exceeded
    if failure is None and progress is not TrackProgress.REACHED:
        inside = inner.frontier.track
        track.exceeded, track.short_at = inside.exceeded, inside.short_at
        return progress
    run, save = around
    child = track.child
    assert child is not None
    track.spent = inner.budget.spent
    end_child(run, child, place=_place(track, child), failure=failure)
    run.record.is_unsaved = True
    await save(run)
    return TrackProgress.REACHED


def reason_of(error: StepFailed | BudgetExceeded) -> WeftError:
    """Return what ended a child run before its time."""
    return error.reason if isinstance(error, StepFailed) else error


def _place(track: Track, child: ChildRun) -> EventOrigin:
    return EventOrigin(node=child.path, parent=track.came[0])


def _inner(run: ActiveRun, track: Track, *, child: ChildRun) -> ActiveRun:
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
