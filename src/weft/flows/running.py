"""Running any flow: the gate, the audit, the run's record, the engine, the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from typing import cast

from weft.domain.errors import (
    BadInput,
    Cancelled,
    NodeFailed,
    NotFound,
    RunSuspended,
    StoreUnavailable,
    WeftError,
)
from weft.domain.event import TERMINAL, EventType, RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId, digest
from weft.domain.scope import Scope
from weft.flows.asking import Asking, FlowOutcome
from weft.flows.beginning import Beginnings, begin
from weft.flows.catalog import FlowCatalog
from weft.flows.estimating import RunEstimate, estimated
from weft.flows.flow import Flow
from weft.flows.kept import keep_report
from weft.flows.services import Services
from weft.flows.state import begun
from weft.flows.toolkits import GivenBases
from weft.platform.access import require
from weft.platform.audit import AuditedAct, audited, enter_run
from weft.platform.policy import passable
from weft.platform.secret import random_hex
from weft.platform.taint import Taint
from weft.ports.records.audit import Deed
from weft.ports.records.runs import ENDED_BY, RunHeader, RunStatus
from weft.ports.records.steering import OrderKind
from weft.ports.store import Base
from weft.runtime.amounts import Limits, completed, usage_data, within
from weft.runtime.context import RunSeed
from weft.runtime.control import RunControl
from weft.runtime.engines.engine import FlowEngine
from weft.runtime.outcome import RunOutcome
from weft.runtime.state import failure_data
from weft.runtime.tasks import insist, whole

_PREVIEW = 200
# How often a run looks for orders from other processes.
_LOOK_SECONDS = 0.5
# The event that ends a record, and its data.
_LastWord = tuple[EventType, Mapping[str, object]]
_CANCELLED: _LastWord = (EventType.RUN_CANCELLED, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """A run at work: its flow, what it starts from, and what it goes on from if it is resumed."""

    flow: Flow
    seed: RunSeed
    answers: Mapping[str, object] | None = None
    last_seq: int = 0


class FlowRunner:
    """Runs flows in this process; the nodes of each are made once."""

    def __init__(self, services: Services, catalog: FlowCatalog | None = None) -> None:
        """Take the services of the process, and the flows there are."""
        self.services = services
        self.catalog = catalog or FlowCatalog()
        self._engines: dict[str, FlowEngine] = {}
        self._beginnings: dict[str, Beginnings] = {}
        self._controls: dict[tuple[str, RunId], RunControl] = {}

    async def run(self, scope: Scope, asking: Asking) -> FlowOutcome:
        """Run a flow for a question and leave the run's record behind.

        Raises `Forbidden` without the permission `ask`, `NotFound` for an unknown flow,
        `PolicyViolation` when the question may not pass, `RunSuspended` for a run that waits or
        was paused, `Cancelled` for one that was ordered to end, and the errors of stores; a model
        that fails is replaced by the offline rules.
        """
        services, flow = self.services, self.catalog.find(asking.flow)
        if asking.meaning and not flow.takes_meanings:
            raise BadInput(f"meaning: the flow '{flow.name}' takes none; rag and router do.")
        began = services.clock.elapsed()
        names = asking.knowledge_bases
        limits = within(completed(asking.limits, flow.spec.budget), services.most)
        if services.quota is not None and not services.filler.is_offline:
            model = services.filler.model
            left = await services.quota.left(scope, flow=flow.name, model=model)
            limits = within(limits, left)
        seed = RunSeed(
            run_id=asking.run_id or RunId(random_hex(8)),
            scope=scope,
            agent_id=flow.agent,
            kb_refs=names,
            state=begun(flow.begin(asking)),
            limits=limits,
        )
        given = GivenBases(
            names=names, skips_blocked=flow.skips_blocked, names_none=asking.names_none
        )
        named = replace(asking, run_id=seed.run_id)
        talk = asking.talk  # whose answers are of what was read
        taint = Taint(asking.written, tainted=talk is not None and bool(talk.turns))
        async with (
            self._permitted(scope, seed),
            services.toolkits.opened(scope, seed.run_id, bases=given, taint=taint),
        ):
            await self.announce(scope, named)
            known = begin(flow.spec.fingerprint(), seed, services=services)
            await self.beginnings(flow).keep(scope, seed.run_id, known, asking=asking)
            outcome = await self._finished(_Begun(flow=flow, seed=seed))
        return self._timed(outcome, began)

    def _timed(self, outcome: FlowOutcome, began: float) -> FlowOutcome:
        """Return an outcome whose answer says how long it took from then on."""
        ms = round((self.services.clock.elapsed() - began) * 1000, 3)
        return replace(outcome, answer=replace(outcome.answer, took_ms=ms))

    async def announce(self, scope: Scope, asking: Asking) -> None:
        """Begin the record of a run that is named; again changes nothing."""
        flow = self.catalog.find(asking.flow)
        assert asking.run_id is not None
        header = RunHeader(
            run_id=asking.run_id,
            agent=flow.agent,
            flow=flow.name,
            started=self.services.clock.now(),
            question_hash=digest(asking.question),
            preview=asking.question[:_PREVIEW],
            kb_refs=asking.knowledge_bases,
        )
        await self.services.runs.create(scope, header)

    @asynccontextmanager
    async def recorded(self, scope: Scope, asking: Asking) -> AsyncIterator[None]:
        """Begin the record of a run that is named, for whoever waits for what the block gives.

        A block that is cancelled, or fails before its run has an event, ends the record with a
        last event of its own.
        """
        assert asking.run_id is not None
        try:
            await whole(self.announce(scope, asking))
            yield
        except (WeftError, asyncio.CancelledError) as error:
            await insist(self._left(scope, asking.run_id, error))
            raise

    async def resume(
        self,
        scope: Scope,
        run_id: RunId,
        *,
        answers: Mapping[str, object] | None = None,
        names_none: bool = False,
    ) -> FlowOutcome:
        """Go on with a run of the caller that waits, was paused, or whose process died.

        What had been found is found again under the caller's rights of today, of a question that
        `names_none` in the knowledge bases that are left. Raises `NotFound` where nothing is left
        to go on from, and what `run` raises.
        """
        services, began = self.services, self.services.clock.elapsed()
        run = await services.runs.get(scope, run_id)
        if (scope.tenant, run_id) in self._controls:
            raise BadInput("the run goes on already.")
        if run.actor != scope.actor:
            raise NotFound("there is no run of yours of that name", run=run_id)
        flow, names = self.catalog.find(run.header.flow), run.header.kb_refs
        seed = RunSeed(run_id=run_id, scope=scope, agent_id=flow.agent, kb_refs=names)
        given = GivenBases(names=names, skips_blocked=flow.skips_blocked, names_none=names_none)
        calls = await services.tool_runs.of_run(scope, run_id)
        events = await services.runs.events(scope, run_id)
        known = await self.beginnings(flow).find(scope, run_id)
        taint = Taint(known.written if known is not None else (), tainted=True)
        begun_before = _Begun(
            flow=flow,
            seed=seed,
            answers=answers or {},
            last_seq=events[-1].seq if events else 0,
        )
        async with (
            self._permitted(scope, seed),
            services.toolkits.opened(scope, run_id, bases=given, calls=calls, taint=taint),
        ):
            await self.beginnings(flow).answered(scope, run_id, answers or {})
            outcome = await self._finished(begun_before)
        return self._timed(outcome, began)

    async def bases(
        self, scope: Scope, names: tuple[str, ...], *, flow: str = "", names_none: bool = False
    ) -> tuple[Base, ...]:
        """Return knowledge bases as a run is given them, or raise `UnknownKnowledgeBase`."""
        skips = self.catalog.find(flow).skips_blocked
        given = GivenBases(names=names, skips_blocked=skips, names_none=names_none)
        library, _ = await self.services.toolkits.library(scope, given)
        return library.bases

    async def estimate(self, scope: Scope, flow: str = "") -> RunEstimate:
        """Return what a run will take, before it begins; raise `NotFound` for an unknown flow."""
        require(scope, "ask", "flow:any")
        return await estimated(self.services, self.catalog.find(flow), scope)

    def beginnings(self, flow: Flow) -> Beginnings:
        """Return what keeps the beginnings of a flow's runs."""
        if flow.name not in self._beginnings:
            self._beginnings[flow.name] = Beginnings(self.services.tape, flow.codec())
        return self._beginnings[flow.name]

    def control(self, scope: Scope, run_id: RunId) -> RunControl | None:
        """Return what steers a run that goes on in this process; None for any other."""
        return self._controls.get((scope.tenant, run_id))

    def _permitted(self, scope: Scope, seed: RunSeed) -> AuditedAct:
        target = f"kb:{','.join(seed.kb_refs) or '-'}"
        require(scope, "ask", target)
        deed = Deed(action="ask", target=target, run_id=seed.run_id)
        return audited(self.services.audit, scope, deed)

    async def _finished(self, run: _Begun) -> FlowOutcome:
        outcome = await self._driven(run)
        seed, answer = run.seed, outcome.answer
        if outcome.status is RunStatus.SUSPENDED:
            keys = [question.key for question in outcome.questions]
            raise RunSuspended(run=seed.run_id, questions=keys)
        summary: dict[str, object] = usage_data(outcome.usage)
        if answer is not None:
            summary |= {
                "refused": answer.refused,
                "offline": answer.offline,
                "outcome": answer.outcome.value,
                "citations": len({each.n for one in answer.sentences for each in one.citations}),
            }
        payload: Mapping[str, object] = {}
        if outcome.error is None and answer is not None:
            # Before the run is said to have ended: whoever waits for that reads it then.
            payload = await self._given_besides(run, outcome)
        await self._end(seed.scope, seed.run_id, status=outcome.status, summary=summary)
        if outcome.error is not None:
            raise outcome.error
        if answer is None:
            raise NodeFailed("the run ended without an answer", run=seed.run_id)
        return FlowOutcome(answer=answer, payload=payload)

    async def _given_besides(self, run: _Begun, outcome: RunOutcome) -> Mapping[str, object]:
        """Return what a run gives besides its answer; a report is kept on the tape."""
        flow, seed, services, answer = run.flow, run.seed, self.services, outcome.answer
        told = await passable(services.policy, seed.scope, value=flow.payload(outcome.state))
        payload = dict(cast("Mapping[str, object]", told))
        if flow.trace is not None:
            events = await services.runs.events(seed.scope, seed.run_id)
            payload["trace_steps"] = list(flow.trace(events))
        if flow.is_kept:
            assert answer is not None  # of a run without one nothing is asked besides
            kept = {**payload, "outcome": answer.outcome.value}
            await keep_report(services.tape, seed.scope, seed.run_id, payload=kept)
        return payload

    async def _driven(self, run: _Begun) -> RunOutcome:
        seed = run.seed
        key = seed.scope.tenant, seed.run_id
        control = self._controls[key] = RunControl()
        if run.answers is not None:
            await self._obey(run, control, None)  # what was granted while it stood still
        working = asyncio.create_task(self._walked(run, control))
        heeding = asyncio.create_task(self._heed(run, control, working))
        try:
            return await working
        except asyncio.CancelledError:
            working.cancel()
            await asyncio.wait({working})
            # The engine may not have begun; the header must not say "running" for ever.
            end = self._cut_short(seed.scope, seed.run_id, _CANCELLED)
            await asyncio.shield(asyncio.ensure_future(end))
            if control.is_cancelled and not _is_leaving():
                raise Cancelled("The run was cancelled.", run=seed.run_id) from None
            raise
        finally:
            heeding.cancel()
            del self._controls[key]

    async def _walked(self, run: _Begun, control: RunControl) -> RunOutcome:
        enter_run(run.seed.run_id)
        engine, spec = self._engine(run.flow), run.flow.spec
        if run.answers is None:
            return await engine.run(spec, run.seed, control=control)
        return await engine.resume(
            spec, run.seed, answers=run.answers, last_seq=run.last_seq, control=control
        )

    async def _heed(
        self, run: _Begun, control: RunControl, working: asyncio.Task[RunOutcome]
    ) -> None:
        """Do what is ordered of a run, from whichever process, as long as it goes on."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            with suppress(StoreUnavailable):  # the next look may come through
                await self._obey(run, control, working)

    async def _obey(
        self, run: _Begun, control: RunControl, working: asyncio.Task[RunOutcome] | None
    ) -> None:
        for order in await self.services.steering.take(run.seed.scope, run.seed.run_id):
            if order.kind is OrderKind.GRANT:
                more = Limits(**asdict(order.more))
                control.grant(more, most=self.services.most)
                kept = self.beginnings(run.flow)
                await kept.granted(run.seed.scope, run.seed.run_id, more)
            elif working is not None and order.kind is OrderKind.CANCEL:
                control.cancel()
                working.cancel()
            elif working is not None:
                control.pause()

    async def _left(self, scope: Scope, run_id: RunId, error: BaseException) -> None:
        """End a record that its run will not end, since it never began or was left meanwhile."""
        runs = self.services.runs
        with suppress(WeftError):  # what went wrong first is what is told
            if (scope.tenant, run_id) in self._controls:
                return  # it goes on ending, and says so itself
            if (await runs.get(scope, run_id)).status is not RunStatus.RUNNING:
                return
            if not isinstance(error, WeftError):
                await self._cut_short(scope, run_id, _CANCELLED)
            elif not await runs.events(scope, run_id):
                data = failure_data("", error)
                await self._cut_short(scope, run_id, (EventType.RUN_FAILED, data))

    async def _cut_short(self, scope: Scope, run_id: RunId, last: _LastWord) -> None:
        """End a run's record, with this for its last event where it has none yet."""
        runs = self.services.runs
        events = await runs.events(scope, run_id)
        kind, data = last
        if events and events[-1].type in TERMINAL:
            kind = events[-1].type
        else:
            now, seq = self.services.clock.now(), len(events) + 1
            event = RunEvent(seq=seq, run_id=run_id, ts=now, type=kind, data=data)
            await runs.append(scope, [event])
        await self._end(scope, run_id, status=ENDED_BY[kind], summary={})

    async def _end(
        self, scope: Scope, run_id: RunId, *, status: RunStatus, summary: Mapping[str, object]
    ) -> None:
        await self.services.runs.finish(scope, run_id, status=status, summary=summary)
        await self.services.steering.take(scope, run_id)  # too late for any order
        if self.services.traces is not None:
            self.services.traces.ended(scope, run_id)

    def _engine(self, flow: Flow) -> FlowEngine:
        if flow.name not in self._engines:
            services = self.services
            self._engines[flow.name] = FlowEngine(
                flow.nodes(services),
                services.runs,
                clock=services.clock,
                frontier_store=services.runs,
                codec=flow.codec(),
            ).under(services.walker)
        return self._engines[flow.name]


def _is_leaving() -> bool:
    """Tell whether whoever asks was cancelled itself, and not only the run."""
    asking = asyncio.current_task()
    return asking is not None and asking.cancelling() > 0
