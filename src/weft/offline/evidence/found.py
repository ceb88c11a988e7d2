"""What the searches of one question found, as the rules read it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from weft.agents.evidence import evidence_in
from weft.domain.frozen import dataclass
from weft.retrieval.hits import Hit, QuestionTerm


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedFields:
    """The passages, under their ids, of what fields led to, and what is `asked` of them."""

    asked: str
    entries: tuple[tuple[str, Hit], ...]


class FoundEvidence:
    """Passages by the ids that tools gave them, in order of finding."""

    def __init__(self, *, without: Collection[str] = ()) -> None:
        """Begin with nothing found; what stands in documents `without` is never entered."""
        self._without = frozenset(without)
        self._hits: dict[str, Hit] = {}
        self._terms: dict[str, QuestionTerm] = {}
        self._named: dict[str, tuple[str, ...]] = {}
        self.naming = 0.0
        # What the tables beside the passages are called: it stands there, though in no text.
        self.tables: tuple[str, ...] = ()
        self.followed: FollowedFields | None = None

    def add(self, hit: Hit) -> str:
        """Enter a passage and return its id; one seen before keeps the better of its scores."""
        name = hit.evidence.id
        if hit.evidence.document_id in self._without:
            return name
        known = self._hits.get(name)
        if known is None or hit.score > known.score:
            self._hits[name] = hit
        return name

    def learn(self, words: Iterable[QuestionTerm], *, naming: float = 0.0) -> None:
        """Take what a search says of the question's words."""
        for term in words:
            self._terms.setdefault(term.stem, term)
        self.naming = max(self.naming, naming)

    def define(self, name: str, ids: Iterable[str]) -> None:
        """Take down which passages define a name that was looked up; none is an answer as well."""
        self._named[name] = tuple(ids)

    @property
    def looked_up(self) -> Mapping[str, tuple[str, ...]]:
        """Return the names that were looked up, with the ids of the passages that define them."""
        return self._named

    def entries(self) -> tuple[tuple[str, Hit], ...]:
        """Return all ids with their passages, in order of finding."""
        return tuple(self._hits.items())

    @property
    def terms(self) -> tuple[QuestionTerm, ...]:
        """Return what is known of the question's words."""
        return tuple(self._terms.values())


def hits_in(reply: Mapping[str, Any]) -> list[Hit]:
    """Return the passages of a tool's reply, in its order."""
    return [_hit(item) for item in reply.get("evidence", ())]


def _hit(item: Mapping[str, Any]) -> Hit:
    evidence = evidence_in(item)
    cosines = tuple(item.get("cosines", ())) if evidence.sentences else ()
    return Hit(
        evidence=evidence,
        score=float(item.get("score", 0.0)),
        cosine=float(item.get("cosine", 0.0)),
        cosines=cosines,
    )


def terms_in(reply: Mapping[str, Any]) -> tuple[QuestionTerm, ...]:
    """Return what a search says of the words of its query."""
    return tuple(
        QuestionTerm(
            stem=word["stem"], words=tuple(word["words"]), df=word["df"], idf=float(word["idf"])
        )
        for word in reply.get("words", ())
    )
