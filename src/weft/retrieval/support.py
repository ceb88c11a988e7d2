"""How far a text bears out a sentence: four tiers, decided by hard gates and not by likeness.

A score of likeness is blind to small edits (another year, a lost "not", two names swapped), so
nothing here is scored into being supported: a sentence is a quotation, or passes every gate, or it
is not supported. The gates err on the side of "not".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq, Levenshtein

from weft.domain.answer import Tier
from weft.domain.document import Span
from weft.retrieval.wording import (
    QUALIFIERS,
    Part,
    Word,
    normalise,
    opposites,
    read_words,
    sentences,
)

# From the measurements in the notes: the share of a sentence's content that one cited sentence
# must hold, and the share of the shared words that must stand in the same order.
CLOSE_COVERAGE = 0.8
CLOSE_ORDER = 0.9
# Below this share nobody would call the text related; set by reading handmade pairs.
PARTLY_COVERAGE = 0.4

_CUT_BEFORE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_]$|[\d][.,:/]\d$|[-+<>=]\d$")
_CUT_AFTER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_]|\d[.,:/-]\d|\d%")
_CONTENT = frozenset({Part.WORD, Part.NAME, Part.NUMBER})
_EXACT = frozenset({Part.NAME, Part.NUMBER})
_RELATION = frozenset({Part.RELATION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The tier; `missing`: the words of the sentence that the text does not bear out."""

    tier: Tier
    missing: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Tell whether the sentence counts as supported."""
        return self.tier in (Tier.QUOTE, Tier.CLOSE)


def assess(sentence: str, cited: str, *, idf: Mapping[str, float] | None = None) -> Support:
    """Return how far `cited` bears out `sentence`; `idf` weighs stems, each 1 without it.

    `cited` should hold whole sentences: a quotation that leaves out the "not" of the sentence it
    was cut from is no quotation.
    """
    quoted = _quoted(sentence, cited)
    if quoted:
        return Support(tier=Tier.QUOTE)
    claim = read_words(sentence)
    if not any(word.part in _CONTENT for word in claim):
        return Support(tier=Tier.NO)
    sources = [read_words(cited[span.start : span.end]) for span in sentences(cited)]
    best = max(sources, key=lambda source: _coverage(claim, source, idf), default=[])
    if _is_close(claim, best, idf):
        return Support(tier=Tier.CLOSE)
    union = [word for source in sources for word in source]
    tier = Tier.PARTLY if _coverage(claim, union, idf) >= PARTLY_COVERAGE else Tier.NO
    return Support(tier=tier, missing=_missing(claim, best))


def locate(sentence: str, text: str, *, spans: Sequence[Span] = ()) -> Span | None:
    """Return the span of `text` that best bears out `sentence`: the quotation, else one sentence.

    `spans` are the sentences of `text`, found here when not given. None when nothing of the
    sentence's content stands in the text.
    """
    quotation = find_quotation(sentence, text)
    if quotation:
        return quotation
    claim = read_words(sentence)
    best, covered = None, 0.0
    for span in spans or sentences(text):
        source = text[span.start : span.end]
        share = _coverage(claim, read_words(source), None)
        if share > covered and source.strip():
            best, covered = span, share
    return best


def find_quotation(sentence: str, text: str) -> Span | None:
    """Return where `sentence` stands in `text`, spaces and kinds of quotes apart, or None."""
    wanted, _ = normalise(sentence.strip())
    if not wanted:
        return None
    plain, places = normalise(text)
    at = plain.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if _is_whole(plain, at, end):
            return Span(start=places[at], end=places[end - 1] + 1)
        at = plain.find(wanted, at + 1)
    return None


def enclosing(text: str, span: Span, *, spans: Sequence[Span] = ()) -> Span:
    """Return the span of the whole sentences of `text` that `span` touches.

    `spans` are the sentences of `text`, found here when not given.
    """
    whole = spans or sentences(text)
    touched = [s for s in whole if s.start < span.end and span.start < s.end]
    if not touched:
        return span
    return Span(start=min(span.start, touched[0].start), end=max(span.end, touched[-1].end))


def _is_whole(text: str, start: int, end: int) -> bool:
    """Tell whether a range neither begins nor ends inside a word or a number."""
    cut_before = start > 0 and _CUT_BEFORE.search(text[max(0, start - 2) : start + 1])
    return not cut_before and not _CUT_AFTER.match(text[end - 1 : end + 2])


def _quoted(sentence: str, cited: str) -> bool:
    span = find_quotation(sentence, cited)
    if span is None:
        return False
    whole = enclosing(cited, span)
    around = cited[whole.start : span.start] + " " + cited[span.end : whole.end]
    left_out = read_words(around)
    return not any(word.part is Part.NEGATION or word.key in QUALIFIERS for word in left_out)


def _keys(words: Iterable[Word], parts: frozenset[Part] = _CONTENT) -> list[str]:
    return [word.key for word in words if word.part in parts]


def _coverage(
    claim: Sequence[Word], source: Sequence[Word], idf: Mapping[str, float] | None
) -> float:
    wanted = set(_keys(claim))
    if not wanted:
        return 0.0
    held = {word.key for word in source}
    weights = {key: 1.0 if idf is None else idf.get(key, 1.0) for key in wanted}
    total = sum(weights.values())
    return sum(weights[key] for key in wanted & held) / total if total else 0.0


def _is_close(
    claim: Sequence[Word], source: Sequence[Word], idf: Mapping[str, float] | None
) -> bool:
    gates = (
        _coverage(claim, source, idf) >= CLOSE_COVERAGE,
        not _absent(claim, source),
        _negations(claim) == _negations(source),
        not _turned(claim, source),
        _is_in_order(claim, source),
        not _substituted(claim, source),
        _same_relations(claim, source),
    )
    return all(gates)


def _absent(claim: Sequence[Word], source: Sequence[Word]) -> list[Word]:
    """Return the claim's names and numbers that the source has too seldom or not at all."""
    left = Counter(word.key for word in source)
    absent: list[Word] = []
    for word in claim:
        if word.part not in _EXACT:
            continue
        if left[word.key] > 0 and word.part is Part.NUMBER:
            left[word.key] -= 1
        elif left[word.key] <= 0:
            absent.append(word)
    return absent


def _negations(words: Sequence[Word]) -> int:
    return sum(word.part is Part.NEGATION for word in words)


def _turned(claim: Sequence[Word], source: Sequence[Word]) -> list[Word]:
    """Return the claim's words of which the source has only the opposite."""
    held = {word.key for word in source}
    return [word for word in claim if word.key not in held and opposites(word.key) & held]


def _is_in_order(claim: Sequence[Word], source: Sequence[Word]) -> bool:
    exact = _keys(claim, _EXACT)
    theirs = [word.key for word in source]
    if LCSseq.similarity(exact, theirs) < len(exact):
        return False
    held = set(theirs)
    matched = [key for key in _keys(claim) if key in held]
    return not matched or LCSseq.similarity(matched, theirs) >= CLOSE_ORDER * len(matched)


def _substituted(claim: Sequence[Word], source: Sequence[Word]) -> bool:
    """Tell whether a word of the claim stands in the very place of another one of the source."""
    mine, theirs = _keys(claim), _keys(source)
    return any(
        edit.tag == "replace" and mine[edit.src_pos] not in theirs
        for edit in Levenshtein.editops(mine, theirs)
    )


def _same_relations(claim: Sequence[Word], source: Sequence[Word]) -> bool:
    """Tell whether the stretch of the source that the claim retells has the same small words.

    One that leads to a word which the claim leaves out may go with it ("opened to traffic by").
    """
    wanted = set(_keys(claim))
    places = [place for place, word in enumerate(source) if word.key in wanted]
    if not places:
        return False
    said: Counter[str] = Counter()
    waiting: list[str] = []
    for word in source[places[0] : places[-1] + 1]:
        if word.part is Part.RELATION:
            waiting.append(word.key)
        elif word.part in _CONTENT:
            said.update(waiting if word.key in wanted else ())
            waiting = []
    asked = Counter(_keys(claim, _RELATION))
    return said <= asked <= Counter(_keys(source, _RELATION))


def _missing(claim: Sequence[Word], source: Sequence[Word]) -> tuple[str, ...]:
    held = {word.key for word in source}
    gone = [word.surface for word in _absent(claim, source)]
    gone += [word.surface for word in _turned(claim, source)]
    gone += [w.surface for w in claim if w.part is Part.WORD and w.key not in held]
    if _negations(claim) != _negations(source):
        said = [word.surface for word in (*claim, *source) if word.part is Part.NEGATION]
        gone += said[:1]
    return tuple(dict.fromkeys(gone))
