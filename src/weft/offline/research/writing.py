"""Sections and summaries without a model: quotations, each once, what answers first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weft.agents.answering import DraftSentence
from weft.agents.researching import CitedFinding, FoundInSections, Investigated, WrittenSection
from weft.agents.toolbox import RuleTools
from weft.language.terms import terms

_MOST, _MOST_NEAR, _MOST_OF_ALL = 12, 6, 6
# Two sentences with so much in common say the same.
_SAME = 0.8


async def write_offline(given: Investigated, tools: RuleTools) -> WrittenSection:
    """Return what answers, in the order of finding, and behind it some of what stands near."""
    del tools
    answers = _each_once(one for one in given.findings if not one.is_near)[:_MOST]
    near = (one for one in given.findings if one.is_near)
    beside = _each_once([*answers, *near])[len(answers) :][:_MOST_NEAR]
    return WrittenSection(sentences=list(_sentences([*answers, *beside])))


async def overview_offline(given: FoundInSections, tools: RuleTools) -> WrittenSection:
    """Return the first finding of each section."""
    del tools
    firsts = [found[0] for _, found in given.sections if found]
    return WrittenSection(sentences=list(_sentences(_each_once(firsts)))[:_MOST_OF_ALL])


def _sentences(findings: Iterable[CitedFinding]) -> Iterator[DraftSentence]:
    for one in findings:
        yield DraftSentence(text=one.text[:2000], evidence_ids=[one.id])


def _each_once(findings: Iterable[CitedFinding]) -> list[CitedFinding]:
    """Return findings without those that say what one before them says."""
    kept: list[tuple[frozenset[str], CitedFinding]] = []
    for one in findings:
        stems = frozenset(terms(one.text))
        if not any(_are_alike(stems, other) for other, _ in kept):
            kept.append((stems, one))
    return [one for _, one in kept]


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller = min(len(one), len(other))
    return bool(smaller) and len(one & other) / smaller >= _SAME
