"""The steps after the agents: compare what they concluded, and check it against stored texts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from weft.agents.answering import DraftSentence
from weft.agents.supervising import SUPERVISOR, CitedPassage, Conclusion, Debated
from weft.domain.answer import AnswerSentence
from weft.domain.errors import StoreUnavailable
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.domain.readiness import State
from weft.flows.debate.state import AgentFinding, AgentStatus, DebateState, SupervisedSentence
from weft.flows.judging import judge_of
from weft.flows.roles import Work
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.language.markup import plain
from weft.offline.supervisor import disagreements, supervise_offline
from weft.platform.memory import AGENT_RESULT, SharedMemory
from weft.ports.store import Base
from weft.runtime.context import NodeResult, RunContext
from weft.verification.citations import Draft, Unsupported, Verified, verify
from weft.verification.cited import CitedEvidence

# What one sentence may cite.
_MOST_IDS = 20
_Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Synthesise:
    """Where a supervisor compares what the agents concluded."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Have the supervising role draft one answer from the conclusions."""
        services, state = self.services, read(DebateState, ctx.state)
        toolkit = services.toolkits.of(ctx)
        conclusions, _ = _concluded(_shared(toolkit.memory, state))
        tags = {"phase": "synthesis", "agent_count": len(state.findings)}
        if not conclusions:
            return NodeResult(tags=tags)
        question = whole_question(state)
        reply = await services.filler.fill(
            SUPERVISOR,
            supervise_offline,
            given=Debated(question=question, conclusions=conclusions),
            work=Work(budget=ctx.budget, tools=toolkit.tools(ctx, question=question)),
        )
        after = replace(
            state,
            drafts=tuple(map(_draft, reply.output.sentences)),
            disputed=tuple(tuple(each) for each in reply.output.disagreements),
            offline=reply.offline,
            notes=(*state.notes, *reply.notes),
        )
        return NodeResult(state_patch=changed(state, after), tags=tags)


@dataclass(frozen=True, slots=True)
class CheckDebate:
    """Where the supervisor's sentences meet the stored texts of all knowledge bases."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Keep what is borne out; a knowledge base that is gone by now is left out and named."""
        services, state = self.services, read(DebateState, ctx.state)
        conclusions, evidence = _concluded(state.findings)
        standing, gone = await self._standing(ctx, evidence.values())
        judge = judge_of(services, ctx, offline=state.offline is not False)

        async def verified(drafts: Sequence[SupervisedSentence]) -> Verified:
            return await verify(
                standing,
                ctx.scope,
                _to_check(drafts, evidence, gone),
                unsupported=Unsupported(state.unsupported or services.unsupported),
                judge=judge,
            )

        checked = await verified(state.drafts)
        if sides := _sides_kept_back(checked.sentences, conclusions, evidence):
            checked = await verified((*state.drafts, *sides))
        notes = (*state.notes, *(judge.notes if judge else ()))
        if checked.dropped:
            notes = (*notes, note("unsupported", count=len(checked.dropped)))
        after = replace(
            state,
            checked=True,
            sentences=checked.sentences,
            statuses=tuple(_fallen(one, gone) for one in state.statuses),
            findings=tuple(one for one in state.findings if one.kb not in gone),
            disputed=_disputed(state, checked.sentences),
            notes=notes,
        )
        return NodeResult(state_patch=changed(state, after))

    async def _standing(
        self, ctx: RunContext, evidence: Iterable[Evidence]
    ) -> tuple[list[Base], Mapping[str, str]]:
        """Return the cited knowledge bases that still answer, and why the others do not."""
        cited: dict[str, list[Evidence]] = {}
        for one in evidence:
            cited.setdefault(one.knowledge_base, []).append(one)
        library = self.services.toolkits.of(ctx).library
        bases = [base for base in library.bases if base.name in cited]

        async def why_not(base: Base) -> str:
            try:
                async with asyncio.timeout(self.services.agent_s):
                    await base.knowledge.chunks(
                        ctx.scope, [one.chunk_id for one in cited[base.name]]
                    )
            except StoreUnavailable as error:
                return error.message
            except TimeoutError:
                return f"It did not answer within {self.services.agent_s:g} s."
            return ""

        reasons = await asyncio.gather(*map(why_not, bases))
        told = zip(bases, reasons, strict=True)
        gone = {base.name: reason for base, reason in told if reason}
        return [base for base in bases if base.name not in gone], gone


def whole_question(state: DebateState) -> str:
    """Return the question as the agents made it whole from the conversation."""
    made = (one.answer.rewritten_question for one in state.findings)
    return next(filter(None, made), state.question)


def bases_of(sentence: AnswerSentence) -> tuple[str, ...]:
    """Return the knowledge bases that a sentence cites, each once."""
    return tuple(dict.fromkeys(one.knowledge_base for one in sentence.citations))


def _shared(memory: SharedMemory, state: DebateState) -> list[AgentFinding]:
    """Return what is shared of the agents; a run that was resumed shares it again first."""
    for finding in state.findings:
        memory.put(f"{AGENT_RESULT}{finding.kb}", finding)
    shared = memory.get_all_results().values()
    return [one for one in shared if isinstance(one, AgentFinding)]


def _concluded(
    findings: Sequence[AgentFinding],
) -> tuple[tuple[Conclusion, ...], dict[str, Evidence]]:
    """Return what agents concluded with sentences, and what these cite under ids of the debate."""
    numbering = CitedEvidence()
    found = [_conclusion(one, numbering) for one in findings if one.answer.sentences]
    return tuple(found), numbering.evidence


def _conclusion(finding: AgentFinding, numbering: CitedEvidence) -> Conclusion:
    passages: dict[str, CitedPassage] = {}
    sentences: list[DraftSentence] = []
    for sentence in finding.answer.sentences:
        ids = [numbering.id_of(cited) for cited in sentence.citations]
        sentences.append(DraftSentence(text=sentence.text, evidence_ids=ids[:_MOST_IDS]))
        for name, cited in zip(ids, sentence.citations, strict=True):
            passages[name] = CitedPassage(id=name, title=cited.title, text=cited.snippet)
    return Conclusion(
        knowledge_base=finding.kb, sentences=tuple(sentences), passages=tuple(passages.values())
    )


def _draft(sentence: DraftSentence) -> SupervisedSentence:
    return SupervisedSentence(text=sentence.text, evidence_ids=tuple(sentence.evidence_ids))


def _sides_kept_back(
    sentences: Sequence[AnswerSentence],
    conclusions: Sequence[Conclusion],
    evidence: Mapping[str, Evidence],
) -> list[SupervisedSentence]:
    """Return the sides of contradictions that stand in no sentence: a model may keep one back."""
    shown = {(cited.knowledge_base, cited.chunk_id) for one in sentences for cited in one.citations}
    said = [(one, sentence) for one in conclusions for sentence in one.sentences]
    groups = disagreements([(sentence.text, (one.knowledge_base,)) for one, sentence in said])
    sides = [said[place][1] for group in groups for place in group]
    return [
        _draft(one)
        for one in sides
        if not any(
            (evidence[name].knowledge_base, evidence[name].chunk_id) in shown
            for name in one.evidence_ids
        )
    ]


def _to_check(
    drafts: Iterable[SupervisedSentence], evidence: Mapping[str, Evidence], gone: Mapping[str, str]
) -> list[Draft]:
    """Return the sentences with what they cite, without those that stand on what is gone alone."""
    found: list[Draft] = []
    for draft in drafts:
        named = [evidence[one] for one in dict.fromkeys(draft.evidence_ids) if one in evidence]
        left = tuple(one for one in named if one.knowledge_base not in gone)
        if left or not named:
            found.append(Draft(text=draft.text, evidence=left))
    return found


def _fallen(status: AgentStatus, gone: Mapping[str, str]) -> AgentStatus:
    if status.kb not in gone:
        return status
    return replace(status, status=str(State.BLOCKED), reason=gone[status.kb], outcome="failed")


def _disputed(state: DebateState, sentences: Sequence[AnswerSentence]) -> _Groups:
    """Return the places of sentences that contradict each other: by rule, and as a model says.

    A model is believed only as far as its sentences stand and cite different knowledge bases.
    """
    places = {one.text: place for place, one in enumerate(sentences)}
    texts = [one.text for one in state.drafts]
    groups = [
        {
            places[said]
            for at in group
            if 0 <= at < len(texts)
            for said in _as_left(texts[at], places)
        }
        for group in ((()) if state.offline else state.disputed)
    ]
    by_rule = disagreements([(one.text, bases_of(one)) for one in sentences])
    groups += [set(group) for group in by_rule]
    kept = [tuple(sorted(group)) for group in groups if _is_between_bases(group, sentences)]
    return tuple(dict.fromkeys(kept))


def _as_left(text: str, places: Mapping[str, int]) -> list[str]:
    """Return a sentence as it left, with the signs of its format or without; none if it did not."""
    return [one for one in dict.fromkeys((text, plain(text))) if one in places]


def _is_between_bases(group: Iterable[int], sentences: Sequence[AnswerSentence]) -> bool:
    cited = [frozenset(bases_of(sentences[place])) for place in group]
    return len(cited) > 1 and len(set(cited)) > 1
