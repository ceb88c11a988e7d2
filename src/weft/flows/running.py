"""Running any flow: the gate, the audit, the run's record, the engine, the end."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

from weft.domain.errors import NodeFailed
from weft.domain.ids import RunId, digest
from weft.domain.scope import Scope
from weft.flows.asking import Asking, FlowOutcome
from weft.flows.catalog import FlowCatalog
from weft.flows.flow import Flow
from weft.flows.services import Services
from weft.flows.state import begun, codec_of
from weft.platform.access import require
from weft.platform.audit import audited
from weft.ports.records.audit import Deed
from weft.ports.records.runs import RunHeader, RunStatus
from weft.ports.store import Base
from weft.runtime.budget import usage_data
from weft.runtime.context import RunSeed
from weft.runtime.engine import SimpleEngine
from weft.runtime.outcome import RunOutcome

_PREVIEW = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A run that has begun: its flow, its id and what was asked."""

    flow: Flow
    run_id: RunId
    asking: Asking


class FlowRunner:
    """Runs flows in this process; the nodes of each are made once."""

    def __init__(self, services: Services, catalog: FlowCatalog | None = None) -> None:
        """Take the services of the process, and the flows there are."""
        self.services = services
        self.catalog = catalog or FlowCatalog()
        self._codec = codec_of(flow.state for flow in self.catalog.flows())
        self._engines: dict[str, SimpleEngine] = {}

    async def run(self, scope: Scope, asking: Asking) -> FlowOutcome:
        """Run a flow for a question and leave the run's record behind.

        Raises `Forbidden` without the permission `ask`, `NotFound` for an unknown flow,
        `PolicyViolation` when the question may not pass, and the errors of stores; a model that
        fails is replaced by the offline rules.
        """
        services, flow = self.services, self.catalog.find(asking.flow)
        began = services.clock.elapsed()
        run_id = asking.run_id or RunId(secrets.token_hex(8))
        names = asking.knowledge_bases
        target = f"kb:{','.join(names) or '-'}"
        require(scope, "ask", target)
        header = RunHeader(
            run_id=run_id,
            agent=flow.agent,
            flow=flow.name,
            started=services.clock.now(),
            question_hash=digest(asking.question),
            preview=asking.question[:_PREVIEW],
            kb_refs=names,
        )
        deed = Deed(action="ask", target=target, run_id=run_id)
        async with (
            audited(services.audit, scope, deed),
            services.toolkits.opened(scope, run_id, names=names),
        ):
            await services.runs.create(scope, header)
            opened = _Opened(flow=flow, run_id=run_id, asking=asking)
            outcome = await self._finished(scope, opened)
        ms = round((services.clock.elapsed() - began) * 1000, 3)
        return replace(outcome, answer=replace(outcome.answer, took_ms=ms))

    async def bases(self, scope: Scope, names: tuple[str, ...]) -> tuple[Base, ...]:
        """Return knowledge bases as a run is given them, or raise `UnknownKnowledgeBase`."""
        return (await self.services.toolkits.open_library(scope, names)).bases

    async def _finished(self, scope: Scope, opened: _Opened) -> FlowOutcome:
        outcome = await self._driven(scope, opened)
        answer = outcome.answer
        summary: dict[str, object] = usage_data(outcome.usage)
        if answer is not None:
            summary |= {"refused": answer.refused, "offline": answer.offline}
        await self._end(scope, opened.run_id, RunStatus(outcome.status.value), summary)
        if outcome.error is not None:
            raise outcome.error
        if answer is None:
            raise NodeFailed("the run ended without an answer", run=opened.run_id)
        return FlowOutcome(answer=answer, payload=opened.flow.payload(outcome.state))

    async def _driven(self, scope: Scope, opened: _Opened) -> RunOutcome:
        flow, asking = opened.flow, opened.asking
        seed = RunSeed(
            run_id=opened.run_id,
            scope=scope,
            agent_id=flow.agent,
            kb_refs=asking.knowledge_bases,
            state=begun(flow.begin(asking)),
            limits=asking.limits,
        )
        try:
            return await self._engine(flow).run(flow.spec, seed)
        except asyncio.CancelledError:
            # The engine has written its last event; the header must not say "running" for ever.
            end = self._end(scope, opened.run_id, RunStatus.CANCELLED, {})
            await asyncio.shield(asyncio.ensure_future(end))
            raise

    async def _end(
        self, scope: Scope, run_id: RunId, status: RunStatus, summary: Mapping[str, object]
    ) -> None:
        await self.services.runs.finish(scope, run_id, status=status, summary=summary)

    def _engine(self, flow: Flow) -> SimpleEngine:
        if flow.name not in self._engines:
            nodes = flow.nodes(self.services)
            services = self.services
            self._engines[flow.name] = SimpleEngine(
                nodes, services.runs, clock=services.clock, codec=self._codec
            )
        return self._engines[flow.name]
