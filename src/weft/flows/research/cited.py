"""Findings under the ids by which roles name them, and what roles write held against them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from weft.agents.answering import DraftSentence
from weft.agents.researching import CitedFinding
from weft.domain.answer import AnswerSentence
from weft.domain.evidence import Evidence
from weft.flows.research.state import ResearchFinding
from weft.verification.citations import Draft
from weft.verification.cited import CitedEvidence

MOST_IDS = 20


class FindingBook:
    """Findings by id (`f1`, `f2` …), each once, and what they cite."""

    def __init__(self) -> None:
        """Begin with none."""
        self._cited = CitedEvidence()
        self._evidence: dict[str, tuple[Evidence, ...]] = {}
        self._ids: dict[tuple[str, ...], str] = {}

    def enter(self, findings: Iterable[ResearchFinding]) -> tuple[CitedFinding, ...]:
        """Return findings as roles are given them."""
        return tuple(self._entered(one) for one in findings)

    def _entered(self, finding: ResearchFinding) -> CitedFinding:
        said = finding.sentence
        places = tuple(self._cited.id_of(one) for one in said.citations)
        name = self._ids.setdefault((said.text, *places), f"f{len(self._ids) + 1}")
        self._evidence.setdefault(name, tuple(self._cited.evidence[one] for one in places))
        title = said.citations[0].title if said.citations else ""
        return CitedFinding(
            id=name, text=said.text, title=title, gap=finding.gap, is_near=finding.is_near
        )

    def drafts(self, sentences: Iterable[DraftSentence]) -> list[Draft]:
        """Return what a role wrote, to be checked against what its findings cite."""
        return [
            Draft(text=one.text, evidence=self._of(one.evidence_ids[:MOST_IDS]))
            for one in sentences
        ]

    def _of(self, names: Sequence[str]) -> tuple[Evidence, ...]:
        held: Mapping[str, tuple[Evidence, ...]] = self._evidence
        found = [each for name in names for each in held.get(name, ())]
        return tuple({one.id: one for one in found}.values())


def redrafted(sentences: Iterable[AnswerSentence]) -> list[Draft]:
    """Return sentences that were checked before, to be checked once more."""
    cited = CitedEvidence()
    found: list[Draft] = []
    for one in sentences:
        names = [cited.id_of(each) for each in one.citations]
        found.append(Draft(text=one.text, evidence=tuple(cited.evidence[n] for n in names)))
    return found
