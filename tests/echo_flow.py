"""A flow that the product does not know: it says what was asked, and how many letters it has."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from weft.domain.answer import Answer
from weft.flows.flow import Flow
from weft.flows.state import changed, read
from weft.runtime.context import NodeResult, RunContext
from weft.runtime.flow import FlowSpec, NodeSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoState:
    question: str
    letters: int = 0


@dataclass(frozen=True, slots=True)
class Say:
    async def run(self, ctx: RunContext) -> NodeResult:
        state = read(EchoState, ctx.state)
        if state.question.startswith("wait"):
            await asyncio.sleep(60)
        after = replace(state, letters=len(state.question))
        answer = Answer(answer=state.question, sentences=(), refused=True, missing=(),
                        offline=True, run_id=ctx.run_id)  # fmt: skip
        return NodeResult(state_patch=changed(state, after), answer=answer)


ECHO = Flow(
    spec=FlowSpec(
        name="echo", entry="say", exits=("say",), nodes=(NodeSpec(id="say", uses="say"),)
    ),
    state=EchoState,
    begin=lambda asking: EchoState(question=asking.question),
    nodes=lambda services: {"say": Say()},
    summary="Says what was asked.",
    labels={"say": "Saying it again"},
    payload=lambda state: {"letters": state["letters"]},
)

# `weft` of a product with that line in its catalogue.
LAUNCHER = """
from echo_flow import ECHO
from weft.flows import catalog
catalog.FLOWS += (ECHO,)
from weft.cli.main import main
main()
"""
