"""The agents of a debate: one for each knowledge base that can be asked, and what came of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace

from weft.domain.errors import NodeFailed
from weft.domain.frozen import dataclass
from weft.domain.notes import read_note
from weft.domain.readiness import State
from weft.flows.asking import Asking
from weft.flows.debate.rounds import claims_of_others, joined
from weft.flows.debate.state import AgentFinding, AgentStatus, DebateState, statuses_of
from weft.flows.flow import Flow
from weft.flows.services import Services
from weft.flows.state import begun, changed, read
from weft.platform.memory import AGENT_RESULT
from weft.ports.records.tape import RunSource
from weft.runtime.context import ChildResult, ChildSeed, ChildStatus, Node, NodeResult, RunContext
from weft.verification.citations import Unsupported

# More knowledge bases than one question goes to.
MOST_AGENTS = 64
SOME, NONE = "some", "none"
AGAIN, DONE = "again", "done"


class AgentFactory:
    """Makes the agents of a debate: a child run of a flow, bound to one knowledge base."""

    def __init__(self, flow: Flow) -> None:
        """Take the flow that each agent is a run of."""
        self._flow = flow

    def seeds(self, state: DebateState) -> tuple[ChildSeed, ...]:
        """Return the child runs of those that take part; none reaches another's knowledge base.

        In a second round each is given what the others have said.
        """
        speaking = "answered" if state.round else "waiting"
        return tuple(
            ChildSeed(
                key=one.kb,
                state=begun(self._flow.begin(self._asking(state, one.kb))),
                kb_refs=(one.kb,),
                tags={"phase": "fan-out", "kb": one.kb, "agent": one.agent},
            )
            for one in state.statuses
            if one.outcome == speaking
        )

    def _asking(self, state: DebateState, base: str) -> Asking:
        return Asking(
            question=state.question,
            knowledge_bases=(base,),
            talk=state.talk,
            within=state.within,
            unsupported=Unsupported(state.unsupported) if state.unsupported else None,
            about=claims_of_others(state.findings, base),
        )


@dataclass(frozen=True, slots=True)
class InTime:
    """A node of an agent that must come to its end: one that hangs holds up nobody."""

    node: Node
    seconds: float

    async def run(self, ctx: RunContext) -> NodeResult:
        """Do the node's work, or raise `NodeFailed` when its time is over."""
        limit = asyncio.timeout(self.seconds)
        try:
            async with limit:
                return await self.node.run(ctx)
        except TimeoutError:
            if not limit.expired():
                raise
            raise NodeFailed(f"It did not answer within {self.seconds:g} s.") from None


@dataclass(frozen=True, slots=True)
class Convene:
    """Where it is seen who can take part."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Make a status for each knowledge base that is asked."""
        state = read(DebateState, ctx.state)
        if state.talk is not None:
            # Each agent may make the question whole by it: this run has read what it quotes.
            read_before: tuple[RunSource, ...] = state.talk.read
            await self.services.tape.add_sources(ctx.scope, ctx.run_id, read_before)
        statuses = _as_many_as_may(statuses_of(self.services.toolkits.of(ctx).standing))
        taking_part = sum(one.outcome == "waiting" for one in statuses)
        return NodeResult(
            state_patch={"statuses": statuses},
            goto=SOME if taking_part else NONE,
            tags={"phase": "orchestration", "agent_count": taking_part},
        )


def _as_many_as_may(statuses: tuple[AgentStatus, ...]) -> tuple[AgentStatus, ...]:
    """Return statuses of which no more take part than may; the others are left out, and told."""
    taking_part = [one.kb for one in statuses if one.outcome == "waiting"]
    beyond = set(taking_part[MOST_AGENTS:])
    reason = f"A debate has at most {MOST_AGENTS} agents; name the knowledge bases that are meant."
    return tuple(
        replace(one, status=str(State.BLOCKED), reason=reason, outcome="left_out")
        if one.kb in beyond
        else one
        for one in statuses
    )


@dataclass(frozen=True, slots=True)
class FanOut:
    """Where all agents begin."""

    factory: AgentFactory

    async def run(self, ctx: RunContext) -> NodeResult:
        """Ask for a child run for each agent."""
        children = self.factory.seeds(read(DebateState, ctx.state))
        return NodeResult(
            children=children, tags={"phase": "fan-out", "agent_count": len(children)}
        )


@dataclass(frozen=True, slots=True)
class Collect:
    """Where what the agents concluded is shared, and who fell out is named."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Share each conclusion; of an agent that failed nothing is kept but the reason."""
        state, memory = read(DebateState, ctx.state), self.services.toolkits.of(ctx).memory
        ended = {one.key: one for one in state.results}
        before = {one.kb: one.answer for one in state.findings}
        findings = tuple(
            AgentFinding(kb=key, answer=joined(before.get(key), one.answer))
            for key, one in sorted(ended.items())
            if one.answer is not None and not _reason(one)
        )
        for finding in findings:
            memory.put(f"{AGENT_RESULT}{finding.kb}", finding)
        after = replace(
            state,
            statuses=tuple(_after(one, ended) for one in state.statuses),
            results=(),
            findings=findings,
            round=state.round + 1,
        )
        return NodeResult(
            state_patch=changed(state, after),
            goto=AGAIN if _has_another_round(after) else DONE,
            tags={"phase": "collect", "agent_count": len(findings)},
        )


def _has_another_round(state: DebateState) -> bool:
    """Tell whether the agents are to speak once more: there must be two to answer each other."""
    speaking = sum(bool(one.answer.sentences) for one in state.findings)
    return state.round < state.rounds and speaking > 1


def _after(status: AgentStatus, ended: Mapping[str, ChildResult]) -> AgentStatus:
    """Return how an agent stands once its run has ended."""
    result = ended.get(status.kb)
    if result is None:
        return status
    reason = _reason(result)
    if reason:
        return replace(status, status=str(State.BLOCKED), reason=reason, outcome="failed")
    return replace(status, outcome="answered")


def _reason(result: ChildResult) -> str:
    """Return why an agent is left out of the synthesis; empty for one that came to an end.

    Where tools failed it and nothing answers, that is no refusal: it could not look.
    """
    if result.status != ChildStatus.FINISHED:
        return result.message or "It did not come to an end."
    answer = result.answer
    if answer is None:
        return "It gave no answer."
    failed = [said for said in answer.notes if read_note(said).code == "tool_failed"]
    return failed[0] if answer.refused and failed else ""


def timed(make: Callable[[Services], Mapping[str, Node]], services: Services) -> dict[str, Node]:
    """Return the nodes of an agent's flow, each with the seconds that an agent may take."""
    return {name: InTime(node, services.agent_s) for name, node in make(services).items()}
