"""What a search asks and what it gives."""

from __future__ import annotations

from dataclasses import field

from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.index.segment import Floats
from weft.ports.knowledge import DocumentFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWeights:
    """How full text, passage vectors and sentence vectors are mixed; they need not sum to one."""

    text: float = 0.40
    passage: float = 0.35
    sentence: float = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, what narrows it, how many passages are wanted, and whether the ways are told.

    `within` narrows as `filter` does, and both must hold: it is that of a whole run.
    """

    text: str
    filter: DocumentFilter = field(default_factory=DocumentFilter)
    within: DocumentFilter = field(default_factory=DocumentFilter)
    top_k: int = 8
    per_document: int = 3
    weights: SearchWeights = SearchWeights()
    explain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage found: its score (0 to 1), its own cosine and those of its sentences.

    `cosines` has one value a sentence of the evidence, in order; it is empty without vectors.
    """

    evidence: Evidence
    score: float
    cosine: float
    cosines: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTerm:
    """A stem of the question: the words it came from, in how many readable passages it occurs.

    `idf` is ln(1 + N / df) / ln(1 + N), from 0 to 1, and 1 where no readable passage has it.
    """

    stem: str
    words: tuple[str, ...]
    df: int
    idf: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A passage that one stage found, with the stage's own score."""

    document_id: str
    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What each stage found in one base: names in the question, passages by stage, re-queries.

    `requeries` are (document the second hop starts from, bridge, the question written anew).
    """

    knowledge_base: str
    names: tuple[tuple[str, int], ...]
    stages: tuple[tuple[str, tuple[Step, ...]], ...]
    requeries: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The passages for a question, best first, and what is known of the question's words.

    `vector` is the question's own, where there is an embedder: for looking further. `naming` is
    the share, 0 to 1, of what readable passages name that has a passage of its own.
    """

    hits: tuple[Hit, ...]
    terms: tuple[QuestionTerm, ...]
    passages: int
    notes: tuple[str, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    vector: Floats | None = field(default=None, compare=False, repr=False)
    naming: float = 0.0
