"""The product as the service holds it, open as long as the service runs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress

from weft import __version__
from weft.api.edge.metrics import Meters
from weft.bases.readiness import readiness
from weft.bootstrap.app import App, Settings, open_app
from weft.bootstrap.flows import build_flows, load_models
from weft.bootstrap.work_line import WorkLine, build_work_line
from weft.domain.errors import (
    Forbidden,
    IndexMismatch,
    StoreUnavailable,
    UnknownKnowledgeBase,
)
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.domain.readiness import Readiness, State
from weft.domain.scope import Scope
from weft.flows.reading_rights import ReadingRights
from weft.flows.running import FlowRunner
from weft.platform.access import authorize
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
        if not names:
            return await self._reach_all(scope)
        reached: dict[str, Store] = {}
        for name in names:
            store = await self._searchable(scope, name)
            reached[store.name] = store
        return _reached(reached.values(), left_out=())

    async def _reach_all(self, scope: Scope) -> ReachedBases:
        """Return all that answer: who names none is not refused for what one of them has.

        One that is dropped or closed to the caller meanwhile is as if it had never been there.
        """
        found = await readiness(self.app.library, scope)
        usable = [each for each in found if each.state is not State.BLOCKED]
        blocked = {each.title: " ".join(each.reasons) for each in found if each not in usable}
        if found and not usable:
            raise StoreUnavailable(found[0].reasons[0])
        reached: list[Store] = []
        for each in usable:
            try:
                reached.append(await self._searchable(scope, each.name))
            except (UnknownKnowledgeBase, Forbidden):
                continue
            except (StoreUnavailable, IndexMismatch) as error:
                blocked[each.title] = error.message
        left_out = [note("left_out", base=base, reason=why) for base, why in blocked.items()]
        return _reached(reached, left_out=left_out)

    async def _searchable(self, scope: Scope, name: str) -> Store:
        store = await self.store(scope, name)
        self.app.library.check(store, writing=False)
        return store

    async def survey(self, scope: Scope, names: Sequence[str]) -> ReachedBases:
        """Return knowledge bases for a run that names itself which of them it cannot ask.

        Those that are named, else all that the caller may read; raises `UnknownKnowledgeBase`.
        """
        found = await readiness(self.app.library, scope, names or None)
        stores: list[Store] = []
        standing: list[Readiness] = []
        for each in found:
            try:
                if each.state is not State.BLOCKED:
                    stores.append(await self.store(scope, each.name))
            except (UnknownKnowledgeBase, Forbidden, StoreUnavailable) as error:
                if names:
                    raise
                if not isinstance(error, StoreUnavailable):
                    continue  # nobody asked for it, so nobody is told that it was there
            standing.append(each)
        return ReachedBases(
            stores=tuple(stores),
            left_out=tuple(
                note("left_out", base=each.title, reason=" ".join(each.reasons))
                for each in standing
                if each.state is State.BLOCKED
            ),
            names=tuple(each.name for each in standing),
            standing=tuple(standing),
        )

    async def stores(self, scope: Scope, names: Sequence[str]) -> Sequence[Store]:
        """Return the knowledge bases of `reach`."""
        return (await self.reach(scope, names)).stores


def _reached(stores: Iterable[Store], *, left_out: Sequence[str]) -> ReachedBases:
    found = tuple(sorted(stores, key=lambda store: store.name))
    return ReachedBases(
        stores=found, left_out=tuple(left_out), names=tuple(store.name for store in found)
    )


def _closed() -> StoreUnavailable:
    return StoreUnavailable("The service is starting or stopping.")


async def may_fill(host: Host, scope: Scope, name: str) -> bool:
    """Tell whether a knowledge base is open to the caller to be filled."""
    base = await host.app.records.bases.named(scope, name)
    return authorize(scope, "kb.write", base.guard).allowed


def reading_rights(host: Host) -> ReadingRights:
    """Return what tells whether a run may still be shown."""
    return ReadingRights(host.app.library, host.app.records.tape)
