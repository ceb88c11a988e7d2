"""The walker of LangGraph: its graph schedules the steps, its checkpoints say which are due."""

from __future__ import annotations

from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Durability, Send, interrupt
from langsmith.run_helpers import tracing_context

from weft.adapters.langgraph.checkpoints import Checkpoints
from weft.adapters.langgraph.tracks import Tracks, graph_name
from weft.runtime.active import ActiveRun
from weft.runtime.engines.walking import Save
from weft.runtime.plan import FlowPlan
from weft.runtime.step import TrackProgress

_NEXT, _WAIT = "(next)", "(wait)"
# Loops have bounds of their own, and runs a budget.
_STEPS = 1_000_000


class _Turn(TypedDict):
    """What a checkpoint holds: how often steps were given out, and what the run waits for.

    Where the tracks stand is in the record of the run, with all that must go when a source does.
    """

    turn: int
    waiting: list[str]


class _Step(TypedDict):
    """What a node of the graph is given: the place of the track whose step it takes."""

    place: str


class LangGraphWalker:
    """Implements `Walker`: the graph of each flow is compiled once."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        """Take where the checkpoints of runs that can wait are kept."""
        self._checkpoints = checkpoints
        self._graphs: dict[tuple[str, bool], _Graph] = {}

    async def walk(self, run: ActiveRun, save: Save) -> TrackProgress:
        """Walk a run to its end, or as far as it comes before it waits.

        Raises `StoreUnavailable` where no checkpoint can be kept.
        """
        tracks = Tracks(run, save)
        # What a run works with is nobody's outside, whatever the environment says.
        with self._checkpoints.translated(), tracing_context(enabled=False):
            graph = await self._graph(run)
            config = _config(run)
            given, durability = await _given(graph, config)
            await graph.ainvoke(given, config, context=tracks, durability=durability)
        return tracks.progress

    async def ended(self, run: ActiveRun) -> None:
        """Remove the checkpoints of a run that has ended."""
        if run.record.can_wait:
            saver = await self._checkpoints.saver()
            await saver.adelete_thread(_thread(run))

    async def _graph(self, run: ActiveRun) -> _Graph:
        key = run.plan.flow.fingerprint(), run.record.can_wait
        if key not in self._graphs:
            saver = await self._checkpoints.saver() if run.record.can_wait else None
            self._graphs[key] = _built(run.plan).compile(checkpointer=saver)
        return self._graphs[key]


async def _given(graph: _Graph, config: RunnableConfig) -> tuple[Any, Durability | None]:
    """Return what a graph is begun with: a run that waits goes on, any other begins to walk.

    One whose process died has its place in its own record, whatever its checkpoints say.
    """
    begun = _Turn(turn=0, waiting=[])
    if not graph.checkpointer:
        return begun, None
    standing = await graph.aget_state(config)
    return Command(resume=True) if standing.interrupts else begun, "async"


def _config(run: ActiveRun) -> RunnableConfig:
    return {"configurable": {"thread_id": _thread(run)}, "recursion_limit": _STEPS}


_Builder = StateGraph[_Turn, Tracks, _Turn, _Turn]
_Graph = CompiledStateGraph[_Turn, Tracks, _Turn, _Turn]


def _built(plan: FlowPlan) -> _Builder:
    """Return the graph of a flow: its nodes and those of its child flows, and who comes next."""
    graph: _Builder = StateGraph(_Turn, context_schema=Tracks)
    graph.add_node(_NEXT, _next)
    graph.add_node(_WAIT, _wait)
    graph.add_edge(START, _NEXT)
    graph.add_edge(_WAIT, _NEXT)
    for name in _names(plan, ""):
        graph.add_node(name, _take, input_schema=_Step)
        graph.add_edge(name, _NEXT)
    return graph


def _names(plan: FlowPlan, flows: str) -> list[str]:
    own = [graph_name(flows, node) for node in plan.nodes]
    inner = [_names(child, f"{flows}{name}/") for name, child in plan.children.items()]
    return [*own, *(name for names in inner for name in names)]


async def _next(state: _Turn, runtime: Runtime[Tracks]) -> Command[Any]:
    """Give out the steps that are due, until there are none."""
    tracks = runtime.context
    due = await tracks.due()
    turn = state["turn"] + 1
    if due:
        steps = [Send(one.node, _Step(place=one.place)) for one in due]
        return Command(update={"turn": turn}, goto=steps)
    if tracks.progress is TrackProgress.SUSPENDED and tracks.run.record.can_wait:
        asked = [one.key for one in tracks.run.record.questions]
        return Command(update={"turn": turn, "waiting": asked}, goto=_WAIT)
    return Command(update={"turn": turn}, goto=END)


async def _wait(state: _Turn) -> Command[Any]:
    """Stand still until the run goes on; its answers are in its record by then."""
    interrupt({"waiting": state["waiting"]})
    return Command(update={"waiting": []})


async def _take(state: _Step, runtime: Runtime[Tracks]) -> None:
    await runtime.context.take(state["place"])


def _thread(run: ActiveRun) -> str:
    return f"{run.seed.scope.tenant}/{run.seed.run_id}"
