"""The end of a debate: its answer, and what is told beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from weft.domain.answer import Answer, Citation, citation_data, composed, refused_text
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.domain.readiness import Readiness
from weft.flows.debate.state import (
    AgentFinding,
    AgentStatus,
    DebateState,
    debate_state,
    statuses_of,
)
from weft.flows.debate.supervising import bases_of, whole_question
from weft.flows.roles import RoleFiller
from weft.flows.state import begun, read
from weft.offline.question.roles import language_of
from weft.offline.refusals import nearest_text, refusal_text, spent_text
from weft.runtime.budget import ended_by
from weft.runtime.context import NodeResult, RunContext

_MOST_NEAREST = 5


@dataclass(frozen=True, slots=True)
class Conclude:
    """Where the answer is put together, from whatever there is."""

    filler: RoleFiller

    async def run(self, ctx: RunContext) -> NodeResult:
        """Write the answer; where none is ready or nothing answers, say why."""
        state = read(DebateState, ctx.state)
        sentences, only = state.sentences, _only(state)
        ended = "" if state.checked else ended_by(ctx.budget)
        nearest = () if sentences else _nearest(state.findings)
        missing = () if sentences else _missing(state.findings)
        heading, short = nearest_text(state.question), only.short if only else ""
        question = whole_question(state)
        answer = Answer(
            answer=composed(sentences, short=short)
            or refused_text(_refusal(state, missing, ended=ended), nearest, heading=heading),
            sentences=sentences,
            refused=not sentences,
            missing=missing,
            offline=self._is_offline(state),
            run_id=ctx.run_id,
            notes=_notes(state, ended),
            short=short,
            table=only.table if only else None,
            rewritten_question=question if question != state.question else "",
            nearest=nearest,
        )
        return NodeResult(state_patch={"answer": answer}, answer=answer)

    def _is_offline(self, state: DebateState) -> bool:
        """Tell whether no model had a part in what is said."""
        agents = all(one.answer.offline for one in state.findings)
        return self.filler.is_offline or (agents and state.offline is not False)


def payload(held: Mapping[str, object]) -> dict[str, object]:
    """Return what a debate tells besides its answer, as JSON."""
    state = read(DebateState, held)
    findings = {one.kb: one.answer for one in state.findings}
    standing = debate_state(state)
    return {
        "response": "" if state.answer is None else state.answer.answer,
        "debate_state": standing,
        "degraded": standing != "ready",
        "debate_results": [
            _result(one, findings.get(one.kb))
            for one in state.statuses
            if one.outcome != "left_out"
        ],
        "agent_statuses": [_told(one) for one in state.statuses],
        "disagreements": [_positions(state, group) for group in state.disputed],
    }


def agent_statuses(standing: Sequence[Readiness]) -> list[dict[str, object]]:
    """Return how the agents of some knowledge bases stand before anything is asked, as JSON."""
    return [_told(one) for one in statuses_of(standing)]


def _told(one: AgentStatus) -> dict[str, object]:
    return {"kb": one.kb, "agent": one.agent, "status": str(one.status), "reason": one.reason}


def blocked_debate(standing: Sequence[Readiness]) -> dict[str, object]:
    """Return what a debate over these tells besides its answer, where none of them can be asked."""
    state = DebateState(question="", statuses=statuses_of(standing))
    return {**payload(begun(state)), "response": _refusal(state, ())}


def _result(status: AgentStatus, answer: Answer | None) -> dict[str, object]:
    """Return what one agent answered; its citations have the numbers of its own response."""
    cited = [] if answer is None else [c for one in answer.sentences for c in one.citations]
    return {
        "agent": status.agent,
        "kb": status.kb,
        "status": status.outcome,
        "response": "" if answer is None else answer.answer,
        "citations": [citation_data(one) for one in {one.n: one for one in cited}.values()],
    }


def _positions(state: DebateState, group: Sequence[int]) -> dict[str, object]:
    """Return the sides of a contradiction, in the words in which they leave."""
    sentences = () if state.answer is None else state.answer.sentences
    return {
        "positions": [
            {
                "sentence": place,
                "text": sentences[place].text,
                "kbs": list(bases_of(sentences[place])),
                "citations": [one.n for one in sentences[place].citations],
            }
            for place in group
            if place < len(sentences)
        ]
    }


def _only(state: DebateState) -> Answer | None:
    """Return the answer of the one agent that found anything, if all of it stands."""
    answering = [one.answer for one in state.findings if not one.answer.refused]
    if len(answering) != 1 or len(answering[0].sentences) != len(state.sentences):
        return None
    return answering[0]


def _nearest(findings: Iterable[AgentFinding]) -> tuple[Citation, ...]:
    """Return what is nearest in each knowledge base, one of each."""
    first = [one.answer.nearest[0] for one in findings if one.answer.nearest]
    return tuple(replace(one, n=n) for n, one in enumerate(first[:_MOST_NEAREST], 1))


def _missing(findings: Sequence[AgentFinding]) -> tuple[str, ...]:
    """Return what of the question stands in none of the knowledge bases that answered."""
    if not findings:
        return ()
    held = [frozenset(one.answer.missing) for one in findings]
    return tuple(one for one in findings[0].answer.missing if all(one in each for each in held))


def _refusal(state: DebateState, missing: Sequence[str], *, ended: str = "") -> str:
    """Return why there is no answer; `ended` is the limit that ended the run, if one did."""
    language = language_of(state.question)
    reasons = "; ".join(f"{one.title}: {one.reason}" for one in _left_out(state))
    if not state.statuses and ended:
        return spent_text(state.question)  # nobody was looked for yet
    if not state.statuses:
        return note("no_bases", language=language)
    if debate_state(state) == "blocked":
        return note("none_ready", language=language, reason=reasons)
    if state.findings:
        checked = state.checked
        return refusal_text(state.question, missing) if checked else spent_text(state.question)
    if all(one.outcome == "waiting" for one in state.statuses):
        return spent_text(state.question)
    return note("none_answered", language=language, reason=reasons)


def _left_out(state: DebateState) -> list[AgentStatus]:
    return [one for one in state.statuses if one.outcome in ("left_out", "failed")]


def _notes(state: DebateState, ended: str) -> tuple[str, ...]:
    """Return who is left out and why, who disagrees, what the agents remark, what ended the run."""
    titles = {one.kb: one.title for one in state.statuses}
    language = language_of(state.question)
    said = [note("left_out", base=one.title, reason=one.reason) for one in _left_out(state)]
    for group in state.disputed:
        sides = (bases_of(state.sentences[at]) for at in group)
        named = " · ".join(", ".join(titles.get(base, base) for base in side) for side in sides)
        said.append(note("bases_disagree", language=language, titles=named))
    said += state.notes
    said += [remark for one in state.findings for remark in one.answer.notes]
    could = not state.statuses or debate_state(state) != "blocked"
    if ended and could:
        said.append(note("limit_reached", reason=ended))
    elif state.findings and not state.checked:
        said.append(note("out_of_budget"))
    return tuple(dict.fromkeys(said))
