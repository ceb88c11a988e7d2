"""An answer: sentences, each with citations that were checked against the stored text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, field
from enum import StrEnum

from weft.domain.display import harmless, on_one_line
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId, RunId


class Tier(StrEnum):
    """How far a cited text bears a sentence out; only `quote` and `close` count as supported."""

    QUOTE = "quote"
    CLOSE = "close"
    PARTLY = "partly"
    NO = "no"


class Outcome(StrEnum):
    """What came of a question: sentences that answer, the nearest that was found, or nothing."""

    ANSWERED = "answered"
    NEAREST = "nearest"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """The n-th citation of an answer: `document_text[start:end] == snippet`."""

    n: int
    knowledge_base: str
    doc_id: DocumentId
    title: str
    uri: str
    page: int | None
    section: str | None
    chunk_id: ChunkId
    start: int
    end: int
    snippet: str


def citation_data(citation: Citation) -> dict[str, object]:
    """Return a citation as it leaves: its fields by name, the knowledge base as `kb`."""
    said = asdict(citation)
    return {"kb": said.pop("knowledge_base"), **said}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSentence:
    """One sentence, its tier and its citations; `missing` lists what they do not bear out."""

    text: str
    tier: Tier
    citations: tuple[Citation, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerColumn:
    """A column of rows that answer: its name, what its cells are, and the unit of its numbers."""

    name: str
    type: str
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTable:
    """Rows that answer, the first of `total`, and in one line the plan that gave them."""

    plan: str
    columns: tuple[AnswerColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a question over rows may mean: a plan in one line, and the id to ask for it by."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What leaves. If `refused` no sentence answers, and `missing` names what stands nowhere.

    `nearest` are citations of what was found instead, the best first, none of them an answer.
    `more` are citations of what was found besides the sentences and is not shown among them, the
    best first, their numbers going on; empty where the answer was computed or a model wrote it.
    `short` is the answer in a few words, stated only where it was computed from the sentences cited
    or is sure; empty otherwise.
    `table` are the rows of a computed answer where there is more than one cell to show.
    `meanings` are what a question that is refused may ask of tables, the likeliest first, for
    whoever asked to choose from: none of them is sure enough to be told unasked.
    `rewritten_question` is the question that was answered where it is not the one that was asked.
    """

    answer: str
    sentences: tuple[AnswerSentence, ...]
    refused: bool
    missing: tuple[str, ...]
    offline: bool
    run_id: RunId
    took_ms: float = 0.0
    notes: tuple[str, ...] = field(default=())
    short: str = ""
    rewritten_question: str = ""
    nearest: tuple[Citation, ...] = ()
    more: tuple[Citation, ...] = ()
    table: AnswerTable | None = None
    meanings: tuple[Meaning, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Return what came of the question."""
        if not self.refused:
            return Outcome.ANSWERED
        return Outcome.NEAREST if self.nearest else Outcome.NOTHING


def refused_text(reason: str, nearest: Sequence[Citation], *, heading: str) -> str:
    """Return why there is no answer; below it, under a heading, the nearest with their numbers."""
    reason = harmless(reason)
    if not nearest:
        return reason
    lines = (f"- {on_one_line(one.snippet)} [{one.n}]" for one in nearest)
    return "\n".join((reason, heading, *lines))


def composed(sentences: Sequence[AnswerSentence], *, short: str = "") -> str:
    """Return sentences as one text, each with the numbers of its citations."""
    marked = (
        on_one_line(one.text) + "".join(f" [{citation.n}]" for citation in one.citations)
        for one in sentences
    )
    return "\n".join(filter(None, (harmless(short), *marked)))
