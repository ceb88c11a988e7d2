"""The answering role: what it is given and hands in, sentences to be checked before believed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Any

from weft.agents.roles import Role
from weft.agents.tools.manifests import KNOWLEDGE_TOOLS
from weft.domain.answer import AnswerTable, Meaning
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.outside.limits import Limit, Untold
from weft.language.patterns import pattern
from weft.ports.embedder import CrossReader

REFERENCES = pattern(
    r"\b(?:linked|links?|refers?|referred|references?|related|neighbou?rs?)\b|연결|참조|관련", re.I
)


# A report quotes more of what stands near than an answer does.
MOST_NEAREST = 8


class Caution(StrEnum):
    """How sure an answer must be: `answering` for use, `cautious` where a false one costs much."""

    ANSWERING = "answering"
    CAUTIOUS = "cautious"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question, and the documents that it speaks of without naming them.

    `about` are words for what it goes on from, where it is no whole question. `recalled` are the
    replies of the searches that were made in those documents already; `caution` is for rules: a
    model judges by itself, and so is `reader`. What stands in documents `without` is of somebody
    else of the name. `meaning` is the id of what whoever asks says that it means.
    """

    question: str
    about: str = ""
    pointed: tuple[DocumentId, ...] = ()
    recalled: tuple[Mapping[str, Any], ...] = ()
    caution: Caution = Caution.ANSWERING
    without: frozenset[str] = frozenset()
    reader: CrossReader | None = None
    meaning: str = ""

    def told(self) -> str:
        """Return the question in words for a model."""
        if self.about:
            return f"{self.question}\n\nThe question goes on from: {self.about}"
        if not self.pointed:
            return self.question
        ids = json.dumps(self.pointed, ensure_ascii=False)
        return f"{self.question}\n\nThe question speaks of these documents, by their ids: {ids}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSentence:
    """One sentence and the ids of the evidence that bears it out."""

    text: Annotated[str, Limit(min_length=1, max_length=2000)]
    evidence_ids: Annotated[list[str], Limit(max_length=20)]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftAnswer:
    """The sentences of an answer; with none of them, `missing` names what was not found.

    `short` states the answer in a few words, `reason` says why there is none, `nearest` what was
    found instead, `more` what was found besides and `meanings` what may be asked of tables: all are
    taken only from the offline rules.
    """

    sentences: Annotated[list[DraftSentence], Limit(max_length=40)]
    missing: Annotated[list[str], Limit(max_length=20)] = field(default_factory=list)
    short: Annotated[str, Limit(max_length=300), Untold()] = ""
    reason: Annotated[str, Limit(max_length=600), Untold()] = ""
    notes: Annotated[list[str], Limit(max_length=10), Untold()] = field(default_factory=list)
    nearest: Annotated[list[DraftSentence], Limit(max_length=MOST_NEAREST), Untold()] = field(
        default_factory=list
    )
    more: Annotated[list[DraftSentence], Limit(max_length=3), Untold()] = field(
        default_factory=list
    )
    table: Annotated[AnswerTable | None, Untold()] = None
    meanings: Annotated[tuple[Meaning, ...], Untold()] = ()


def asks_for_references(question: str) -> bool:
    """Tell whether a question is about what documents refer to, or are referred to by."""
    return bool(REFERENCES.search(question))


ANSWERER: Role[AskedQuestion, DraftAnswer] = Role(
    name="answerer",
    prompt="answer",
    output=DraftAnswer,
    tell=AskedQuestion.told,
    tools=tuple(tool.name for tool in KNOWLEDGE_TOOLS),
)
