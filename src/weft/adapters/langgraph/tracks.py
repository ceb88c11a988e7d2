"""The tracks of a run as LangGraph is told of them: by where they are in the tree of branches."""

from __future__ import annotations

import asyncio
from dataclasses import field

from weft.domain.errors import BudgetExceeded
from weft.domain.frozen import dataclass
from weft.runtime.active import ActiveRun
from weft.runtime.engines.walking import (
    Save,
    begin_child,
    end_failed,
    end_walked,
    end_walked_child,
    join_branches,
    reason_of,
    take_exit,
    take_step,
)
from weft.runtime.frontier import Track
from weft.runtime.node_call import StepFailed
from weft.runtime.step import TrackProgress
from weft.runtime.tasks import stop

_CHILD = "c/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A step that can be taken now: of the track at a place, by a node of the graph."""

    place: str
    node: str


@dataclass(slots=True, kw_only=True)
class _Standing:
    """A track that was at work: whose run it is of, and what came of its last step."""

    run: ActiveRun
    track: Track
    came: TrackProgress | StepFailed | None = None
    task: asyncio.Task[TrackProgress] | None = None


@dataclass(slots=True)
class Tracks:
    """One walk through a run: which steps are due, and what came of those that were taken.

    A place is empty for the run's first track; `0/` is its first branch, `0/c/` the child run of
    that branch.
    """

    run: ActiveRun
    save: Save
    progress: TrackProgress = TrackProgress.GOING
    _at: dict[str, _Standing] = field(default_factory=dict)
    _children: dict[str, ActiveRun] = field(default_factory=dict)
    _flows: dict[str, str] = field(default_factory=dict)
    _due: list[Due] = field(default_factory=list)

    async def due(self) -> list[Due]:
        """Take in what was done, and return the steps that can be taken now.

        Without any the run has come as far as it can: `progress` says how far. Raises `StepFailed`
        and `BudgetExceeded`.
        """
        self._due = []
        self.progress = await self._walked(self.run, "")
        return self._due

    async def take(self, place: str) -> None:
        """Take the step of the track at a place; one that fails ends the steps beside it."""
        standing = self._at[place]
        step = take_step(standing.run, standing.track, save=self.save)
        task = standing.task = asyncio.create_task(step)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            await stop([task])
            raise
        finally:
            standing.task = None
        if task.cancelled():  # a step beside it has failed: nobody asks what came of this one
            return
        error = task.exception()
        if isinstance(error, StepFailed):
            standing.came = error
            await self._end_beside(place)
        elif error is not None:
            raise error
        else:
            standing.came = task.result()

    async def _end_beside(self, place: str) -> None:
        """End the steps that go on within what a failure at a place ends."""
        around = self._ended_with(place)
        beside = [one.task for where, one in self._at.items() if where.startswith(around)]
        await stop([task for task in beside if task is not None])

    def _ended_with(self, place: str) -> str:
        """Return the place of the optional branch or the child run that a failure ends."""
        while place:
            standing = self._at.get(place)
            is_child = place.endswith(_CHILD)
            if is_child or (standing is not None and standing.track.optional_head):
                return place
            place = place[: place.rstrip("/").rfind("/") + 1]
        return place

    async def _walked(self, run: ActiveRun, place: str) -> TrackProgress:
        progress = await self._advanced(run, run.frontier.track, place)
        if take_exit(run, progress):
            self._forget(place)
            progress = await self._advanced(run, run.frontier.track, place)
        return progress

    async def _advanced(self, run: ActiveRun, track: Track, place: str) -> TrackProgress:
        """Return how far a track has come; GOING as long as a step of it is due."""
        standing = self._at.setdefault(place, _Standing(run=run, track=track))
        while True:
            came = standing.came
            if isinstance(came, StepFailed):
                standing.came = None
                raise came
            if came in (TrackProgress.SUSPENDED, TrackProgress.EXCEEDED):
                return came
            standing.came = None
            if track.branches or track.into:
                progress = await self._joined(run, track, place)
                if progress is not TrackProgress.GOING or self._waits_for(place):
                    return progress
            elif track.at == track.stop:
                return TrackProgress.REACHED
            else:
                self._due.append(Due(place=place, node=self._node(track.at, place)))
                return TrackProgress.GOING

    def _node(self, node: str, place: str) -> str:
        """Return what LangGraph calls the node that the track at a place is at."""
        of_child = place[: place.rfind(_CHILD) + len(_CHILD)] if _CHILD in place else ""
        return graph_name(self._flows.get(of_child, ""), node)

    def _waits_for(self, place: str) -> bool:
        return any(one.place.startswith(place) for one in self._due)

    async def _joined(self, run: ActiveRun, track: Track, place: str) -> TrackProgress:
        progresses = []
        for number, branch in enumerate(track.branches):
            progresses.append(await self._branch(run, branch, f"{place}{number}/"))
        if TrackProgress.GOING in progresses:
            return TrackProgress.GOING
        progress = join_branches(run, track, progresses=progresses)
        if progress is TrackProgress.GOING:
            self._forget(place, but=place)
        return progress

    async def _branch(self, run: ActiveRun, track: Track, place: str) -> TrackProgress:
        if track.child is not None:
            return await self._child(run, track, place)
        try:
            progress = await self._advanced(run, track, place)
        except StepFailed as failure:
            self._forget(place)
            return await end_failed(run, track, failure=failure)
        ended = await end_walked(run, track, progress=progress)
        if ended is not progress:  # it had a share of its own, which is used up
            self._forget(place)
        return ended

    async def _child(self, run: ActiveRun, track: Track, place: str) -> TrackProgress:
        child = track.child
        if child is None or child.frontier is None:
            return TrackProgress.REACHED
        inside = f"{place}{_CHILD}"
        if inside not in self._children:
            outer = self._node("", place)
            self._flows[inside] = f"{outer}{child.flow}/"
            self._children[inside] = begin_child(run, track, child=child)
        inner, failure = self._children[inside], None
        try:
            progress = await self._walked(inner, inside)
        except (StepFailed, BudgetExceeded) as error:
            progress, failure = TrackProgress.REACHED, reason_of(error)
        if progress is TrackProgress.GOING:
            return progress
        around = (run, self.save)
        ended = await end_walked_child(
            inner, track, progress=progress, failure=failure, around=around
        )
        if ended is TrackProgress.REACHED:
            self._forget(inside)
        return ended

    def _forget(self, place: str, *, but: str | None = None) -> None:
        """Forget what came of steps below a place, and which of them are due."""
        for held in (self._at, self._children):
            for where in [one for one in held if one.startswith(place) and one != but]:
                del held[where]
        self._due = [one for one in self._due if not one.place.startswith(place)]


def graph_name(flows: str, node: str) -> str:
    """Return what LangGraph calls a node, below the child flows that it is in (`part/`)."""
    return f"{flows}{node}".replace(":", ".")
