"""Runs that have ended, for programs: gone through once more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from weft.domain.ids import RunId
from weft.platform.identity import local_owner
from weft.sdk.loop import LoopThread

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.flows.replay.replayer import Replay
    from weft.flows.running import FlowRunner


class AsyncRuns:
    """The runs of the owner of this machine, for programs that run a loop."""

    def __init__(self, app: App, runner: Callable[[], Awaitable[FlowRunner]]) -> None:
        """Take the product, and what gives the one that runs flows."""
        self._app = app
        self._runner = runner

    async def replay(self, run_id: str, *, prompt: str = "", model: str = "") -> Replay:
        """Go through a run that has ended once more and compare it with its record.

        `prompt` is another version of one (`answer@v2`), `model` another model by name: what was
        not asked then is asked now. Nothing is changed. Raises `NotFound` and `BadInput`.
        """
        from weft.bootstrap.replay import build_replayer
        from weft.flows.replay.reenactment import Change

        replayer = build_replayer(self._app, await self._runner())
        change = Change(prompt=prompt, model=model)
        return await replayer.replay(local_owner(), RunId(run_id), change)


class EndedRuns:
    """The same for programs without a loop."""

    def __init__(self, inside: AsyncRuns, loop: LoopThread) -> None:
        """Take the runs, and the loop that they are on."""
        self._inside = inside
        self._loop = loop

    def replay(self, run_id: str, *, prompt: str = "", model: str = "") -> Replay:
        """Go through a run that has ended once more and compare it with its record."""
        return self._loop.run(self._inside.replay(run_id, prompt=prompt, model=model))
