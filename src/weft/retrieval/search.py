"""From a question to evidence: the first hop, the second, one ranking, cut to a few passages."""

from __future__ import annotations

import asyncio
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.notes import note
from weft.domain.scope import Scope
from weft.index.named_view import named_view
from weft.index.segment import Floats
from weft.index.tables import Mask
from weft.index.view import View
from weft.language.legible import legible
from weft.language.terms import terms, word_terms, words
from weft.ports.embedder import Embedder
from weft.ports.knowledge import DocumentFilter, StoredChunk
from weft.ports.store import Base
from weft.retrieval.calibration import naming_share
from weft.retrieval.first_stage import SearchQuestion
from weft.retrieval.hits import Explanation, Found, Hit, Query, QuestionTerm
from weft.retrieval.identifiers import ExactTerms, favours, named_in
from weft.retrieval.ranker import shipped
from weft.retrieval.ranking import (
    FirstHop,
    ScoredSlot,
    begin,
    described,
    explanation,
    ranked,
    stages_of,
)

REFERRED = 2
MAX_FILTERED = 100_000
_MAX_PHRASE = 1000
_DESCRIBED = 40
_DEPTH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One base's candidates, best first, and its count of each of the question's stems."""

    candidates: tuple[ScoredSlot, ...]
    frequencies: dict[str, int]
    passages: int
    naming: float
    explanation: Explanation | None
    lags: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What of one base may be a candidate, and what the question names outright in it."""

    allowed: Mask
    named: ExactTerms
    holding: Sequence[frozenset[str]]


async def search(
    bases: Sequence[Base], embedder: Embedder | None, scope: Scope, *, query: Query
) -> Found:
    """Return the best passages of the bases for a question, all of them readable by the caller.

    Without vectors in a base, or without an embedder, it ranks by words and names and says so.
    """
    query = replace(query, text=legible(query.text))
    asked = await _asked(embedder, query)
    notes: list[str] = []
    hits: list[Hit] = []
    rankings: list[Ranking] = []
    for base in bases:
        ranking = await _rank(base, embedder, scope, query=query, asked=asked)
        rankings.append(ranking)
        own = await _hits(base, scope, query, ranking)
        # Where nothing of a base is among the best, that says nothing of its vectors.
        without = asked.vector is None or (own and not any(hit.cosines for hit in own))
        if ranking.passages and without:
            notes.append(note("full_text_alone", base=base.title or base.name))
        if ranking.lags:
            notes.append(note("still_reading", base=base.title or base.name))
        hits += own
    hits.sort(key=lambda hit: (-hit.score, hit.evidence.id))
    return Found(
        hits=tuple(hits[: query.top_k + REFERRED]),
        terms=_question_terms(query.text, rankings),
        passages=sum(ranking.passages for ranking in rankings),
        notes=tuple(notes),
        vector=asked.vector,
        naming=max((ranking.naming for ranking in rankings), default=0.0),
        explanations=tuple(r.explanation for r in rankings if r.explanation is not None),
    )


async def prepare(bases: Sequence[Base], scope: Scope) -> None:
    """Make ready what the first question needs: the arrays, the names in them, the ranker."""
    for base in bases:
        view = await base.knowledge.view(scope)
        await asyncio.to_thread(named_view, view)
    await asyncio.to_thread(shipped)


async def _asked(embedder: Embedder | None, query: Query) -> SearchQuestion:
    vector = None if embedder is None else (await embedder.queries([query.text]))[0]
    return SearchQuestion(
        text=query.text,
        stems=frozenset(terms(query.text)),
        vector=vector,
        weights=query.weights,
        trust=_trust(query.text),
    )


def _trust(question: str) -> float:
    """Return the share of Latin letters: the local embedder reads English."""
    letters = [char for char in question if char.isalpha()]
    foreign = sum("LATIN" not in unicodedata.name(char, "") for char in letters)
    return 1.0 - foreign / len(letters) if letters else 1.0


async def _rank(
    base: Base, embedder: Embedder | None, scope: Scope, *, query: Query, asked: SearchQuestion
) -> Ranking:
    """Take the two hops: vectors of re-queries are made between them."""
    view = await base.knowledge.view(scope)
    narrowing = await _narrowing(base, view, scope, query)
    if asked.vector is None or view.snapshot.dimensions != len(asked.vector):
        asked = replace(asked, vector=None)
    begun = await asyncio.to_thread(begin, view, asked)
    vectors: Sequence[Floats] = ()
    if asked.vector is not None and embedder is not None and begun.requeries:
        vectors = list(await embedder.queries(begun.requeries))
    ranking = await asyncio.to_thread(_finish, base.name, begun, vectors, narrowing, query)
    return replace(ranking, lags=view.lags)


async def _narrowing(base: Base, view: View, scope: Scope, query: Query) -> Narrowing:
    wanted = await matching(base, scope, query.filter, query.within)
    named = named_in(query.text)
    holding = [
        frozenset(await base.knowledge.containing(scope, phrase, _MAX_PHRASE))
        for phrase in named.phrases
    ]
    return Narrowing(allowed=allowed_slots(view, scope, wanted), named=named, holding=holding)


def _finish(
    name: str, begun: FirstHop, vectors: Sequence[Floats], narrowing: Narrowing, query: Query
) -> Ranking:
    """Take the second hop and rank."""
    view = begun.named_view.view
    stages = stages_of(begun, vectors)
    favour = favours(view, narrowing.named, holding=narrowing.holding)
    order = ranked(
        stages,
        shipped(),
        allowed=narrowing.allowed,
        favour=favour if favour.any() else None,
    )
    likely = order[: max(_DESCRIBED, _DEPTH * query.top_k)]
    return Ranking(
        candidates=tuple(
            described(stages, begun.asked, slot=slot, score=score) for slot, score in likely
        ),
        frequencies={stem: len(found.slots) for stem, found in begun.first.postings.items()},
        passages=view.passages,
        naming=naming_share(begun.named_view),
        explanation=explanation(begun, stages, name=name) if query.explain else None,
    )


async def matching(base: Base, scope: Scope, *filters: DocumentFilter) -> frozenset[str] | None:
    """Return the ids of the readable documents that meet all filters; None: nothing narrows."""
    wanted: frozenset[str] | None = None
    for each in filters:
        if not each.is_empty:
            found = await base.knowledge.find(scope, each, MAX_FILTERED)
            ids = frozenset[str](document.id for document in found)
            wanted = ids if wanted is None else wanted & ids
    return wanted


def allowed_slots(view: View, scope: Scope, wanted: frozenset[str] | None = None) -> Mask:
    """Return the slots that may be candidates: statistics go by what is readable, not by these."""
    sources = scope.sources
    if sources is None and wanted is None:
        return view.readable

    def keep(row: tuple[str, str, str]) -> bool:
        key, source, kind = row
        named = sources is None or source.lower() in sources or kind.lower() in sources
        return named and (wanted is None or key in wanted)

    return view.among(keep)


async def _hits(base: Base, scope: Scope, query: Query, ranking: Ranking) -> list[Hit]:
    chosen = _diverse(ranking.candidates, query)
    chosen += await _referred(base, scope, chosen, ranking)
    stored = await base.knowledge.chunks(scope, [ChunkId(c.place.chunk_id) for c in chosen])
    by_id = {found.chunk.id: found for found in stored}
    return [
        Hit(
            evidence=evidence_of(
                base.name, by_id[ChunkId(candidate.place.chunk_id)], candidate=candidate
            ),
            score=candidate.score,
            cosine=candidate.cosine,
            cosines=candidate.cosines,
        )
        for candidate in chosen
        if candidate.place.chunk_id in by_id
    ]


def _diverse(candidates: Sequence[ScoredSlot], query: Query) -> list[ScoredSlot]:
    """Return the best candidates, at most `per_document` of each document."""
    taken: dict[str, int] = {}
    chosen: list[ScoredSlot] = []
    for candidate in candidates:
        document = candidate.place.document_id
        if taken.get(document, 0) < query.per_document:
            taken[document] = taken.get(document, 0) + 1
            chosen.append(candidate)
        if len(chosen) == query.top_k:
            break
    return chosen


async def _referred(
    base: Base, scope: Scope, chosen: Sequence[ScoredSlot], ranking: Ranking
) -> list[ScoredSlot]:
    """Return the best passages of documents that the best one refers to, or that refer to it."""
    if not chosen:
        return []
    first = chosen[0].place.document_id
    edges = await base.knowledge.neighbours(scope, [DocumentId(first)], 1)
    near = {edge.source for edge in edges} | {edge.target for edge in edges}
    known = {candidate.place.document_id for candidate in chosen}
    found: list[ScoredSlot] = []
    for candidate in ranking.candidates:
        document = candidate.place.document_id
        if document in near and document not in known:
            known.add(document)
            path = (*candidate.path, f"reference with {first}")
            found.append(replace(candidate, path=path))
    return found[:REFERRED]


def evidence_of(name: str, stored: StoredChunk, *, candidate: ScoredSlot) -> Evidence:
    """Return a candidate with its stored text, as evidence from the base of that name."""
    found = stored.evidence(f"{name}/{stored.chunk.id}", knowledge_base=name)
    score_kind = "ranked" if candidate.cosines else "full text"
    return replace(found, score_kind=score_kind, path=candidate.path)


def _question_terms(question: str, rankings: Sequence[Ranking]) -> tuple[QuestionTerm, ...]:
    """Return the question's stems in order, with their counts over all bases."""
    sources: dict[str, list[str]] = {}
    for word in words(unicodedata.normalize("NFKC", question)):
        for stem in word_terms(word):
            sources.setdefault(stem, [])
            if word not in sources[stem]:
                sources[stem].append(word)
    passages = sum(ranking.passages for ranking in rankings)
    found: list[QuestionTerm] = []
    for stem, said in sources.items():
        df = sum(ranking.frequencies.get(stem, 0) for ranking in rankings)
        found.append(QuestionTerm(stem=stem, words=tuple(said), df=df, idf=_rarity(passages, df)))
    return tuple(found)


def _rarity(passages: int, df: int) -> float:
    if not passages or not df:
        return 1.0
    return math.log(1.0 + passages / df) / math.log(1.0 + passages)
