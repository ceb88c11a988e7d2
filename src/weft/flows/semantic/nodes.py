"""The steps that choose a side of the graph and ask it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from weft.agents.answering import AskedQuestion, DraftAnswer
from weft.agents.evidence import EvidenceBook
from weft.agents.routing import SIDE_ROUTER, GraphSide, to_route
from weft.agents.specialists import GRAPH_AGENT, RDF_AGENT
from weft.agents.toolbox import RuleTools
from weft.domain.entity import NodeCandidate
from weft.domain.frozen import dataclass
from weft.flows.rag.nodes import Think
from weft.flows.rag.state import DraftedSentence
from weft.flows.roles import Work
from weft.flows.semantic.state import SemanticState
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.flows.toolkits import left_out
from weft.offline.answerer import answer_offline, handed_in
from weft.offline.answering import Reply
from weft.offline.graph.meant import Meant, answer_meant, follow_meant
from weft.offline.graph.rdf import ask_rdf, told_by
from weft.offline.routing.rules import part_of_graph, side_offline
from weft.runtime.context import NodeResult, RunContext


@dataclass(frozen=True, slots=True)
class ChooseSide:
    """Where it is chosen which side of the graph answers."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Have the side chosen by what is asked, never by a part of a word."""
        state, toolkit = read(SemanticState, ctx.state), self.services.toolkits.of(ctx)
        given = await to_route(state.question, toolkit.library.embedder)
        reply = await self.services.filler.fill(
            SIDE_ROUTER,
            side_offline,
            given=given,
            work=Work(budget=ctx.budget, tools=toolkit.tools(ctx, question=state.question)),
        )
        side = reply.output.side
        notes = (*state.notes, *left_out(toolkit), *reply.notes)
        after = replace(state, side=str(side), notes=notes)
        return NodeResult(state_patch=changed(state, after), goto=str(side))


@dataclass(frozen=True, slots=True)
class AskGraph:
    """Where the property graph is asked: of the nodes that are meant, then of what is said."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Follow the claims from what is meant, and draft sentences from what is found."""
        state, toolkit = read(SemanticState, ctx.state), self.services.toolkits.of(ctx)
        tools = toolkit.tools(ctx, question=state.question, within=state.within).below("meant")
        meant = meant_by(state)
        question = state.question
        if state.side == GraphSide.HYBRID:
            question = part_of_graph(question)
        found = await follow_meant(question, meant, tools=tools)
        stated = () if found is None else found.sentences

        async def rule(given: AskedQuestion, using: RuleTools) -> DraftAnswer:
            asked = replace(given, question=question)
            return await answer_meant(asked, using, meant=meant, stated=stated)

        thought = await Think(self.services, GRAPH_AGENT, rule).run(ctx)
        lpg: Mapping[str, object] = {
            "pattern": {} if found is None else dict(found.pattern),
            "matches": [] if found is None else [_told(one) for one in found.matches],
        }
        return replace(thought, state_patch={**thought.state_patch, "lpg": lpg})


def meant_by(state: SemanticState) -> Meant:
    """Return the nodes that a run's question means, and the documents of what it does not mean.

    Only where a person has chosen are the others left out.
    """
    chosen = {(one.question_entity.casefold(), one.node_id) for one in state.applied}
    nodes = [one.candidates[0] for one in state.matches if one.candidates]
    own: set[str] = set()
    others: set[str] = set()
    for one in state.matches:
        if not one.candidates:
            continue
        first = one.candidates[0]
        own.update(first.documents)
        if any(node_id == first.node_id for _, node_id in chosen):
            others.update(document for each in one.candidates[1:] for document in each.documents)
    pinned = [node for node in nodes if any(node.node_id == node_id for _, node_id in chosen)]
    return Meant(
        nodes=tuple(map(_node, nodes)),
        without=frozenset(others - own),
        pinned=tuple(map(_node, pinned)),
    )


def _node(one: NodeCandidate) -> Mapping[str, str]:
    return {"node_id": one.node_id, "display_name": one.display_name, "database": one.database}


def _told(match: Mapping[str, object]) -> dict[str, object]:
    """Return a match as the reply has it: its nodes, and the relations between them."""
    steps = match["steps"]
    assert isinstance(steps, list)
    return {
        "database": match["knowledge_base"],
        "nodes": match["nodes"],
        "relations": [step["relations"] for step in steps],
        "evidence_ids": [cite["id"] for step in steps for cite in step["cites"]],
    }


@dataclass(frozen=True, slots=True)
class AskRdf:
    """Where the RDF side is asked: the ontology, and what is claimed, as statements."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Ask the typed questions that the words mean, and draft what they give."""
        state, toolkit = read(SemanticState, ctx.state), self.services.toolkits.of(ctx)
        tools = toolkit.tools(ctx, question=state.question, within=state.within).below("rdf")
        found = await ask_rdf(state.question, meant_by(state).nodes, tools=tools)
        told = None if found is None else told_by(found)

        async def rule(given: AskedQuestion, using: RuleTools) -> DraftAnswer:
            return await answer_offline(given, using) if told is None else handed_in(told)

        rdf: Mapping[str, object] = {
            "questions": [
                {"template": str(one.template), "of": one.of}
                for one in (found.asked if found else ())
            ],
            "answers": [_rows(one) for one in (found.answers if found else ())],
        }
        if state.side == GraphSide.HYBRID:
            return _beside(state, toolkit.book, told=told, rdf=rdf)
        thought = await Think(self.services, RDF_AGENT, rule).run(ctx)
        return replace(thought, state_patch={**thought.state_patch, "rdf": rdf})


def _beside(
    state: SemanticState, book: EvidenceBook, *, told: Reply | None, rdf: Mapping[str, object]
) -> NodeResult:
    """Return what both sides say: what the graph gave, and behind it what the ontology does."""
    sentences = () if told is None else told.sentences
    drafts = tuple(
        DraftedSentence(text=one.text, evidence_ids=(one.evidence_id,)) for one in sentences
    )
    after = replace(
        state,
        drafts=(*state.drafts, *(one for one in drafts if one not in state.drafts)),
        evidence=book.refs(),
        table=state.table or (None if told is None else told.table),
        short="; ".join(filter(None, (state.short, "" if told is None else told.short))),
        missing=() if drafts else state.missing,
        rdf=rdf,
    )
    return NodeResult(state_patch=changed(state, after), evidence=book.entries())


def _rows(answer: Mapping[str, object]) -> dict[str, object]:
    told = ("knowledge_base", "ontology", "sparql", "columns", "rows", "total", "is_cut")
    return {name: answer[name] for name in told}
