"""A run gone through once more, on records that keep nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Protocol

from weft.agents.roles import Agents
from weft.agents.tools.library import RunLibrary
from weft.domain.answer import Answer
from weft.domain.event import RunEvent
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.flows.reading_rights import ReadingRights
from weft.flows.replay.recording import Recording
from weft.flows.replay.unwritten import (
    RecordedClock,
    UnwrittenAudit,
    UnwrittenEvents,
    UnwrittenTape,
    UnwrittenToolRuns,
)
from weft.flows.roles import RoleFiller
from weft.flows.running import FlowRunner
from weft.flows.services import Services
from weft.flows.toolkits import GivenBases, Toolkits
from weft.platform.identity import narrow, replaying
from weft.platform.manifest import ToolCatalog
from weft.platform.recorded_calls import RecordedCalls
from weft.platform.tools import Dispatcher, DispatcherDeps
from weft.ports.policy import Policy
from weft.ports.records.tape import TapeKind
from weft.runtime.context import RunSeed
from weft.runtime.control import RunControl
from weft.runtime.engines.engine import FlowEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to be other than it was: a prompt's version (`answer@v2`), or the model by name."""

    prompt: str = ""
    model: str = ""

    def __bool__(self) -> bool:
        """Tell whether anything is."""
        return bool(self.prompt or self.model)


AS_IT_WAS = Change()


class ReplayModels(Protocol):
    """Makes what fills roles in a replay."""

    def recorded(self, name: str, dispatcher: Dispatcher) -> Agents:
        """Return a model of that name that says nothing but what is on the tape."""
        ...

    def changed(
        self, name: str, change: Change, *, dispatcher: Dispatcher
    ) -> AbstractAsyncContextManager[Agents | None]:
        """Open what fills the roles of a run of that model once something is changed.

        None where rules do. Raises `BadInput` for a prompt or a model that there is not.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """What a replay gave: its events, its answer if it came so far, what it read."""

    events: Sequence[RunEvent]
    answer: Answer | None
    read: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayParts:
    """What a replay needs besides what runs flows; `policy` is one that writes nothing down."""

    models: ReplayModels
    tools: ToolCatalog
    policy: Policy
    reading: ReadingRights


@dataclass(frozen=True, slots=True, kw_only=True)
class Reenactment:
    """A recording, and with what it is gone through once more."""

    runner: FlowRunner
    parts: ReplayParts
    recording: Recording
    change: Change = AS_IT_WAS

    async def run(self, scope: Scope) -> Again:
        """Run the flow from where it began, under a caller's rights."""
        model, models, dispatcher = self.recording.beginning.model, self.parts.models, self._calls()
        if self.change:
            async with models.changed(model, self.change, dispatcher=dispatcher) as agents:
                return await self._driven(scope, dispatcher, RoleFiller(agents))
        agents = models.recorded(model, dispatcher) if model else None
        return await self._driven(scope, dispatcher, RoleFiller(agents))

    async def _driven(self, scope: Scope, dispatcher: Dispatcher, filler: RoleFiller) -> Again:
        header, beginning = self.recording.run.header, self.recording.beginning
        narrowed = scope if beginning.sources is None else narrow(scope, beginning.sources)
        if not self.change:  # nothing that is read is shown
            narrowed = replaying(narrowed, sees_places=beginning.sees_places)
        seed = RunSeed(
            run_id=header.run_id,
            scope=narrowed,
            agent_id=header.agent,
            kb_refs=header.kb_refs,
            state=beginning.state,
            limits=beginning.limits,
            answers=beginning.answers,
        )
        control, sink, tape = RunControl(), UnwrittenEvents(), self._tape()
        for more in beginning.granted:
            control.grant(more)
        services = self._services(dispatcher, filler, tape=tape)
        flow = self.runner.catalog.find(header.flow)
        engine = FlowEngine(flow.nodes(services), sink, clock=services.clock)
        given = GivenBases(names=seed.kb_refs, skips_blocked=flow.skips_blocked)
        async with services.toolkits.opened(narrowed, seed.run_id, bases=given):
            outcome = await engine.run(flow.spec, seed, control=control)
        read = tuple(sorted({one.document for one in tape.read}))
        return Again(events=sink.events, answer=outcome.answer, read=read)

    def _calls(self) -> Dispatcher:
        clock = RecordedClock(self.runner.services.clock, self.recording.run.header.started)
        return Dispatcher(
            DispatcherDeps(
                catalog=self.parts.tools,
                policy=self.parts.policy,
                tool_runs=UnwrittenToolRuns(),
                audit=UnwrittenAudit(),
                clock=clock,
            )
        )

    def _tape(self) -> UnwrittenTape:
        """Return the tape, without what another model had said."""
        now, then = self.change.model, self.recording.beginning.model
        is_other = bool(now) and now.partition(":")[2] != then
        others = {TapeKind.MODEL, TapeKind.FAILURE} if is_other else set()
        return UnwrittenTape(one for one in self.recording.tape if one.kind not in others)

    def _services(
        self, dispatcher: Dispatcher, filler: RoleFiller, *, tape: UnwrittenTape
    ) -> Services:
        """Return the services of the process, on records that keep nothing."""
        known, recording, policy = self.runner.services, self.recording, self.parts.policy

        async def open_library(scope: Scope, names: tuple[str, ...]) -> RunLibrary:
            opened = await known.toolkits.open_library(scope, names)
            return replace(opened, tape=tape, policy=policy)

        recorded = RecordedCalls(recording.calls, recording.tape, is_all=not self.change)
        return replace(
            known,
            filler=filler,
            # How knowledge bases stand is looked at anew: one that is away now is a difference.
            toolkits=Toolkits(
                dispatcher, open_library, survey=known.toolkits.standing, recorded=recorded
            ),
            policy=policy,
            audit=UnwrittenAudit(),
            tape=tape,
            tool_runs=UnwrittenToolRuns(),
            clock=dispatcher.clock,
            unsupported=recording.beginning.unsupported,
            caution=recording.beginning.caution,
        )
