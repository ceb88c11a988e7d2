"""The supervising role without a model: conclusions side by side, merged where they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from weft.agents.answering import DraftSentence
from weft.agents.supervising import Conclusion, Debated, DebateDraft
from weft.agents.toolbox import RuleTools
from weft.domain.frozen import dataclass
from weft.language.terms import terms
from weft.offline.choice.contradictions import differ
from weft.verification.support import assess

# Two sentences that have less in common are not held against each other.
_NEAR = 0.5
# What one sentence may cite.
_MOST_IDS = 20


@dataclass(slots=True, kw_only=True)
class _Said:
    """A sentence of the answer to be: which knowledge bases say it, and what bears it out."""

    text: str
    bases: list[str]
    evidence_ids: list[str]
    stems: frozenset[str] = field(default_factory=frozenset)


async def supervise_offline(given: Debated, tools: RuleTools) -> DebateDraft:
    """Return what the agents concluded, what most of them say first, and what contradicts.

    What one says and the cited words of another bear out is said once, with the evidence of both.
    """
    del tools
    said: list[_Said] = []
    for conclusion in given.conclusions:
        for sentence in conclusion.sentences:
            _enter(said, conclusion, sentence)
    said.sort(key=lambda one: -len(one.bases))
    return DebateDraft(
        sentences=[DraftSentence(text=one.text, evidence_ids=one.evidence_ids) for one in said],
        disagreements=disagreements([(one.text, one.bases) for one in said]),
    )


def disagreements(said: Sequence[tuple[str, Sequence[str]]]) -> list[list[int]]:
    """Return the places of sentences that contradict each other, each with its opponents.

    Only what different knowledge bases say is compared: what one of them holds of the same thing
    was its own agent's to tell.
    """
    found: list[list[int]] = []
    taken: set[int] = set()
    for place, (text, bases) in enumerate(said):
        if place in taken:
            continue
        against = [
            other
            for other in range(place + 1, len(said))
            if other not in taken
            and set(said[other][1]).isdisjoint(bases)
            and differ(text, said[other][0])
        ]
        if against:
            found.append([place, *against])
            taken.update(against)
    return found


def _enter(said: list[_Said], conclusion: Conclusion, sentence: DraftSentence) -> None:
    cited, base = conclusion.text_of(sentence), conclusion.knowledge_base
    stems = frozenset(terms(sentence.text))
    for one in said:
        is_other = base not in one.bases
        if is_other and _are_near(one.stems, stems) and assess(one.text, cited).holds:
            one.bases.append(base)
            one.evidence_ids = [*one.evidence_ids, *sentence.evidence_ids][:_MOST_IDS]
            return
    said.append(
        _Said(
            text=sentence.text,
            bases=[base],
            evidence_ids=list(sentence.evidence_ids),
            stems=stems,
        )
    )


def _are_near(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _NEAR * max(1, min(len(one), len(other)))
