"""How far a text bears out a sentence: four tiers, decided by hard gates and not by likeness.

A score of likeness is blind to small edits (another year, a lost "not", two names swapped), so
nothing here is scored into being supported: a sentence is a quotation, or follows from one cited
sentence word by word, or it is not supported. The gates err on the side of "not".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from weft.domain.answer import Tier
from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.language.sentences import whole_sentences
from weft.verification.derivation import Fault, SupportGate, faults
from weft.verification.likeness import features, shipped
from weft.verification.pronouns import begins_with_pronoun, resolved
from weft.verification.quotation import enclosing, find_quotation, is_fair
from weft.verification.wording import Word, WordKind, opposites, read_words

__all__ = ["Support", "assess", "enclosing", "find_quotation", "locate"]

# From the measurements in the notes: the share of a sentence's content that one cited sentence
# must hold, be it by forms and synonyms of its words.
CLOSE_COVERAGE = 0.8
# Below this share nobody would call the text related; set by reading handmade pairs.
PARTLY_COVERAGE = 0.4
# What follows from a text scores no lower than this, and what does not no higher.
CLOSE_SCORE = 0.95
# How many of a text's sentences are compared word by word: those that cover the most.
_COMPARED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The tier; `missing`: the words of the sentence that the text does not bear out.

    `only_wording`: names, figures, negations, small words and order pass, and all that is in doubt
    is whether other words say the same; this alone may be put to a judge. `score` (0 to 1) orders
    texts and sentences by how likely they go together; the tier does not follow from it.
    """

    tier: Tier
    missing: tuple[str, ...] = ()
    only_wording: bool = False
    score: float = 0.0

    @property
    def holds(self) -> bool:
        """Tell whether the sentence counts as supported."""
        return self.tier in (Tier.QUOTE, Tier.CLOSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """A sentence of a claim against the source sentence that comes nearest to it."""

    source: Sequence[Word]
    faults: Sequence[Fault]
    coverage: float


def assess(sentence: str, cited: str, *, idf: Mapping[str, float] | None = None) -> Support:
    """Return how far `cited` bears out `sentence`; `idf` weighs stems, each 1 without it.

    `cited` should hold whole sentences: a quotation that leaves out the "not" of the sentence it
    was cut from is no quotation. Each sentence of a longer claim must be borne out by itself.
    """
    quotation = find_quotation(sentence, cited)
    if quotation and is_fair(cited, quotation):
        return Support(tier=Tier.QUOTE, score=1.0)
    parts = [read_words(sentence[span.start : span.end]) for span in whole_sentences(sentence)]
    claims = [words for words in parts if any(word.is_content for word in words)]
    if not claims:
        return Support(tier=Tier.NO)
    sources = _sources(cited)
    compared = [(claim, _compare(claim, sources, idf)) for claim in claims]
    score = shipped().score(features(_joined(claims), sources))
    if not any(one.faults for _, one in compared):
        return Support(tier=Tier.CLOSE, score=max(score, CLOSE_SCORE))
    related = _coverage(_joined(claims), _joined(sources), idf) >= PARTLY_COVERAGE
    return Support(
        tier=Tier.PARTLY if related else Tier.NO,
        missing=_missing(compared),
        only_wording=all(_is_wording(one) for _, one in compared),
        score=min(score, CLOSE_SCORE),
    )


def likeness_features(sentence: str, cited: str) -> tuple[float, ...]:
    """Return what the score of a sentence is made from, as `likeness.FEATURES` names it."""
    return features(read_words(sentence), _sources(cited))


def locate(sentence: str, text: str, *, spans: Sequence[Span] = ()) -> Span | None:
    """Return the span of `text` that best bears out `sentence`: the quotation, else one sentence.

    A sentence that begins with a pronoun is given with the one before it, and a claim of several
    sentences is given all that is between its first and last place. `spans` are the sentences of
    `text`, found here when not given. None when nothing of the sentence's content stands there.
    """
    quotation = find_quotation(sentence, text)
    if quotation:
        return quotation
    # Where stored sentences were cut short, those found here hold more of the claim.
    whole = [list(spans), whole_sentences(text)]
    parts = [sentence[span.start : span.end] for span in whole_sentences(sentence)]
    found = [place for part in parts if (place := _nearest(read_words(part), text, whole))]
    if not found:
        return None
    return Span(start=min(s.start for s in found), end=max(s.end for s in found))


def _nearest(claim: Sequence[Word], text: str, ways: Sequence[Sequence[Span]]) -> Span | None:
    best, covered = None, 0.0
    for span in (place for spans in ways for place in _places(text, spans)):
        share = _coverage(claim, read_words(text[span.start : span.end]), None)
        if share > covered:
            best, covered = span, share
    return best


def _places(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield each sentence, with the one before it when it begins with a pronoun."""
    before: Span | None = None
    for span in spans:
        yield span
        if before is not None and begins_with_pronoun(read_words(text[span.start : span.end])):
            yield Span(start=before.start, end=span.end)
        before = span


def _sources(cited: str) -> list[list[Word]]:
    """Return the sentences of a text, and once more those whose pronoun has but one meaning."""
    found = [read_words(cited[span.start : span.end]) for span in whole_sentences(cited)]
    pairs = pairwise(found)
    return found + [again for before, after in pairs if (again := resolved(before, after))]


def _compare(
    claim: Sequence[Word], sources: Sequence[Sequence[Word]], idf: Mapping[str, float] | None
) -> _Compared:
    covering = sorted(
        ((_coverage(claim, s, idf), -at) for at, s in enumerate(sources)), reverse=True
    )
    best = _Compared(source=(), faults=faults(claim, ()), coverage=0.0)
    for share, at in covering[:_COMPARED]:
        source = sources[-at]
        found = faults(claim, source)
        if not best.source or len(found) < len(best.faults):
            best = _Compared(source=source, faults=found, coverage=share)
        if not found:
            break
    return best


def _joined(parts: Iterable[Sequence[Word]]) -> list[Word]:
    return [word for part in parts for word in part]


def _coverage(
    claim: Sequence[Word], source: Sequence[Word], idf: Mapping[str, float] | None
) -> float:
    """Return the share of the claim's content that the source has, by stems; 0 to 1."""
    wanted = {word.key for word in claim if word.is_content}
    if not wanted:
        return 0.0
    held = {word.key for word in source}
    weights = {key: 1.0 if idf is None else idf.get(key, 1.0) for key in wanted}
    total = sum(weights.values())
    return sum(weights[key] for key in wanted & held) / total if total else 0.0


def _is_wording(one: _Compared) -> bool:
    """Tell whether nothing but other words for the same is in doubt."""
    held = {word.key for word in one.source}
    turned = any(opposites(fault.word.key) & held for fault in one.faults)
    mild = all(
        fault.gate is SupportGate.WORDING and fault.word.kind is WordKind.WORD
        for fault in one.faults
    )
    return mild and not turned and one.coverage >= CLOSE_COVERAGE


def _missing(compared: Sequence[tuple[Sequence[Word], _Compared]]) -> tuple[str, ...]:
    """Return the claim's words in doubt; if there are none, what it leaves out unfairly."""
    found = [fault for _, one in compared for fault in one.faults]
    said = [fault for fault in found if fault.gate is not SupportGate.OMISSION] or found
    return tuple(dict.fromkeys(fault.word.surface for fault in said))
