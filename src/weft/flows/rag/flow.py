"""The `rag` flow: a question in, an answer out of which every sentence was checked."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from weft.domain.answer import Answer
from weft.domain.errors import NodeFailed
from weft.domain.ids import RunId, digest
from weft.domain.scope import Scope
from weft.flows.desk import AskOptions, Desk, RagHouse
from weft.flows.rag.nodes import STEPS, nodes
from weft.flows.rag.rewriting import Rewrite
from weft.platform.access import require
from weft.platform.audit import audited
from weft.ports.records.audit import Deed
from weft.ports.records.runs import RunHeader, RunStatus
from weft.runtime.budget import Limits, usage_data
from weft.runtime.context import RunSeed
from weft.runtime.engine import SimpleEngine
from weft.runtime.flow import Edge, FlowSpec, NodeKind, NodeSpec
from weft.runtime.outcome import RunOutcome

__all__ = ["FLOW", "AskOptions", "RagHouse", "ask"]

AGENT = "rag@1"
_REWRITE = "rewrite"
_BY_AGENTS = frozenset({"think", _REWRITE})


def _flow(name: str, steps: Sequence[str]) -> FlowSpec:
    return FlowSpec(
        name=name,
        entry=steps[0],
        exits=(steps[-1],),
        nodes=tuple(
            NodeSpec(
                id=step, uses=step, kind=NodeKind.AGENT if step in _BY_AGENTS else NodeKind.STATE
            )
            for step in steps
        ),
        edges=tuple(Edge(source=before, target=after) for before, after in pairwise(steps)),
        budget=Limits(tokens=200_000, tool_calls=16, wall_s=120.0),
        budget_exit=steps[-1],
    )


# guard_input → think → verify → guard_output → finish
FLOW = _flow("rag", STEPS)
# The same in a conversation: a follow-up is made whole before anything is looked for.
TALK = _flow("talk", (STEPS[0], _REWRITE, *STEPS[1:]))
_PREVIEW = 200


async def ask(
    house: RagHouse, scope: Scope, question: str, *, options: AskOptions | None = None
) -> Answer:
    """Return a checked answer or an honest refusal, and leave the run's record behind.

    Raises `Forbidden` without the permission `ask`, `PolicyViolation` when the question may not
    pass, and the errors of stores; a model that fails is replaced by the offline rules.
    """
    began = house.clock.elapsed()
    desk = Desk(house=house, options=options or AskOptions())
    run_id = desk.options.run_id or RunId(secrets.token_hex(8))
    names = tuple(base.name for base in house.library.bases)
    target = f"kb:{','.join(names) or '-'}"
    require(scope, "ask", target)
    header = RunHeader(
        run_id=run_id,
        agent=AGENT,
        flow=_flow_of(desk).name,
        started=house.clock.now(),
        question_hash=digest(question),
        preview=question[:_PREVIEW],
        kb_refs=names,
    )
    async with audited(house.audit, scope, Deed(action="ask", target=target, run_id=run_id)):
        await house.runs.create(scope, header)
        answer = await _answered(desk, scope, question, run_id)
    return replace(answer, took_ms=round((house.clock.elapsed() - began) * 1000, 3))


async def _answered(desk: Desk, scope: Scope, question: str, run_id: RunId) -> Answer:
    outcome = await _run(desk, scope, question, run_id)
    answer = outcome.answer
    summary: dict[str, object] = usage_data(outcome.usage)
    if answer is not None:
        summary |= {"refused": answer.refused, "offline": answer.offline}
    status = RunStatus(outcome.status.value)
    await desk.house.runs.finish(scope, run_id, status=status, summary=summary)
    if outcome.error is not None:
        raise outcome.error
    if answer is None:
        raise NodeFailed("the run ended without an answer", run=run_id)
    return answer


def _flow_of(desk: Desk) -> FlowSpec:
    return FLOW if desk.options.talk is None else TALK


async def _run(desk: Desk, scope: Scope, question: str, run_id: RunId) -> RunOutcome:
    house = desk.house
    steps = {**nodes(desk), _REWRITE: Rewrite(desk)}
    engine = SimpleEngine(steps, house.runs, clock=house.clock)
    seed = RunSeed(
        run_id=run_id,
        scope=scope,
        agent_id=AGENT,
        kb_refs=tuple(base.name for base in house.library.bases),
        state={"question": question},
        limits=desk.options.limits,
    )
    try:
        return await engine.run(_flow_of(desk), seed)
    except asyncio.CancelledError:
        # The engine has written its last event; the header must not say "running" for ever.
        end = house.runs.finish(scope, run_id, status=RunStatus.CANCELLED, summary={})
        await asyncio.shield(asyncio.ensure_future(end))
        raise
