"""A flow with a branch that may break, a question to people, and a search a word, side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from weft.domain.answer import Answer
from weft.flows.flow import Flow
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.runtime.amounts import Limits
from weft.runtime.context import ChildResult, ChildSeed, NodeResult, RunContext
from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyState:
    question: str
    words: tuple[str, ...] = ()
    letters: int = 0
    is_sure: bool = True
    parts: tuple[ChildResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    async def run(self, ctx: RunContext) -> NodeResult:
        state = read(SurveyState, ctx.state)
        words = tuple(dict.fromkeys(word.strip("?.").lower() for word in state.question.split()))
        after = replace(state, words=words, letters=len(state.question))
        return NodeResult(state_patch=changed(state, after))


@dataclass(frozen=True, slots=True)
class Break:
    async def run(self, ctx: RunContext) -> NodeResult:
        if "broken" in str(ctx.state["question"]):
            raise ValueError
        return NodeResult()


@dataclass(frozen=True, slots=True)
class Confirm:
    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        tools = self.services.toolkits.of(ctx).tools(ctx, question="")
        await tools.use("rag_search", query=str(ctx.state["question"]), top_k=1)
        if not str(ctx.state["question"]).startswith("Ask"):
            return NodeResult()
        sure = await ctx.ask({"ask": "Are you sure?"}, key="sure")
        return NodeResult(state_patch={"is_sure": bool(sure)})


@dataclass(frozen=True, slots=True)
class Spread:
    async def run(self, ctx: RunContext) -> NodeResult:
        words = read(SurveyState, ctx.state).words if ctx.state["is_sure"] else ()
        seeds = [ChildSeed(key=f"w{n}", state={"word": word}) for n, word in enumerate(words)]
        return NodeResult(children=tuple(seeds))


@dataclass(frozen=True, slots=True)
class Look:
    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        tools = self.services.toolkits.of(ctx).tools(ctx, question="")
        found: Any = await tools.use("rag_search", query=str(ctx.state["word"]), top_k=2)
        titles = tuple(one["title"] for one in found.get("evidence", ()))
        return NodeResult(state_patch={"titles": titles})


@dataclass(frozen=True, slots=True)
class Tell:
    async def run(self, ctx: RunContext) -> NodeResult:
        parts = read(SurveyState, ctx.state).parts
        lines = [f"{one.state['word']}: {one.state.get('titles', ())}" for one in parts]
        answer = Answer(answer="\n".join(lines), sentences=(), refused=True, missing=(),
                        offline=True, run_id=ctx.run_id)  # fmt: skip
        return NodeResult(answer=answer)


_LOOKING = FlowSpec(
    name="looking",
    entry="look",
    exits=("look",),
    nodes=(NodeSpec(id="look", uses="look", kind=NodeKind.AGENT),),
)
SURVEY = Flow(
    spec=FlowSpec(
        name="survey",
        entry="fork",
        exits=("tell",),
        nodes=(
            NodeSpec(id="fork", kind=NodeKind.PARALLEL),
            NodeSpec(id="count", uses="count"),
            NodeSpec(id="break", uses="break", optional=True),
            NodeSpec(id="confirm", uses="confirm", kind=NodeKind.AGENT),
            NodeSpec(id="each", uses="each", kind=NodeKind.MAP, flow="looking", into="parts"),
            NodeSpec(id="tell", uses="tell"),
        ),
        edges=(
            Edge(source="fork", target="count", kind=EdgeKind.PARALLEL),
            Edge(source="fork", target="break", kind=EdgeKind.PARALLEL),
            Edge(source="count", target="confirm"),
            Edge(source="break", target="confirm"),
            Edge(source="confirm", target="each"),
            Edge(source="each", target="tell"),
        ),
        budget=Limits(tool_calls=40),
        children=(_LOOKING,),
    ),
    state=SurveyState,
    begin=lambda asking: SurveyState(question=asking.question),
    nodes=lambda services: {
        "count": Count(),
        "break": Break(),
        "confirm": Confirm(services),
        "each": Spread(),
        "look": Look(services),
        "tell": Tell(),
    },
    summary="Looks every word up.",
)
