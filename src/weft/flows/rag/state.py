"""The state of a run of the `rag` flow."""

from __future__ import annotations

from dataclasses import field

from weft.agents.evidence import EvidenceRef
from weft.domain.answer import Answer, AnswerSentence, AnswerTable, Citation, Meaning
from weft.domain.frozen import dataclass
from weft.flows.asking import Asking, Talk
from weft.ports.knowledge import DocumentFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedSentence:
    """A sentence that is not checked yet, with the ids of the evidence it names."""

    text: str
    evidence_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RagState:
    """What a run knows.

    `question` is made whole from the conversation (`rewritten` shows how), or else goes on from
    `about`; `points` tells that it speaks of the last answer's documents. `near` is what a rule
    found near the question, `nearest` what of it still stands; `further` and `more` are the same of
    what is not shown beside an answer. `unsupported` is empty for what the settings say, and
    `checked` is False as long as no sentence was held against the stored text. `evidence` is where
    the passages stand that the run was given, by their ids. `meaning` is the id of what the
    caller says is meant, `meanings` what may be.
    """

    question: str
    talk: Talk | None = None
    within: DocumentFilter = field(default_factory=DocumentFilter)
    unsupported: str = ""
    rewritten: str = ""
    about: str = ""
    meaning: str = ""
    points: bool = False
    drafts: tuple[DraftedSentence, ...] = ()
    near: tuple[DraftedSentence, ...] = ()
    further: tuple[DraftedSentence, ...] = ()
    offline: bool | None = None
    checked: bool = False
    sentences: tuple[AnswerSentence, ...] = ()
    nearest: tuple[Citation, ...] = ()
    more: tuple[Citation, ...] = ()
    missing: tuple[str, ...] = ()
    short: str = ""
    table: AnswerTable | None = None
    meanings: tuple[Meaning, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    evidence: tuple[EvidenceRef, ...] = ()
    answer: Answer | None = None


def begin(asking: Asking) -> RagState:
    """Return the state that a run begins with."""
    return RagState(
        question=asking.question,
        talk=asking.talk,
        within=asking.within,
        unsupported="" if asking.unsupported is None else asking.unsupported.value,
        about=asking.about,
        meaning=asking.meaning,
    )
