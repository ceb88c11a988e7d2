"""The entity view: what the passages of a view name, from their local facts alone.

Pure: it depends on the readable slots and nothing else; numbers of words and keys stand for their
strings, and no result depends on their order.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.gazetteer import Names, common_words, defined, found_in, known_keys, named
from weft.index.lexicon import Lexicon
from weft.index.rows import Rows, gather
from weft.index.snapshot import Snapshot
from weft.index.tables import Ints, Longs, Mask, SlotTable, distinct, joined, offsets

_SENTENCE_BITS = 13
_KEY_BITS = 27
_LINK_BITS = 2
_KEY_MASK = (1 << _KEY_BITS) - 1
_ALL = ("tokens", "spans", "definitions")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCounts:
    """Sums over the readable passages, and what follows from them.

    By word: `lower`, `upper` and `common`; by key: how many passages have it as a `span`, as a
    `definition`, and whether it is `known` (in the gazetteer).
    """

    lower: Longs
    upper: Longs
    common: Mask
    spans: Longs
    definitions: Longs
    known: Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Entities:
    """Mentions and links of each slot of a snapshot; slots that cannot be read have none.

    `mentions` has (key, sentence) rows, the sentence -1 in a title; `links` has (key, weight) rows,
    the weight 2 where the passage defines the key, else 1; both ascending. `df` and `weight` are
    int64[keys]: in how many passages a key is, and the sum of its weights.
    """

    titles: bool
    counts: EntityCounts
    mentions: SlotTable
    links: SlotTable
    df: Longs
    weight: Longs


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotNames:
    """What some slots say: their names and definitions, before and after matching."""

    slots: Longs
    tokens: Rows
    spans: Names
    definitions: Names


def build(snapshot: Snapshot, readable: Mask, *, titles: bool = True) -> Entities:
    """Return the entity view of the readable slots, computed whole.

    It goes by one segment after the other, so that what stands beside the result stays small.
    """
    lexicon, slots = snapshot.lexicon, np.flatnonzero(readable)
    for live in snapshot.segments:
        lexicon.numbers(live.segment.name, live.segment.facts)
    counts = _counted(snapshot, slots, titles=titles)
    tables: list[tuple[Longs, Longs]] = []
    first = 0
    for some in _parted(snapshot, slots):
        read = read_slots(snapshot, some, common=counts.common, titles=titles)
        mentions, links = resolve(read, lexicon, known=counts.known, titles=titles)
        place = first << _KEY_BITS
        tables.append((mentions + (place << _SENTENCE_BITS), links + (place << _LINK_BITS)))
        first += len(some)
    mentions = np.concatenate([slots[:0], *(one for one, _ in tables)])
    links = np.concatenate([slots[:0], *(one for _, one in tables)])
    df, weight = sums(links, len(lexicon.keys.size))
    return Entities(
        titles=titles,
        counts=counts,
        mentions=table(mentions, slots, size=len(readable), columns=("key", "sentence")),
        links=table(links, slots, size=len(readable), columns=("key", "weight")),
        df=df,
        weight=weight,
    )


def _counted(snapshot: Snapshot, slots: Longs, *, titles: bool) -> EntityCounts:
    lexicon = snapshot.lexicon
    lower, upper = case_counts(snapshot, slots)
    common = common_words(lower, upper, stop=lexicon.stop)
    size = len(lexicon.keys.size)
    spans, definitions = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for some in _parted(snapshot, slots):
        rows = gather(snapshot, some, names=("spans", "definitions"))
        spans += passage_counts(named(rows["spans"], lexicon, common=common), size)
        own = defined(rows["definitions"], lexicon, common=common, titles=titles)
        definitions += passage_counts(own, size)
    return EntityCounts(
        lower=lower,
        upper=upper,
        common=common,
        spans=spans,
        definitions=definitions,
        known=known_keys(spans, definitions, lexicon=lexicon),
    )


def case_counts(snapshot: Snapshot, slots: Longs) -> tuple[Longs, Longs]:
    """Return int64[words]: how often each word stands in lower and in upper case in the slots."""
    size = len(snapshot.lexicon.stop)
    lower, upper = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for some in _parted(snapshot, slots):
        rows = gather(snapshot, some, names=["cases"])["cases"]
        lower += _summed(rows["word"], rows["lower"], size)
        upper += _summed(rows["word"], rows["upper"], size)
    return lower, upper


def _parted(snapshot: Snapshot, slots: Longs) -> Iterator[Longs]:
    """Yield the slots (ascending) of each segment that has some."""
    ends = np.cumsum([live.segment.size for live in snapshot.segments], dtype=np.int64)
    for some in np.split(slots, np.searchsorted(slots, ends)):
        if len(some):
            yield some


def _summed(numbers: Ints, values: Ints, size: int) -> Longs:
    return np.bincount(numbers, weights=values, minlength=size).astype(np.int64)


def read_slots(snapshot: Snapshot, slots: Longs, *, common: Mask, titles: bool) -> SlotNames:
    """Return what holds in the slots while these words are common."""
    rows = gather(snapshot, slots, names=_ALL)
    return SlotNames(
        slots=slots,
        tokens=rows["tokens"],
        spans=named(rows["spans"], snapshot.lexicon, common=common),
        definitions=defined(rows["definitions"], snapshot.lexicon, common=common, titles=titles),
    )


def passage_counts(names: Names, size: int) -> Longs:
    """Return int64[keys]: in how many places each key is named."""
    return np.bincount(passage_keys(names), minlength=size).astype(np.int64, copy=False)


def passage_keys(names: Names) -> Longs:
    """Return the keys that are named, once for each place."""
    return distinct(names.place << _KEY_BITS | names.key) & _KEY_MASK


def resolve(read: SlotNames, lexicon: Lexicon, *, known: Mask, titles: bool) -> tuple[Longs, Longs]:
    """Return packed mentions (place, key, sentence) and links (place, key, weight), ascending."""
    matched = found_in(read.tokens, lexicon, known=known, titles=titles)
    place = np.concatenate([matched.place, read.spans.place])
    sentence = np.concatenate([matched.sentence, read.spans.sentence])
    key = np.concatenate([matched.key, read.spans.key])
    own = distinct(read.definitions.place << _KEY_BITS | read.definitions.key)
    key = _full_names(place, key, own, lexicon=lexicon)
    mentions = distinct(
        (place << _KEY_BITS | key) << _SENTENCE_BITS | (sentence.astype(np.int64) + 1)
    )
    pairs = joined(mentions >> _SENTENCE_BITS, own)
    weights = 1 + np.isin(pairs, own).astype(np.int64)
    return mentions, pairs << _LINK_BITS | weights


def _full_names(place: Longs, key: Ints, own: Longs, *, lexicon: Lexicon) -> Longs:
    """Return keys with one-word names replaced by the longer name of the same passage.

    Among several longer ones that begin or end with the word: first one that the passage defines,
    then the shortest, then by hash. A word that the passage defines stays.
    """
    keys = lexicon.keys
    pairs = distinct(place << _KEY_BITS | key)
    pairs = joined(pairs, own)
    long = pairs[keys.size[pairs & _KEY_MASK] > 1]
    number = long & _KEY_MASK
    ends = np.concatenate([keys.first[number], keys.last[number]]).astype(np.int64)
    twice = np.concatenate([long, long])
    numbers = twice & _KEY_MASK
    foreign = ~np.isin(twice, own)
    begins = twice >> _KEY_BITS << _KEY_BITS | ends
    order = np.lexsort((keys.hashes[numbers], keys.size[numbers], foreign, begins))
    begins, numbers = begins[order], numbers[order]
    short = np.flatnonzero(keys.size[key] == 1)
    wanted = place[short] << _KEY_BITS | keys.first[key[short]]
    at = np.searchsorted(begins, wanted)
    hit = at < len(begins)
    hit[hit] = begins[at[hit]] == wanted[hit]
    hit &= ~np.isin(place[short] << _KEY_BITS | key[short], own)
    full = key.astype(np.int64)
    full[short[hit]] = numbers[at[hit]]
    return full


def unpack_keys(mentions: Longs) -> Longs:
    """Return the keys of packed mentions."""
    return (mentions >> _SENTENCE_BITS) & _KEY_MASK


def sums(links: Longs, size: int) -> tuple[Longs, Longs]:
    """Return int64[keys]: in how many of the links each key is, and the sum of its weights."""
    keys = (links >> _LINK_BITS) & _KEY_MASK
    df = np.bincount(keys, minlength=size).astype(np.int64)
    weight = np.bincount(keys, weights=links & 3, minlength=size).astype(np.int64)
    return df, weight


def table(packed: Longs, slots: Longs, *, size: int, columns: tuple[str, str]) -> SlotTable:
    """Return packed mentions or links as a table over all slots."""
    bits = _SENTENCE_BITS if columns[1] == "sentence" else _LINK_BITS
    second = (packed & ((1 << bits) - 1)) - (columns[1] == "sentence")
    sizes = np.zeros(size, dtype=np.int64)
    pairs = packed >> bits
    sizes[slots] = np.bincount(pairs >> _KEY_BITS, minlength=len(slots))
    return SlotTable(
        ptr=offsets(sizes),
        columns={
            columns[0]: (pairs & _KEY_MASK).astype(np.int32),
            columns[1]: second.astype(np.int32),
        },
    )
