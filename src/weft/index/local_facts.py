"""Local facts of one passage: the one extractor for documents and for questions.

What depends on other documents (which words are common, which names are known) is left to the
view: a span that begins a sentence is written down in both readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from weft.domain.document import Span
from weft.domain.facts import Definition, LocalFacts, NameSpan, SpanReading, Token
from weft.index.definitions import definitions
from weft.index.words import SurfaceWord, WordRun, closed, is_nothing, key_of, runs, split_words
from weft.language.terms import STOP_WORDS, terms

VERSION = "facts-1"

_SPLITTERS = frozenset(["and", "in", "on", "to", "for", "at"])


def _parts(run: WordRun) -> list[WordRun]:
    """Return a run and the stretches around its splitting connectors."""
    whole = [run]
    cut = [i for i, word in enumerate(run.words) if word.word in _SPLITTERS and not word.flagged]
    edges = [-1, *cut, len(run.words)]
    if cut:
        pieces = (run.words[a + 1 : b] for a, b in pairwise(edges))
        for piece in pieces:
            whole.extend(closed(_opened(piece)))
    return whole


def _opened(words: Sequence[SurfaceWord]) -> Sequence[SurfaceWord]:
    at = 0
    while at < len(words) and not words[at].flagged:
        at += 1
    return words[at:]


def span_rows(run: WordRun) -> list[NameSpan]:
    """Return the rows of one run: both readings where it begins a sentence."""
    rows: list[NameSpan] = []
    for part in _parts(run):
        first = part.words[0]
        rest = list(_opened(part.words[1:]))
        if not first.initial:
            rows.extend(_row(part.words, SpanReading.ALWAYS, ""))
        elif first.word in STOP_WORDS:
            rows.extend(_row(rest, SpanReading.ALWAYS, ""))
        else:
            rows.extend(_row(part.words, SpanReading.UNLESS_COMMON, first.word))
            rows.extend(_row(rest, SpanReading.ONLY_IF_COMMON, first.word))
    return rows


def _row(words: Sequence[SurfaceWord], reading: SpanReading, word0: str) -> list[NameSpan]:
    key = key_of(words)
    if not key or is_nothing(key):
        return []
    return [NameSpan(key=key, sentence=words[0].sentence, reading=reading, word0=word0)]


def local_facts(title: str, text: str, *, sentences: Sequence[Span]) -> LocalFacts:
    """Return all local facts of a passage; `sentences` are spans within `text`.

    Pure: the same arguments give the same facts, in the same order. Tokens of the title come
    first, as sentence -1.
    """
    found = split_words(text, sentences)
    heading = split_words(title, [Span(start=0, end=len(title))])
    spans = [row for run in runs(text, found) for row in span_rows(run)]
    tokens = [Token(word=word.word, flagged=word.flagged, sentence=-1) for word in heading]
    tokens += [Token(word=w.word, flagged=w.flagged, sentence=w.sentence) for w in found]
    counted = Counter(terms(f"{title}\n{text}"))
    return LocalFacts(
        tokens=tuple(tokens),
        spans=tuple(spans),
        definitions=tuple(_definitions(title, heading, text, found)),
        cases=_cases(found),
        terms=tuple(sorted(counted.items())),
        length=counted.total(),
    )


def _definitions(
    title: str, heading: Sequence[SurfaceWord], text: str, words: Sequence[SurfaceWord]
) -> list[Definition]:
    early = [run for run in runs(text, words) if run.words[0].start < 120]
    fallback = [row for run in early for row in span_rows(run)][:6]
    return definitions(title, text, heading=heading, words=words, fallback=fallback)


def _cases(words: Sequence[SurfaceWord]) -> tuple[tuple[str, int, int], ...]:
    lower: Counter[str] = Counter()
    upper: Counter[str] = Counter()
    for word in words:
        if word.surface[0].isupper():
            upper[word.word] += 1
        elif word.surface[0].isalpha():
            lower[word.word] += 1
    return tuple((word, lower[word], upper[word]) for word in sorted({*lower, *upper}))
