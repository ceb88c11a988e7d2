"""The last steps of research: sum up the sections, check everything once more, report."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from weft.agents.researching import SYNTHESISER, FoundInSections, ResearchMode
from weft.domain.answer import Answer, AnswerSentence, Citation, composed, refused_text
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.flows.research.cited import FindingBook, redrafted
from weft.flows.research.specialists import SpecialistDesk, lacks_models
from weft.flows.research.state import (
    InvestigationState,
    OutlineEntry,
    ResearchFinding,
    ResearchSection,
    ResearchState,
)
from weft.flows.roles import RoleFiller, Work
from weft.flows.services import Services
from weft.flows.state import changed, read
from weft.flows.toolkits import Toolkit
from weft.language.markup import plain
from weft.offline.refusals import refusal_text, spent_text
from weft.offline.research.writing import overview_offline
from weft.runtime.budget import ended_by
from weft.runtime.context import ChildResult, ChildStatus, NodeResult, RunContext
from weft.verification.citations import Unsupported, Verified, verify

_MOST_NEAREST = 3


@dataclass(frozen=True, slots=True)
class SumUp:
    """Where a report of several sections gets its summary."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Write what opens the report, from what its sections say."""
        services, state = self.services, read(ResearchState, ctx.state)
        found = investigations(state)
        # What only stands near is no answer, and a summary would say it as one.
        answers = [(one.title, _answering(one)) for one in found]
        told = [(title, said) for title, said in answers if said]
        if state.mode != ResearchMode.DEEP or len(told) < 2:
            return NodeResult(state_patch={"is_summed_up": True})
        book, toolkit = FindingBook(), services.toolkits.of(ctx)
        given = FoundInSections(
            question=state.question,
            sections=tuple(
                (title, book.enter(ResearchFinding(gap=title, sentence=one) for one in said))
                for title, said in told
            ),
        )
        reply = await services.filler.fill(
            SYNTHESISER,
            overview_offline,
            given=given,
            work=Work(budget=ctx.budget, tools=toolkit.tools(ctx, question=state.question)),
        )
        _recall(toolkit, ctx, found)
        checked = await verify(
            toolkit.citable,
            ctx.scope,
            book.drafts(reply.output.sentences),
            unsupported=Unsupported(state.unsupported or services.unsupported),
        )
        after = replace(
            state,
            summary=checked.sentences,
            is_summed_up=True,
            offline=reply.offline and state.offline is not False,
            notes=(*state.notes, *reply.notes),
        )
        return NodeResult(
            state_patch=changed(state, after), tags={"sentences": len(checked.sentences)}
        )


@dataclass(frozen=True, slots=True)
class Report:
    """Where the report is put together, from whatever there is."""

    services: Services

    async def run(self, ctx: RunContext) -> NodeResult:
        """Read every cited text again, number all references once, say what is missing."""
        services, state = self.services, read(ResearchState, ctx.state)
        toolkit, found = services.toolkits.of(ctx), investigations(state)
        _recall(toolkit, ctx, found)
        if lacks_models(ctx.budget):
            found = await self._quoted(ctx, found)
        written = [state.summary, *map(_said, found)]
        # What was checked before may be gone by now, or closed to whoever asks.
        checked = await verify(
            toolkit.citable,
            ctx.scope,
            redrafted(one for part in written for one in part),
            unsupported=Unsupported(state.unsupported or services.unsupported),
        )
        parts = _parts(written, checked)
        ended = {one.key: one for one in state.results}
        sections = tuple(
            _section(entry, ended.get(f"s{place}"), investigation, part=part)
            for place, (entry, investigation, part) in enumerate(
                zip(state.outline, found, parts[1:], strict=True), start=1
            )
        )
        short = next((one for one in sections if one.status == "partial"), None)
        after = replace(
            state,
            overview=len(parts[0]),
            sections=sections,
            ended_by=_ended_by(ctx, is_short=short is not None),
        )
        sentences = tuple(one for part in parts for one in part)
        answer = self._answer(ctx, after, sentences, found)
        after = replace(after, answer=answer)
        return NodeResult(state_patch=changed(state, after), answer=answer)

    async def _quoted(
        self, ctx: RunContext, found: Sequence[InvestigationState]
    ) -> list[InvestigationState]:
        """Return investigations, those that found nothing with what the rules find for them."""
        desk = SpecialistDesk(self.services)

        async def quoted(place: str, one: InvestigationState) -> InvestigationState:
            if _said(one):
                return one
            quotes = await desk.quoted(ctx, one, place=place)
            return replace(one, findings=quotes.findings(one.question), is_written=False)

        places = [f"{ctx.path}/{place}" for place in range(1, len(found) + 1)]
        return list(await asyncio.gather(*map(quoted, places, found)))

    def _answer(
        self,
        ctx: RunContext,
        state: ResearchState,
        sentences: tuple[AnswerSentence, ...],
        found: Sequence[InvestigationState],
    ) -> Answer:
        notes = [*state.notes, *(one for each in found for one in each.notes)]
        if state.ended_by:
            notes.append(note("research_cut_short", reason=state.ended_by))
        failed = [one.title for one in state.sections if one.status == "failed"]
        if failed:
            notes.append(note("sections_failed", titles=", ".join(failed)))
        is_near = not any(one.status in {"complete", "partial"} for one in state.sections)
        refused = not sentences or (is_near and not state.ended_by)
        refusal = spent_text(state.question) if state.ended_by else refusal_text(state.question, ())
        return Answer(
            answer=composed(sentences) or refused_text(refusal, (), heading=""),
            sentences=sentences,
            refused=refused,
            missing=(),
            offline=_is_offline(self.services.filler, state, found),
            run_id=ctx.run_id,
            notes=tuple(dict.fromkeys(notes)),
            nearest=_firsts(sentences) if refused else (),
        )


def _firsts(sentences: Sequence[AnswerSentence]) -> tuple[Citation, ...]:
    """Return what the first sentences cite, each place once."""
    cited = {each.n: each for one in sentences for each in one.citations}
    return tuple(cited[n] for n in sorted(cited)[:_MOST_NEAREST])


def investigations(state: ResearchState) -> list[InvestigationState]:
    """Return how each section's investigation stands, in the order of the outline."""
    ended = {one.key: one for one in state.results}
    found: list[InvestigationState] = []
    for place, entry in enumerate(state.outline, start=1):
        result = ended.get(f"s{place}")
        if result is None:
            found.append(InvestigationState(question=entry.key_question, title=entry.title))
        else:
            found.append(read(InvestigationState, result.state))
    return found


def _said(state: InvestigationState) -> tuple[AnswerSentence, ...]:
    """Return what a section says; one that was cut short before it was written, what it found."""
    if state.is_written:
        return state.written
    answers = tuple(one.sentence for one in state.findings if not one.is_near)
    return answers or tuple(one.sentence for one in state.findings)[:3]


def _answering(state: InvestigationState) -> list[AnswerSentence]:
    """Return what a section says that answers."""
    near = _near(state)
    return [one for one in _said(state) if plain(one.text) not in near]


def _near(state: InvestigationState) -> set[str]:
    return {plain(one.sentence.text) for one in state.findings if one.is_near}


def _recall(toolkit: Toolkit, ctx: RunContext, found: Sequence[InvestigationState]) -> None:
    """Open the books of all specialists again: what the web said stands in them alone."""
    for one in found:
        for place in one.places:
            toolkit.part(ctx.kb_refs, place)


def _parts(
    written: Sequence[Sequence[AnswerSentence]], checked: Verified
) -> list[list[AnswerSentence]]:
    """Return the sentences that still stand, part by part as they were written."""
    standing, dropped = iter(checked.sentences), [one.text for one in checked.dropped]

    def stands(one: AnswerSentence) -> bool:
        falls = bool(dropped) and dropped[0] in {one.text, plain(one.text)}
        if falls:
            dropped.pop(0)
        return not falls

    return [[next(standing) for one in part if stands(one)] for part in written]


def _section(
    entry: OutlineEntry,
    result: ChildResult | None,
    investigation: InvestigationState,
    *,
    part: Sequence[AnswerSentence],
) -> ResearchSection:
    near = _near(investigation)
    answering = sum(plain(one.text) not in near for one in part)
    status, reason = _standing(result, investigation, said=(len(part), answering))
    answered = {one.gap for one in investigation.findings}
    asked = [gap for turn in investigation.turns for gap in turn.gaps]
    still = (*asked, *investigation.gaps, *investigation.suggested)
    if status == "partial":
        still = (*still, entry.key_question)
        answered -= {entry.key_question}
    return ResearchSection(
        title=entry.title,
        key_question=entry.key_question,
        status=status,
        reason=reason,
        size=len(part),
        answering=answering,
        open_gaps=tuple(dict.fromkeys(one for one in still if one not in answered)),
        turns=investigation.turns,
    )


def _standing(
    result: ChildResult | None, investigation: InvestigationState, *, said: tuple[int, int]
) -> tuple[str, str]:
    """Return how a section stands, and why where it is not complete.

    `said` counts its sentences, and those that answer.
    """
    size, answering = said
    failures = "; ".join(one for turn in investigation.turns for one in turn.failures)
    if result is None:
        return "partial", "It was not begun."
    if result.status == ChildStatus.FAILED:
        return "failed", result.message or "It did not come to an end."
    if result.status == ChildStatus.SHORT:
        return "partial", result.message
    if not size:
        return ("failed", failures) if failures else ("empty", "")
    return ("complete" if answering else "near"), failures


def _ended_by(ctx: RunContext, *, is_short: bool) -> str:
    """Return the part of the budget that ended the run or a section; empty where none did."""
    ended = ended_by(ctx.budget)
    if ended or not is_short:
        return ended
    left = ctx.budget.remaining()
    parts = {"tokens": left.tokens, "money": left.money, "time": left.wall_s}
    parts |= {"tool_calls": left.tool_calls, "iterations": left.iterations}
    return next((name for name, rest in parts.items() if rest is not None and rest <= 0), "budget")


def _is_offline(
    filler: RoleFiller, state: ResearchState, found: Sequence[InvestigationState]
) -> bool:
    """Tell whether no model had a part in what is said."""
    had = (state.offline, *(one.offline for one in found))
    return filler.is_offline or all(one is not False for one in had)
