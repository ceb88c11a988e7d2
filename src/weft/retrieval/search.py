"""From a question to evidence: full text, passage and sentence vectors, mixed and cut to a few."""

from __future__ import annotations

import asyncio
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.scope import Scope
from weft.domain.terms import terms, word_terms, words
from weft.index.scoring import bm25, cosines, mixed, scaled
from weft.index.segment import Floats
from weft.index.snapshot import Mask
from weft.index.view import Doubles, Place, View, top
from weft.ports.embedder import Embedder
from weft.ports.knowledge import StoredChunk
from weft.retrieval.hits import Base, Found, Hit, Query, QuestionTerm, Weights

POOL = 60
REFERRED = 2
MAX_FILTERED = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A slot that scored well, with the figures that its hit will carry."""

    place: Place
    score: float
    cosine: float
    cosines: tuple[float, ...]
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One base's candidates, best first, and its count of each of the question's stems."""

    candidates: tuple[Candidate, ...]
    frequencies: dict[str, int]
    passages: int


async def search(
    bases: Sequence[Base], embedder: Embedder | None, scope: Scope, *, query: Query
) -> Found:
    """Return the best passages of the bases for a question, all of them readable by the caller.

    Without vectors in a base, or without an embedder, it ranks by full text alone and says so.
    """
    asked = None if embedder is None else (await embedder.queries([query.text]))[0]
    notes: list[str] = []
    hits: list[Hit] = []
    rankings: list[Ranking] = []
    for base in bases:
        ranking = await _rank(base, asked, scope, query)
        rankings.append(ranking)
        hits += await _hits(base, scope, query, ranking)
        if ranking.passages and not any(hit.cosines for hit in hits):
            notes.append(f"{base.name}: ranked by full text alone, without vectors")
    hits.sort(key=lambda hit: (-hit.score, hit.evidence.id))
    return Found(
        hits=tuple(hits[: query.top_k + REFERRED]),
        terms=_question_terms(query.text, rankings),
        passages=sum(ranking.passages for ranking in rankings),
        notes=tuple(notes),
    )


async def _rank(base: Base, asked: Floats | None, scope: Scope, query: Query) -> Ranking:
    view = await base.knowledge.view(scope)
    wanted: frozenset[str] | None = None
    if not query.filter.is_empty:
        found = await base.knowledge.find(scope, query.filter, MAX_FILTERED)
        wanted = frozenset(document.id for document in found)
    usable = asked if view.snapshot.dimensions == (0 if asked is None else len(asked)) else None
    return await asyncio.to_thread(_score, view, usable, _allowed(view, scope, wanted), query)


def _allowed(view: View, scope: Scope, wanted: frozenset[str] | None) -> Mask:
    """Return the slots that may be candidates: statistics go by what is readable, not by these."""
    sources = scope.sources
    if sources is None and wanted is None:
        return view.readable

    def keep(row: tuple[str, str, str]) -> bool:
        key, source, kind = row
        named = sources is None or source.lower() in sources or kind.lower() in sources
        return named and (wanted is None or key in wanted)

    return view.among(keep)


def _score(view: View, asked: Floats | None, allowed: Mask, query: Query) -> Ranking:
    stems = set(terms(query.text))
    frequencies = {stem: len(view.postings(stem)[0]) for stem in sorted(stems)}
    text = bm25(view, stems)
    if asked is None or not view.snapshot.dimensions:
        scores, passage = scaled(text, view.readable), None
    else:
        scores, passage = _blended(view, asked, text, _weights(query))
    matched = allowed & ((text > 0) if passage is None else np.ones(len(text), dtype=np.bool_))
    chosen = top(view, scores, allowed=matched, limit=POOL)
    candidates = [
        Candidate(
            place=place,
            score=float(scores[slot]),
            cosine=0.0 if passage is None else float(passage[slot]),
            cosines=()
            if asked is None or passage is None
            else tuple(cosines(view.sentence_vectors(slot), asked).tolist()),
            path=_reasons(text[slot] > 0, passage is not None),
        )
        for slot, place in chosen
    ]
    return Ranking(candidates=tuple(candidates), frequencies=frequencies, passages=view.passages)


def _blended(view: View, asked: Floats, text: Doubles, weights: Weights) -> tuple[Doubles, Floats]:
    passage = view.rows(lambda rows: cosines(rows, asked))
    sentence = view.best_sentences(lambda rows: cosines(rows, asked))
    sentence = np.where(sentence < -0.999, passage, sentence)
    scores = mixed(
        [
            (weights.text, scaled(text, view.readable)),
            (weights.passage, scaled(passage, view.readable)),
            (weights.sentence, scaled(sentence, view.readable)),
        ]
    )
    return scores, passage


def _weights(query: Query) -> Weights:
    """Return the weights, those of vectors lowered by the share of letters that are not Latin."""
    letters = [char for char in query.text if char.isalpha()]
    foreign = sum("LATIN" not in unicodedata.name(char, "") for char in letters)
    known = 1.0 - foreign / len(letters) if letters else 1.0
    given = query.weights
    return replace(given, passage=given.passage * known, sentence=given.sentence * known)


def _reasons(by_text: bool, by_vectors: bool) -> tuple[str, ...]:
    found = [("full text", by_text), ("vectors", by_vectors)]
    return tuple(name for name, held in found if held)


async def _hits(base: Base, scope: Scope, query: Query, ranking: Ranking) -> list[Hit]:
    chosen = _diverse(ranking.candidates, query)
    chosen += await _referred(base, scope, chosen, ranking)
    stored = await base.knowledge.chunks(scope, [ChunkId(c.place.chunk_id) for c in chosen])
    by_id = {found.chunk.id: found for found in stored}
    return [
        Hit(
            evidence=_evidence(base.name, by_id[ChunkId(candidate.place.chunk_id)], candidate),
            score=candidate.score,
            cosine=candidate.cosine,
            cosines=candidate.cosines,
        )
        for candidate in chosen
        if candidate.place.chunk_id in by_id
    ]


def _diverse(candidates: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Return the best candidates, at most `per_document` of each document."""
    taken: dict[str, int] = {}
    chosen: list[Candidate] = []
    for candidate in candidates:
        document = candidate.place.document_id
        if taken.get(document, 0) < query.per_document:
            taken[document] = taken.get(document, 0) + 1
            chosen.append(candidate)
        if len(chosen) == query.top_k:
            break
    return chosen


async def _referred(
    base: Base, scope: Scope, chosen: Sequence[Candidate], ranking: Ranking
) -> list[Candidate]:
    """Return the best passages of documents that the best one refers to, or that refer to it."""
    if not chosen:
        return []
    first = chosen[0].place.document_id
    edges = await base.knowledge.neighbours(scope, [DocumentId(first)], 1)
    near = {edge.source for edge in edges} | {edge.target for edge in edges}
    known = {candidate.place.document_id for candidate in chosen}
    found: list[Candidate] = []
    for candidate in ranking.candidates:
        document = candidate.place.document_id
        if document in near and document not in known:
            known.add(document)
            path = (*candidate.path, f"reference with {first}")
            found.append(replace(candidate, path=path))
    return found[:REFERRED]


def _evidence(name: str, stored: StoredChunk, candidate: Candidate) -> Evidence:
    chunk, document = stored.chunk, stored.document
    return Evidence(
        id=f"{name}/{chunk.id}",
        knowledge_base=name,
        document_id=document.id,
        document_type=document.type,
        title=document.title,
        uri=document.uri,
        chunk_id=chunk.id,
        chunk_index=chunk.chunk_index,
        start=chunk.start,
        end=chunk.end,
        page=chunk.page,
        section=chunk.section,
        text=chunk.text,
        sentences=chunk.sentences,
        updated=document.updated,
        score_kind="mixed" if candidate.cosines else "full text",
        path=candidate.path,
    )


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
