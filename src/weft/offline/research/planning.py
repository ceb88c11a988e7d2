"""An outline for a report from the question's own parts, or from what the documents hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from weft.agents.evidence import evidence_in
from weft.agents.researching import OutlinedSection, ReportPlan, ReportQuestion, ResearchMode
from weft.agents.rewriting import PastTurn
from weft.agents.toolbox import RuleTools
from weft.agents.tools.manifests import RAG_SEARCH
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.language.terms import terms
from weft.offline.chains.pairs import read_pair
from weft.offline.rewriter import follow_up

# Words by which people ask for more than an answer.
_DEEP = pattern(
    r"\b(?:reports?|overview|survey|in[ -]depth|deep|deeply|comprehensive|thorough(?:ly)?|detailed"
    r"|analy[sz]e|analysis|compare|comparison|investigate|research|dossier|everything|all aspects"
    r"|pros and cons|summari[sz]e)\b|보고서|개요|심층|자세히|상세히|비교|분석|조사|종합|정리",
    2,
)
_PARTS = pattern(
    r"(?<=[?？])\s+|\s*;\s+|,?\s+and\s+(?=(?:how|what|who|whom|when|where|why|which)\b)"
    r"|(?<=나요|까요|니까)\??\s+",
    2,
)
_REPORT = r"(?:report|overview|summary|survey|dossier|analysis|comparison|research)"
_ORDER = pattern(
    r"(?:please )?(?:(?:can|could) you )?"
    r"(?:write|make|give|prepare|create|compile|do|produce|provide)(?: me| us)?(?: an?| the)?"
    rf"(?: [\w-]+){{0,3}}? {_REPORT}\s+(?:of|on|about|into|over|for)\s+",
    2,
)
_KOREAN_ORDER = pattern(
    r"에 (?:대한|관한|대해서?|관해서?) [^.?!]{0,12}(?:보고서|조사|정리|분석)[^?]{0,12}$"
)
_LONG = 24
_PASSAGES, _PER_DOCUMENT = 20, 3
_MOST, _FEWEST = 6, 2
# A document whose best passage is further from the question adds a section of nothing.
_NEARLY = 0.8
_SAME = 0.85
_LONGEST = 1000


def mode_of(question: str) -> ResearchMode:
    """Return how a question is looked into where nobody says."""
    is_deep = bool(_DEEP.search(question)) or len(parts_of(question)) > 1
    is_long = len(question.split()) > _LONG
    return ResearchMode.DEEP if is_deep or is_long else ResearchMode.ITERATIVE


def parts_of(question: str) -> list[str]:
    """Return the questions that a question is made of, itself where it is one."""
    parts = [one.strip(" ,;") for one in _PARTS.split(question)]
    whole = [one for one in parts if len(one.split()) > 1]
    return whole if len(whole) > 1 else [question]


def topic_of(question: str) -> str:
    """Return what a report is asked about, without the words that ask for a report."""
    found = _ORDER.match(question) or _KOREAN_ORDER.search(question)
    if found is None:
        return question
    return question[found.end() :] if found.start() == 0 else question[: found.start()]


async def plan_offline(given: ReportQuestion, tools: RuleTools) -> ReportPlan:
    """Return a section for each part or side of the question, else for each document found."""
    question = topic_of(given.question).strip() or given.question
    parts = parts_of(question)
    if len(parts) > 1:
        return ReportPlan(report_title=title_of(question), report_outline=_each(parts)[:_MOST])
    pair = read_pair(question)
    found = await tools.use(
        RAG_SEARCH, query=question[:_LONGEST], top_k=_PASSAGES, per_document=_PER_DOCUMENT
    )
    groups = _groups(found)
    if pair is not None and len(pair.names) > 1:
        sections = [
            OutlinedSection(title=name, key_question=f"{name}: {question}"[:_LONGEST])
            for name in pair.names
        ]
    else:
        sections = [one.section(question) for one in groups[:_MOST]]
    if len(sections) < _FEWEST:
        sections = [OutlinedSection(title=title_of(question), key_question=question[:_LONGEST])]
    return ReportPlan(report_title=title_of(question), report_outline=sections)


def _each(parts: Sequence[str]) -> list[OutlinedSection]:
    """Return a section for each part; one that says "it" is told what the parts before are of."""
    sections, turns = [], list[PastTurn]()
    for one in parts:
        about = follow_up(one, turns).about
        asked = f"{about}: {one}" if about else one
        sections.append(OutlinedSection(title=title_of(one), key_question=asked[:_LONGEST]))
        turns.append(PastTurn(question=one, answer=""))
    return sections


@dataclass(slots=True, kw_only=True)
class _Group:
    """A document, with its copies, and how near its best passage is to the question."""

    first: Evidence
    score: float
    cosine: float = 0.0
    documents: list[str] = field(default_factory=list)
    said: list[frozenset[str]] = field(default_factory=list)

    def says(self, stems: frozenset[str]) -> bool:
        """Tell whether a passage says what one of this document's says: a copy of it."""
        return any(
            len(stems & known) >= _SAME * max(1, min(len(stems), len(known))) for known in self.said
        )

    def section(self, question: str) -> OutlinedSection:
        title = self.first.title or self.first.document_id
        return OutlinedSection(
            title=title[:200], key_question=question[:_LONGEST], documents=self.documents
        )


def _groups(reply: Mapping[str, Any]) -> list[_Group]:
    """Return the documents of a reply that are about as near as the best, the best first."""
    groups: dict[str, _Group] = {}
    for item in reply.get("evidence", ()):
        one = evidence_in(item)
        score = float(item.get("score", 0.0))
        stems = frozenset(terms(one.text))
        same = (name for name, each in groups.items() if each.says(stems))
        name = one.title if one.title in groups else next(same, one.title)
        group = groups.setdefault(name, _Group(first=one, score=score))
        group.said.append(stems)
        group.score = max(group.score, score)
        group.cosine = max(group.cosine, float(item.get("cosine", 0.0)))
        if one.document_id not in group.documents:
            group.documents.append(one.document_id)
    ordered = sorted(groups.values(), key=lambda one: -one.score)
    best = max((one.cosine for one in ordered), default=0.0)
    return [one for one in ordered if one.cosine >= best * _NEARLY]


def title_of(question: str) -> str:
    """Return a question as the title of a report or a section."""
    words = question.strip().rstrip("?？.! ")
    return (words[:1].upper() + words[1:])[:200] or question[:200]
