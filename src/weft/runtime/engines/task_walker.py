"""The simple walker: every branch of a run is a task of asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from weft.domain.errors import BudgetExceeded
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
from weft.runtime.frontier import ChildRun, Track
from weft.runtime.node_call import StepFailed
from weft.runtime.step import TrackProgress
from weft.runtime.tasks import stop


class TaskWalker:
    """Implements `Walker` in this process, and keeps nothing."""

    async def walk(self, run: ActiveRun, save: Save) -> TrackProgress:
        """Walk a run to its end, or as far as it comes before it waits."""
        progress = await self._walk(run, run.frontier.track, save)
        if take_exit(run, progress):
            progress = await self._walk(run, run.frontier.track, save)
        return progress

    async def ended(self, run: ActiveRun) -> None:
        """Do nothing: nothing was kept."""

    async def _walk(self, run: ActiveRun, track: Track, save: Save) -> TrackProgress:
        while True:
            if track.branches or track.into:
                progresses = await self._fan_out(run, track.branches, save)
                progress = join_branches(run, track, progresses=progresses)
            elif track.at == track.stop:
                return TrackProgress.REACHED
            else:
                progress = await take_step(run, track, save=save)
            if progress is not TrackProgress.GOING:
                return progress

    async def _fan_out(
        self, run: ActiveRun, branches: Sequence[Track], save: Save
    ) -> list[TrackProgress]:
        tasks = [asyncio.create_task(self._branch(run, branch, save)) for branch in branches]
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

    async def _branch(self, run: ActiveRun, track: Track, save: Save) -> TrackProgress:
        if track.child is not None:
            return await self._child(run, track, track.child, save=save)
        try:
            progress = await self._walk(run, track, save)
        except StepFailed as failure:
            return await end_failed(run, track, failure=failure)
        return await end_walked(run, track, progress=progress)

    async def _child(
        self, run: ActiveRun, track: Track, child: ChildRun, *, save: Save
    ) -> TrackProgress:
        """Walk a child run to its end; what fails or runs short there ends there."""
        if child.frontier is None:
            return TrackProgress.REACHED
        inner = begin_child(run, track, child=child)
        failure = None
        try:
            progress = await self.walk(inner, save)
        except (StepFailed, BudgetExceeded) as error:
            progress, failure = TrackProgress.REACHED, reason_of(error)
        return await end_walked_child(
            inner, track, progress=progress, failure=failure, around=(run, save)
        )
