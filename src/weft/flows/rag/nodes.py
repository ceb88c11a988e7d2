"""The steps of the `rag` flow between its guards: find and draft, check, put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weft.agents.answering import (
    ANSWERER,
    AskedQuestion,
    DraftAnswer,
    DraftSentence,
    asks_for_references,
)
from weft.agents.evidence import EvidenceBook
from weft.agents.roles import Role, Rule
from weft.agents.toolbox import Toolbox
from weft.agents.tools.manifests import RAG_SEARCH
from weft.domain.answer import Answer, AnswerSentence, Citation, composed, refused_text
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.flows.judging import judge_of
from weft.flows.rag.state import DraftedSentence, RagState
from weft.flows.roles import RoleFiller, Work
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.language.hangul import has_hangul
from weft.language.markup import is_prose, plain
from weft.offline.answerer import answer_offline
from weft.offline.refusals import (
    nearest_text,
    refusal_text,
    spent_text,
    standing_nowhere,
    words_of_question,
)
from weft.offline.units.nearest import nearest_of
from weft.ports.records.conversations import MessageSource
from weft.retrieval.hits import Query
from weft.runtime.budget import ended_by
from weft.runtime.context import NodeResult, RunContext
from weft.verification.citations import Draft, Dropped, Unsupported, verify

_RECALLED = 8
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Think:
    """Where evidence is found and sentences are drafted, by a role or by its rule."""

    services: Services
    role: Role[AskedQuestion, DraftAnswer] = ANSWERER
    rule: Rule[AskedQuestion, DraftAnswer] = answer_offline

    async def run(self, ctx: RunContext) -> NodeResult:
        """Have the answering role find evidence and draft sentences."""
        state, toolkit = read(RagState, ctx.state), self.services.toolkits.of(ctx)
        tools = toolkit.tools(ctx, question=state.question, within=state.within)
        given = replace(
            await _given(state, tools),
            caution=self.services.caution,
            reader=self.services.cross_reader,
        )
        filler, work = self.services.filler, Work(budget=ctx.budget, tools=tools)
        # What rules offered is theirs to tell, whatever model is configured.
        reply = (
            await filler.by_rule(self.rule, given, tools=tools)
            if state.meaning
            else await filler.fill(self.role, self.rule, given=given, work=work)
        )
        draft = reply.output
        own = _understood(state)
        after = replace(
            state,
            drafts=_drafted(draft.sentences),
            near=_drafted(draft.nearest if reply.offline else ()),
            further=_drafted(draft.more if reply.offline else ()),
            evidence=toolkit.book.refs(),
            missing=tuple(draft.missing),
            offline=reply.offline,
            # Only the rules' own: what a model states in short is bound to no citation.
            short=plain(draft.short) if reply.offline else "",
            table=draft.table if reply.offline else None,
            meanings=draft.meanings if reply.offline else (),
            reason=draft.reason if reply.offline else "",
            notes=(
                *state.notes,
                *own,
                *reply.notes,
                *toolkit.book.notes,
                *(draft.notes if reply.offline else ()),
            ),
        )
        return NodeResult(state_patch=changed(state, after), evidence=toolkit.book.entries())


def _understood(state: RagState) -> tuple[str, ...]:
    """Return a note that says how a question goes on from the last one, unless it was rewritten."""
    if state.points:
        return (note("last_documents"),)
    language = "ko" if has_hangul(state.question) else "en"
    return (note("last_subject", language=language, words=state.about),) if state.about else ()


def _drafted(sentences: Iterable[DraftSentence]) -> tuple[DraftedSentence, ...]:
    return tuple(
        DraftedSentence(text=one.text, evidence_ids=tuple(one.evidence_ids)) for one in sentences
    )


async def _given(state: RagState, tools: Toolbox) -> AskedQuestion:
    """Return what is asked; documents that a question points at are searched at once."""
    talk = state.talk
    if talk is None or not state.points:
        return AskedQuestion(question=state.question, about=state.about, meaning=state.meaning)
    recalled: list[Mapping[str, Any]] = []
    if not asks_for_references(state.question):
        recalled = [await _recalled(state.question, one, tools) for one in talk.documents]
    return AskedQuestion(
        question=state.question,
        pointed=tuple(dict.fromkeys(one.document for one in talk.documents)),
        recalled=tuple(recalled),
    )


async def _recalled(question: str, cited: MessageSource, tools: Toolbox) -> Mapping[str, Any]:
    """Return the best passages of a document that was cited before.

    The scope decides anew: what the caller may no longer read does not come back.
    """
    return await tools.use(
        RAG_SEARCH,
        # With the title: the question itself may hold no word of the document.
        query=f"{question}\n{cited.title}"[:_LONGEST],
        top_k=_RECALLED,
        per_document=_RECALLED,
        documents=[{"knowledge_base": cited.knowledge_base, "document_id": cited.document}],
    )


@dataclass(frozen=True, slots=True)
class Verify:
    """Where sentences meet the stored text."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Keep the sentences that the stored text bears out."""
        services, state = self.services, read(RagState, ctx.state)
        toolkit = services.toolkits.of(ctx)
        await toolkit.restore(ctx.scope, state.evidence)
        # Whoever has nothing left to spend asks no model for its judgement either.
        is_over = bool(ended_by(ctx.budget))
        judge = judge_of(services, ctx, offline=is_over or state.offline is not False)
        checked = await verify(
            toolkit.citable,
            ctx.scope,
            _to_check(state.drafts, toolkit.book),
            unsupported=Unsupported(state.unsupported or services.unsupported),
            judge=judge,
        )
        notes = (*state.notes, *(judge.notes if judge else ()))
        if checked.dropped:
            notes = (*notes, note("unsupported", count=len(checked.dropped)))
        after = replace(
            state,
            checked=True,
            sentences=checked.sentences,
            nearest=() if checked.sentences else await self._nearest(ctx, state),
            more=await self._more(ctx, state, shown=checked.sentences),
            # It follows from all of its sentences or not at all.
            short="" if checked.dropped else state.short,
            table=None if checked.dropped else state.table,
            missing=() if checked.sentences else await self._missing(ctx, state, checked.dropped),
            notes=notes,
        )
        return NodeResult(state_patch=changed(state, after))

    async def _missing(
        self, ctx: RunContext, state: RagState, dropped: Sequence[Dropped]
    ) -> tuple[str, ...]:
        """Return what of the question stands in no readable passage, of what is called missing.

        The rules call nothing else so. A model may call anything so, prose and addresses that a
        passage told it to write included: of that only the question's own words go out.
        """
        if state.offline and state.missing:
            return state.missing
        named = state.missing or tuple(word for one in dropped for word in one.missing)
        if not named:
            return ()
        library = self.services.toolkits.of(ctx).library
        query = Query(text="\n".join(named)[:_LONGEST], top_k=1)
        found = await library.retrieval.search(library.bases, None, ctx.scope, query=query)
        lacking = (word for one in named for word in standing_nowhere(one, found.terms))
        return words_of_question(state.question, lacking)

    async def _nearest(self, ctx: RunContext, state: RagState) -> tuple[Citation, ...]:
        """Return citations of what is nearest to a question that no sentence answers.

        Rules say what is near. Where a model found nothing, or nothing of an answer stands, it is
        the nearest of what the run was given; so where the budget ended it before.
        """
        toolkit = self.services.toolkits.of(ctx)
        near = state.near
        if not near and (state.drafts or state.offline is False or ended_by(ctx.budget)):
            near = _drafted(nearest_of(state.question, toolkit.book.entries()))
        return _numbered(await self._standing(ctx, near))

    async def _more(
        self, ctx: RunContext, state: RagState, *, shown: Sequence[AnswerSentence]
    ) -> tuple[Citation, ...]:
        """Return citations of what was found besides, numbered on from those of the answer."""
        if not shown or not state.further:
            return ()
        cited = [citation for sentence in shown for citation in sentence.citations]
        found = await self._standing(ctx, state.further)
        fresh = [one for one in found if not any(_overlap(one, other) for other in cited)]
        return _numbered(fresh, after=max((one.n for one in cited), default=0))

    async def _standing(
        self, ctx: RunContext, drafted: Iterable[DraftedSentence]
    ) -> Sequence[Citation]:
        """Return a citation of each sentence that still stands where the caller may read it."""
        toolkit = self.services.toolkits.of(ctx)
        found = await verify(toolkit.citable, ctx.scope, _to_check(drafted, toolkit.book))
        return list({one.citations[0].n: one.citations[0] for one in found.sentences}.values())


def _numbered(citations: Iterable[Citation], *, after: int = 0) -> tuple[Citation, ...]:
    return tuple(replace(one, n=n) for n, one in enumerate(citations, start=after + 1))


def _read_out(nearest: Iterable[Citation]) -> list[Citation]:
    """Return citations with their words as they are read, for a text that is all of an answer."""
    return [
        replace(one, snippet=plain(one.snippet)) if is_prose(one.uri) else one for one in nearest
    ]


def _overlap(one: Citation, other: Citation) -> bool:
    """Tell whether two citations have words in common."""
    is_same = (one.knowledge_base, one.doc_id) == (other.knowledge_base, other.doc_id)
    return is_same and one.start < other.end and other.start < one.end


def _to_check(drafted: Iterable[DraftedSentence], book: EvidenceBook) -> list[Draft]:
    return [Draft(text=one.text, evidence=book.evidence(one.evidence_ids)) for one in drafted]


@dataclass(frozen=True, slots=True)
class Finish:
    """Where the answer is put together; it offers what may be meant where the flow takes that."""

    filler: RoleFiller
    offers_meanings: bool = False

    async def run(self, ctx: RunContext) -> NodeResult:
        """Write the answer from what there is; a run short of budget may have nothing."""
        state = read(RagState, ctx.state)
        ended = ended_by(ctx.budget)
        sentences = state.sentences
        # Found in time: that nothing answers is said only by a run that has looked to its end.
        is_whole = state.checked and not ended
        missing = state.missing if is_whole and not sentences else ()
        short = state.short if sentences else ""
        reason = state.reason if is_whole and not sentences else ""
        nearest = state.nearest if not sentences else ()
        refusal = reason or (
            refusal_text(state.question, missing) if is_whole else spent_text(state.question)
        )
        heading = nearest_text(state.question)
        answer = Answer(
            answer=composed(sentences, short=short)
            or refused_text(refusal, _read_out(nearest), heading=heading),
            sentences=sentences,
            refused=not sentences,
            missing=missing,
            offline=self.filler.is_offline if state.offline is None else state.offline,
            run_id=ctx.run_id,
            notes=tuple(dict.fromkeys((*state.notes, *_cut_off(state, ended=ended)))),
            short=short,
            table=state.table if sentences else None,
            rewritten_question=state.rewritten,
            nearest=nearest,
            more=state.more,
            meanings=state.meanings if self.offers_meanings and not sentences else (),
        )
        return NodeResult(state_patch={"answer": answer}, answer=answer)


def _cut_off(state: RagState, *, ended: str) -> tuple[str, ...]:
    """Return a note where the part `ended` of a budget, or what else it may be, ended the run."""
    if state.checked and not ended:
        return ()
    if not ended:
        return (note("out_of_budget"),)
    return (note("limit_passed" if state.sentences else "limit_reached", reason=ended),)
