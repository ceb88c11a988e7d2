"""The product as the service holds it, open as long as the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from weft import __version__
from weft.api.edge.metrics import Meters
from weft.bases.readiness import readiness
from weft.bootstrap.app import App, Settings, open_app
from weft.bootstrap.flows import build_flows, load_models
from weft.bootstrap.work_line import WorkLine, build_work_line
from weft.domain.errors import StoreUnavailable
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.domain.readiness import Readiness, State
from weft.domain.scope import Scope
from weft.flows.reading_rights import ReadingRights
from weft.flows.running import FlowRunner
from weft.platform.job_watch import logged_jobs
from weft.platform.stages import observe_stages
from weft.platform.tracing.run_log import RunLog
from weft.ports.store import Store
from weft.ports.telemetry.logs import Logs
from weft.runtime.live_runs import LiveRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedBases:
    """The knowledge bases that a question goes to, and in words which it does not reach.

    `names` are those that a run is given; one that leaves out what is blocked is given all, and
    `standing` tells how each was found.
    """

    stores: tuple[Store, ...]
    left_out: tuple[str, ...]
    names: tuple[str, ...]
    standing: tuple[Readiness, ...] = ()


class Host:
    """Opens the product with the service and closes it with it."""

    def __init__(self, settings: Settings, meters: Meters, *, logs: Logs | None = None) -> None:
        """Open nothing yet."""
        self._logs = logs
        self.settings = settings
        self.meters = meters
        self._app: App | None = None
        self._runs: LiveRuns | None = None
        self._line: WorkLine | None = None
        self._working: asyncio.Task[None] | None = None
        self._flows: FlowRunner | None = None

    @property
    def app(self) -> App:
        """Return the open product; raises `StoreUnavailable` before and after."""
        if self._app is None:
            raise _closed()
        return self._app

    @property
    def runs(self) -> LiveRuns:
        """Return the record of runs, with those who watch it."""
        if self._runs is None:
            raise _closed()
        return self._runs

    @property
    def flows(self) -> FlowRunner:
        """Return what runs flows."""
        if self._flows is None:
            raise _closed()
        return self._flows

    @property
    def line(self) -> WorkLine:
        """Return what works on jobs here."""
        if self._line is None:
            raise _closed()
        return self._line

    async def open(self) -> None:
        """Open the product and begin to work on what waits in line."""
        app = self._app = await open_app(self.settings, is_service=True)
        taps = [self.meters.runs.observe]
        if self._logs is not None:
            taps.append(RunLog(self._logs).observe)
            self._logs.tell("service_started", version=__version__)
        self._runs = LiveRuns(app.records.runs, taps)
        observe_stages(self.meters.runs.stage)
        app.servers.observe(self.meters.runs.store)
        # So that the first question need not wait for a model's framework.
        await asyncio.to_thread(load_models, self.settings)
        self._flows = build_flows(app, runs=self._runs, taps=())
        watcher = None if self._logs is None else logged_jobs(self._logs)
        self._line = build_work_line(app, self._flows, watcher=watcher)
        self._working = asyncio.create_task(self._line.worker.work())

    async def close(self) -> None:
        """Give back what is being worked on, then close."""
        if self._working is not None:
            self._working.cancel()
            with suppress(asyncio.CancelledError):
                await self._working
        if self._app is not None:
            await self._app.close()
            self._app = None

    async def store(self, scope: Scope, name: str, *, to_fill: bool = False) -> Store:
        """Return a knowledge base, or raise `UnknownKnowledgeBase`, `Forbidden` to fill it."""
        return await self.app.library.named(scope, name, to_fill=to_fill)

    async def reach(self, scope: Scope, names: Sequence[str]) -> ReachedBases:
        """Return knowledge bases that can be searched, all that answer if none is named.

        One that is named must answer.
        """
        listed, left_out = names, list[str]()
        if not names:
            found = await readiness(self.app.library, scope)
            blocked = [each for each in found if each.state is State.BLOCKED]
            if blocked and len(blocked) == len(found):
                raise StoreUnavailable(blocked[0].reasons[0])
            left_out = [
                note("left_out", base=each.title, reason=" ".join(each.reasons)) for each in blocked
            ]
            listed = [each.name for each in found if each not in blocked]
        reached: dict[str, Store] = {}
        for name in listed:
            store = await self.store(scope, name)
            self.app.library.check(store, writing=False)
            reached[store.name] = store
        stores = tuple(reached[name] for name in sorted(reached))
        return ReachedBases(stores=stores, left_out=tuple(left_out), names=tuple(sorted(reached)))

    async def survey(self, scope: Scope, names: Sequence[str]) -> ReachedBases:
        """Return knowledge bases for a run that names itself which of them it cannot ask.

        Those that are named, else all that the caller may read; raises `UnknownKnowledgeBase`.
        """
        found = await readiness(self.app.library, scope, names or None)
        usable = [each.name for each in found if each.state is not State.BLOCKED]
        return ReachedBases(
            stores=tuple([await self.store(scope, name) for name in usable]),
            left_out=tuple(
                note("left_out", base=each.title, reason=" ".join(each.reasons))
                for each in found
                if each.state is State.BLOCKED
            ),
            names=tuple(each.name for each in found),
            standing=tuple(found),
        )

    async def stores(self, scope: Scope, names: Sequence[str]) -> Sequence[Store]:
        """Return the knowledge bases of `reach`."""
        return (await self.reach(scope, names)).stores


def _closed() -> StoreUnavailable:
    return StoreUnavailable("The service is starting or stopping.")


def reading_rights(host: Host) -> ReadingRights:
    """Return what tells whether a run may still be shown."""
    return ReadingRights(host.app.library, host.app.records.tape)
