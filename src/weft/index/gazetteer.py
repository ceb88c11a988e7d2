"""Which names hold under a view, and where known names stand in the passages' words."""

from __future__ import annotations

import numpy as np

from weft.domain.facts import DefinitionKind, SpanReading
from weft.domain.frozen import dataclass
from weft.index.lexicon import MAX_WORDS, Lexicon, longer, word_codes
from weft.index.rows import Rows
from weft.index.tables import Hashes, Ints, Longs, Mask

_SEEN = 2
_SEEN_ONE_WORD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Places with a sentence and a key: a passage names a key there."""

    place: Longs
    sentence: Ints
    key: Ints


def common_words(lower: Longs, upper: Longs, *, stop: Mask) -> Mask:
    """Return bool[words]: those that stand more often in lower case than not, and stop words."""
    return np.asarray((lower > upper) | stop)


def holding(reading: Ints, word0: Ints, *, common: Mask) -> Mask:
    """Tell which rows hold, by whether their first word is common."""
    usual = np.zeros(len(word0), dtype=np.bool_)
    given = word0 >= 0
    usual[given] = common[word0[given]]
    return np.asarray(
        (reading == SpanReading.ALWAYS)
        | ((reading == SpanReading.UNLESS_COMMON) & ~usual)
        | ((reading == SpanReading.ONLY_IF_COMMON) & usual)
    )


def common_keys(keys: Ints, lexicon: Lexicon, *, common: Mask) -> Mask:
    """Tell which keys are one common word."""
    table = lexicon.keys
    return np.asarray((table.size[keys] == 1) & common[table.first[keys]])


def named(spans: Rows, lexicon: Lexicon, *, common: Mask) -> Names:
    """Return the spans that hold."""
    kept = holding(spans["reading"], spans["word0"], common=common)
    kept &= ~common_keys(spans["key"], lexicon, common=common)
    return Names(place=spans.place[kept], sentence=spans["sentence"][kept], key=spans["key"][kept])


def defined(rows: Rows, lexicon: Lexicon, *, common: Mask, titles: bool) -> Names:
    """Return the definitions that hold; a fallback only where a passage has no other."""
    kept = holding(rows["reading"], rows["word0"], common=common)
    kept &= ~common_keys(rows["key"], lexicon, common=common) | (
        rows["kind"] == DefinitionKind.TITLE
    )
    if not titles:
        kept &= rows["kind"] != DefinitionKind.TITLE
    fallback = rows["kind"] == DefinitionKind.FALLBACK
    size = int(rows.place.max()) + 1 if len(rows.place) else 0
    has_own = np.zeros(size, dtype=np.bool_)
    has_own[rows.place[kept & ~fallback]] = True
    late = np.flatnonzero(kept & fallback & ~has_own[rows.place])
    _, first = np.unique(rows.place[late], return_index=True)
    kept &= ~fallback
    kept[late[first]] = True
    return Names(
        place=rows.place[kept], sentence=np.zeros(int(kept.sum()), np.int32), key=rows["key"][kept]
    )


def known_keys(spans: Longs, definitions: Longs, *, lexicon: Lexicon) -> Mask:
    """Return bool[keys]: the gazetteer, from how many passages name and define each key."""
    needed = np.where(lexicon.keys.size[: len(spans)] == 1, _SEEN_ONE_WORD, _SEEN)
    return np.asarray((definitions > 0) | (spans >= needed))


def found_in(tokens: Rows, lexicon: Lexicon, *, known: Mask, titles: bool) -> Names:
    """Return the known keys in a stream of words: greedy, left to right, the longest first.

    A window has at least one capitalised word or number in it and stays inside its title or text.
    """
    words, sentence = tokens["word"], tokens["sentence"]
    group = tokens.place * 2 + (sentence >= 0)
    flagged = np.concatenate([[0], np.cumsum(tokens["flagged"])])
    lengths, keys = _windows(words, group, flagged, lexicon=lexicon, known=known)
    if not titles:
        lengths[sentence < 0] = 0
    starts = _chosen(lengths)
    return Names(place=tokens.place[starts], sentence=sentence[starts], key=keys[starts])


def _windows(
    words: Ints, group: Longs, flagged: Longs, *, lexicon: Lexicon, known: Mask
) -> tuple[Longs, Ints]:
    """Return for each word the length of the longest known key that begins there, and the key."""
    size = len(words)
    single = word_codes(words)
    codes = single
    lengths = np.zeros(size, dtype=np.int64)
    keys = np.full(size, -1, dtype=np.int32)
    for length in range(1, min(MAX_WORDS, size) + 1):
        reach = size - length + 1
        if length > 1:
            codes = longer(codes[:reach], single[length - 1 :])
        capital = flagged[length:] > flagged[:reach]
        at = np.flatnonzero(lexicon.may_be_keys(codes) & capital)
        at = at[group[at] == group[at + length - 1]]
        found = _verified(at, codes, words, length=length, lexicon=lexicon)
        held = (found >= 0) & (found < len(known))
        held[held] = known[found[held]]
        lengths[at[held]] = length
        keys[at[held]] = found[held]
    return lengths, keys


def _verified(at: Longs, codes: Hashes, words: Ints, *, length: int, lexicon: Lexicon) -> Ints:
    windows = words[at[:, np.newaxis] + np.arange(length)]
    return lexicon.find(codes[at], windows)


def _chosen(lengths: Longs) -> Longs:
    """Return the starts that a walk from left to right takes, each jumping over its own length."""
    starts = np.flatnonzero(lengths)
    if not len(starts):
        return starts
    following = np.searchsorted(starts, starts + lengths[starts])
    jump = np.append(following, len(starts))
    taken = np.zeros(len(starts) + 1, dtype=np.bool_)
    taken[0] = True
    while True:  # doubling: after n rounds the first 2^n steps of the walk are marked
        reached = jump[np.flatnonzero(taken)]
        if taken[reached].all():
            break
        taken[reached] = True
        jump = jump[jump]
    return starts[taken[:-1]]
