"""Citations checked against the stored text before an answer leaves.

The chunk is read again under the caller's scope: a document deleted, changed or closed to the
caller since the search cannot be cited any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Protocol

from weft.domain.answer import AnswerSentence, Citation, Tier
from weft.domain.document import Span
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId
from weft.domain.scope import Scope
from weft.language.blocks.sections import section_at
from weft.language.markup import is_prose, plain
from weft.ports.judge import Judge
from weft.ports.knowledge import StoredChunk
from weft.verification.support import Support, assess, enclosing, find_quotation, locate

# A judge must be this sure, and is asked of at most so many sentences of an answer.
JUDGED = 0.9
MOST_JUDGED = 8
# Citations are counted by base, chunk and span.
_Numbers = dict[tuple[str, ChunkId, int, int], int]
_ORDER = {Tier.QUOTE: 0, Tier.CLOSE: 1, Tier.PARTLY: 2, Tier.NO: 3}


class ChunkReader(Protocol):
    """Reads stored chunks again: of a knowledge base, or of what a run was told of the web."""

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        """Return the readable chunks among `ids`, in that order."""
        ...


class Citable(Protocol):
    """What evidence names as its knowledge base, and what its chunks are read from."""

    @property
    def name(self) -> str:
        """Return the name that evidence has."""
        ...

    @property
    def knowledge(self) -> ChunkReader:
        """Return what its chunks are read from."""
        ...


class Unsupported(StrEnum):
    """What is done with a sentence that the text does not bear out."""

    DROP = "drop"
    MARK = "mark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A sentence as a model wrote it, with the evidence it names.

    `span` is the place in the evidence's text that was meant, where that is known; it is searched
    for otherwise.
    """

    text: str
    evidence: tuple[Evidence, ...]
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A sentence that did not pass, and which of its words the text does not bear out."""

    text: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The sentences that may leave, each with its citations, and those that may not."""

    sentences: tuple[AnswerSentence, ...]
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A span of a stored chunk of a base, and how far it bears out a sentence."""

    base: str
    stored: StoredChunk
    span: Span
    support: Support


async def verify(
    bases: Sequence[Citable],
    scope: Scope,
    drafts: Sequence[Draft],
    *,
    unsupported: Unsupported = Unsupported.DROP,
    judge: Judge | None = None,
) -> Verified:
    """Return the drafts as sentences with numbered citations, as far as the stored text goes.

    A citation stays only if its own span, as it stands in the store now, bears out the sentence;
    numbers count from 1 in order of first use, and the same span keeps its number. `judge` is
    asked where all gates pass and only the wording is in doubt; nothing else is his to allow.

    A sentence leaves without the signs of its format, and what is left is what was borne out.
    """
    stored = await _read_again(bases, scope, drafts)
    asked = 0
    kept: list[AnswerSentence] = []
    dropped: list[Dropped] = []
    numbers: _Numbers = {}
    for written in drafts:
        draft, sources = _as_read(written, stored)
        if judge is not None and asked < MOST_JUDGED and _is_open(sources):
            asked += 1
            sources = await _judged(draft, sources, judge)
        best = min(sources, key=lambda s: _ORDER[s.support.tier], default=None)
        if best is not None and _may_stay(best.support, unsupported):
            kept.append(_sentence(draft.text, sources, numbers))
        else:
            dropped.append(Dropped(text=draft.text, missing=best.support.missing if best else ()))
    return Verified(sentences=tuple(kept), dropped=tuple(dropped))


async def _read_again(
    bases: Sequence[Citable], scope: Scope, drafts: Sequence[Draft]
) -> Mapping[tuple[str, ChunkId], StoredChunk]:
    found: dict[tuple[str, ChunkId], StoredChunk] = {}
    for base in bases:
        cited = (e for draft in drafts for e in draft.evidence if e.knowledge_base == base.name)
        ids = list(dict.fromkeys(evidence.chunk_id for evidence in cited))
        if ids:
            for one in await base.knowledge.chunks(scope, ids):
                found[base.name, one.chunk.id] = one
    return found


def _as_read(
    draft: Draft, stored: Mapping[tuple[str, ChunkId], StoredChunk]
) -> tuple[Draft, list[_Source]]:
    """Return a draft without the signs of its format, where it is borne out so, and its sources.

    What is cited of a program keeps its signs: there they are what it says.
    """
    if all(is_prose(evidence.uri) for evidence in draft.evidence):
        read = replace(draft, text=plain(draft.text))
        sources = _sources(read, stored, written=draft.text)
        if read.text == draft.text or any(source.support.holds for source in sources):
            return read, sources
    return draft, _sources(draft, stored, written=draft.text)


def _sources(
    draft: Draft, stored: Mapping[tuple[str, ChunkId], StoredChunk], *, written: str
) -> list[_Source]:
    """Return the places that a draft names; where it stands as it was `written`, that is the place.

    Those that are not there any more, or not for this caller, are left out.
    """
    sources: list[_Source] = []
    for evidence in draft.evidence:
        now = stored.get((evidence.knowledge_base, evidence.chunk_id))
        if now is None or now.document.id != evidence.document_id:
            continue
        span = _span_now(draft, evidence, now=now, written=written)
        if span is not None:
            support = _support(draft, now, span)
            base = evidence.knowledge_base
            sources.append(_Source(base=base, stored=now, span=span, support=support))
    return sources


def _span_now(draft: Draft, evidence: Evidence, *, now: StoredChunk, written: str) -> Span | None:
    """Return the span in the stored chunk's own text; None when it does not stand there."""
    text = now.chunk.text
    if draft.span is None:
        whole = find_quotation(written, text)
        return whole or locate(draft.text, text, spans=now.chunk.sentences)
    snippet = evidence.text[draft.span.start : draft.span.end]
    if not snippet:
        return None
    if text[draft.span.start : draft.span.end] == snippet:
        return draft.span
    at = text.find(snippet)
    return Span(start=at, end=at + len(snippet)) if at >= 0 else None


def _support(draft: Draft, now: StoredChunk, span: Span) -> Support:
    """Assess the cited words, then once more within their whole sentence: both must bear it out."""
    text = now.chunk.text
    cited = assess(draft.text, text[span.start : span.end])
    whole = enclosing(text, span, spans=now.chunk.sentences)
    if not cited.holds or whole == span:
        return cited
    around = assess(draft.text, text[whole.start : whole.end])
    return max(cited, around, key=lambda support: _ORDER[support.tier])


def _is_open(sources: Sequence[_Source]) -> bool:
    """Tell whether a sentence is supported by no source, and by one except for its wording."""
    supports = [source.support for source in sources]
    return not any(s.holds for s in supports) and any(s.only_wording for s in supports)


async def _judged(draft: Draft, sources: Sequence[_Source], judge: Judge) -> list[_Source]:
    """Return the sources, that one counted as close whose wording a sure judge takes for equal."""
    ordered = sorted(sources, key=lambda source: -source.support.score)
    place = next(at for at, source in enumerate(ordered) if source.support.only_wording)
    source = ordered[place]
    text = source.stored.chunk.text
    whole = enclosing(text, source.span, spans=source.stored.chunk.sentences)
    if await judge.entails(text[whole.start : whole.end], draft.text) < JUDGED:
        return list(sources)
    close = replace(source.support, tier=Tier.CLOSE, missing=(), only_wording=False)
    ordered[place] = replace(source, support=close)
    return ordered


def _may_stay(support: Support, unsupported: Unsupported) -> bool:
    if support.holds:
        return True
    return unsupported is Unsupported.MARK and support.tier is Tier.PARTLY


def _sentence(text: str, sources: Sequence[_Source], numbers: _Numbers) -> AnswerSentence:
    tier = min((source.support.tier for source in sources), key=_ORDER.__getitem__)
    supported = tier in (Tier.QUOTE, Tier.CLOSE)
    citing = [s for s in sources if s.support.holds or s.support.tier is tier]
    missing = () if supported else citing[0].support.missing
    citations: dict[int, Citation] = {}
    for source in citing:
        citation = _citation(source, numbers)
        citations.setdefault(citation.n, citation)
    return AnswerSentence(
        text=text, tier=tier, citations=tuple(citations.values()), missing=missing
    )


def _citation(source: _Source, numbers: _Numbers) -> Citation:
    chunk, document = source.stored.chunk, source.stored.document
    start, end = chunk.start + source.span.start, chunk.start + source.span.end
    return Citation(
        n=numbers.setdefault((source.base, chunk.id, start, end), len(numbers) + 1),
        knowledge_base=source.base,
        doc_id=document.id,
        title=document.title,
        uri=document.uri,
        page=chunk.page,
        section=section_at(chunk.text, source.span.start, section=chunk.section),
        chunk_id=chunk.id,
        start=start,
        end=end,
        snippet=chunk.text[source.span.start : source.span.end],
    )
