"""What one run has found so far, under short ids that a model can name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId, DocumentId
from weft.index.segment import Floats
from weft.retrieval.families import Family, FamilyKind
from weft.retrieval.hits import Found, Hit, QuestionTerm


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The passages of a family under their ids: rows of a file, pages of a folder, a document."""

    kind: FamilyKind
    key: str
    entries: tuple[tuple[str, Hit], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A plainer question with its evidence, and the passage and words that surely answer it.

    `name` is what it is about, `about` are the documents on that; `is_narrow` when the evidence is
    of these alone.
    """

    question: str
    book: EvidenceBook
    name: str
    about: frozenset[tuple[str, DocumentId]] = frozenset()
    told: tuple[Hit, str] | None = None
    is_narrow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """Questions that are asked in place of `asked`, the likeliest first.

    `said` are the passages and words that lead from the one to the others; `names` what was put in
    place of each description. `sure` when nothing but these can answer, `telling` when the
    last of `said` may answer too, `second` when they are asked only where the question itself has
    no answer. `failed` is the description that fits nothing of its kind, or an empty string.
    """

    asked: str
    said: tuple[tuple[Hit, str], ...]
    tries: tuple[Attempt, ...]
    names: tuple[str, ...] = ()
    sure: bool = False
    telling: bool = False
    second: bool = False
    failed: str = ""


class EvidenceBook:
    """Evidence by id (`e1`, `e2` ... in order of finding; the same passage keeps its id)."""

    def __init__(self) -> None:
        """Begin with nothing found."""
        self._hits: dict[str, Hit] = {}
        self._ids: dict[tuple[str, ChunkId], str] = {}
        self._terms: dict[str, QuestionTerm] = {}
        self._named: dict[str, tuple[str, ...]] = {}
        self._aside: dict[str, Hit] = {}
        # What stands beside the passages found, whole; none of it is an answer by its likeness.
        self.tables: list[Beside] = []
        self.vector: Floats | None = None
        self.naming = 0.0
        # The documents that the question speaks of, without naming them.
        self.pointed: tuple[DocumentId, ...] = ()
        self.notes: list[str] = []
        # A plainer question that stands for one that describes things, and what was found for it.
        self.aside: Aside | None = None

    def add(self, hit: Hit) -> str:
        """Enter a passage and return its id; one seen before keeps the better of its scores."""
        key = (hit.evidence.knowledge_base, hit.evidence.chunk_id)
        name = self._ids.setdefault(key, f"e{len(self._ids) + 1}")
        known = self._hits.get(name)
        if known is None or hit.score > known.score:
            self._hits[name] = hit
        return name

    def put_aside(self, family: Family, hits: Iterable[Hit]) -> None:
        """Enter the passages of a family, apart from those that were found for the question."""
        entries: list[tuple[str, Hit]] = []
        for hit in hits:
            key = (hit.evidence.knowledge_base, hit.evidence.chunk_id)
            name = self._ids.setdefault(key, f"e{len(self._ids) + 1}")
            self._aside.setdefault(name, hit)
            entries.append((name, hit))
        self.tables.append(Beside(kind=family.kind, key=family.key, entries=tuple(entries)))

    def learn(self, found: Found) -> None:
        """Take what a search says of the question's words, and its notes."""
        for term in found.terms:
            self._terms.setdefault(term.stem, term)
        self.naming = max(self.naming, found.naming)
        self.vector = found.vector if self.vector is None else self.vector
        self.notes += [note for note in found.notes if note not in self.notes]

    def define(self, name: str, ids: Iterable[str]) -> None:
        """Take down which passages define a name that was looked up; none is an answer as well."""
        self._named[name] = tuple(ids)

    @property
    def looked_up(self) -> Mapping[str, tuple[str, ...]]:
        """Return the names that were looked up, with the ids of the passages that define them."""
        return self._named

    def hit(self, name: str) -> Hit | None:
        """Return the passage of an id, or None for an id that was never given out."""
        return self._hits.get(name) or self._aside.get(name)

    def evidence(self, names: Iterable[str]) -> tuple[Evidence, ...]:
        """Return the evidence of those ids that were given out, each once, in order."""
        known = (self.hit(name) for name in dict.fromkeys(names))
        return tuple(hit.evidence for hit in known if hit is not None)

    def entries(self) -> tuple[tuple[str, Hit], ...]:
        """Return all ids with their passages, in order of finding."""
        return tuple(self._hits.items())

    @property
    def terms(self) -> tuple[QuestionTerm, ...]:
        """Return what is known of the question's words."""
        return tuple(self._terms.values())
