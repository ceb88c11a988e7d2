"""What a reader of research hands in without a model: what answers, and what stands near it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.agents.answering import MOST_NEAREST, AskedQuestion, DraftAnswer, DraftSentence
from weft.agents.toolbox import RuleTools
from weft.agents.tools.manifests import RAG_SEARCH
from weft.language.markup import plain
from weft.language.terms import STOP_WORDS, terms
from weft.offline.answerer import hold
from weft.offline.evidence.found import FoundEvidence
from weft.offline.specialists import answer_from_graph
from weft.offline.units.order import rank_units
from weft.offline.units.unit_features import FoundUnit
from weft.retrieval.hits import Hit

_PASSAGES, _PER_DOCUMENT = 20, 4
_LONGEST = 2000
# What is nearly as near as the nearest is as much worth reading.
_NEARLY = 0.6
_FEWEST_WORDS = 5


async def read_for_report(given: AskedQuestion, tools: RuleTools) -> DraftAnswer:
    """Return the answer of the rules, and as the nearest whatever else is worth quoting."""
    draft = await answer_from_graph(given, tools)
    found = FoundEvidence()
    query = given.question[:_LONGEST]
    hold(
        found,
        await tools.use(RAG_SEARCH, query=query, top_k=_PASSAGES, per_document=_PER_DOCUMENT),
    )
    said = [plain(one.text) for one in (*draft.sentences, *draft.more)]
    ranked = rank_units(given.question, found.terms, entries=_near(found.entries()))
    beside = [
        DraftSentence(text=one.text, evidence_ids=[one.evidence_id])
        for one in ranked.units
        if _is_worth_quoting(one, given.question) and not _is_said(one.text, said)
    ]
    return replace(draft, nearest=beside[:MOST_NEAREST])


def _near(entries: Sequence[tuple[str, Hit]]) -> list[tuple[str, Hit]]:
    """Return the passages that are about as near to the question as the nearest."""
    best = max((hit.cosine for _, hit in entries), default=0.0)
    if best <= 0:
        return list(entries[: _PASSAGES // 2])
    return [(name, hit) for name, hit in entries if hit.cosine >= best * _NEARLY]


def _is_worth_quoting(unit: FoundUnit, question: str) -> bool:
    """Tell whether a unit is more than a heading, and shares a word with the question."""
    text = plain(unit.text)
    if unit.text.lstrip().startswith("#") or len(text.split()) < _FEWEST_WORDS:
        return False
    asked = {one for one in terms(question) if one not in STOP_WORDS}
    above = f"{unit.hit.evidence.title} {unit.hit.evidence.section or ''}"
    return bool(asked & set(terms(f"{text} {above}")))


def _is_said(text: str, said: Sequence[str]) -> bool:
    return any(plain(text) in one or one in plain(text) for one in said)
