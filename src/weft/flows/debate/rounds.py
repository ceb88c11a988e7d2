"""A second round: what an agent is given of the others, and its two answers as one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from weft.domain.answer import Answer, AnswerSentence, Citation, composed
from weft.flows.debate.state import AgentFinding

# In characters: what one search is given at most, with room for the question.
_LONGEST = 1500


def claims_of_others(findings: Iterable[AgentFinding], base: str) -> str:
    """Return as JSON what the agents of other knowledge bases have said, as far as it fits.

    It is material to look for in one's own documents, not to be believed.
    """
    own = {one.text for each in findings if each.kb == base for one in each.answer.sentences}
    others = [one.text for each in findings if each.kb != base for one in each.answer.sentences]
    kept: list[str] = []
    for claim in dict.fromkeys(others):
        if claim not in own and len(json.dumps([*kept, claim], ensure_ascii=False)) <= _LONGEST:
            kept.append(claim)
    return json.dumps(kept, ensure_ascii=False) if kept else ""


def joined(before: Answer | None, after: Answer) -> Answer:
    """Return what an agent said in its first round and, behind it, what is new in its second."""
    if before is None or not before.sentences:
        return after
    known = {one.text for one in before.sentences}
    numbers = {_place(cited): cited.n for one in before.sentences for cited in one.citations}
    fresh = [_renumbered(one, numbers) for one in after.sentences if one.text not in known]
    sentences = (*before.sentences, *fresh)
    return replace(
        before,
        answer=composed(sentences, short=before.short),
        sentences=sentences,
        offline=before.offline and after.offline,
        notes=tuple(dict.fromkeys((*before.notes, *after.notes))),
    )


def _renumbered(sentence: AnswerSentence, numbers: dict[object, int]) -> AnswerSentence:
    cited = [
        replace(one, n=numbers.setdefault(_place(one), len(numbers) + 1))
        for one in sentence.citations
    ]
    return replace(sentence, citations=tuple(cited))


def _place(cited: Citation) -> object:
    return cited.knowledge_base, cited.chunk_id, cited.start, cited.end
