"""The entity view after some documents came or went, from the one before: equal to one built whole.

Only what changed is read again: the passages that are new, those whose spans turn on a word that
became common or ceased to be, and those that hold a name that entered the gazetteer or left it.
"""

from __future__ import annotations

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.entities import (
    Entities,
    EntityCounts,
    passage_keys,
    read_slots,
    resolve,
    table,
)
from weft.index.gazetteer import common_words, defined, known_keys, named
from weft.index.lexicon import key_codes, longer, word_codes
from weft.index.rows import gather
from weft.index.snapshot import Snapshot
from weft.index.tables import Hashes, Ints, Longs, Mask, SlotTable, joined, rows_of, spliced


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedSnapshot:
    """A snapshot and which of its slots are readable."""

    snapshot: Snapshot
    readable: Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewDifference:
    """How two states of a knowledge base differ.

    `former` is int64[slots now]: each slot's number before, -1 where it is new or not readable.
    `gone` are former slots, `added` present ones.
    """

    former: Longs
    gone: Longs
    added: Longs


def difference(before: MaskedSnapshot, now: MaskedSnapshot) -> ViewDifference:
    """Compare by the serial numbers of passages."""
    old, new = np.flatnonzero(before.readable), np.flatnonzero(now.readable)
    was, has = before.snapshot.serials[old], now.snapshot.serials[new]
    former = np.full(len(now.readable), -1, dtype=np.int64)
    if len(old):
        order = np.argsort(was, kind="stable")
        at = np.minimum(np.searchsorted(was, has, sorter=order), len(old) - 1)
        same = was[order[at]] == has
        former[new[same]] = old[order[at[same]]]
    stayed = np.zeros(len(before.readable), dtype=np.bool_)
    stayed[former[former >= 0]] = True
    return ViewDifference(former=former, gone=old[~stayed[old]], added=new[former[new] < 0])


def update(entities: Entities, *, before: MaskedSnapshot, now: MaskedSnapshot) -> Entities:
    """Return the entity view of `now`, given that of `before`."""
    for live in now.snapshot.segments:
        now.snapshot.lexicon.numbers(live.segment.name, live.segment.facts)
    change = difference(before, now)
    counts, dirty = _counts(entities, before, now, change)
    read = read_slots(now.snapshot, dirty, common=counts.common, titles=entities.titles)
    lexicon = now.snapshot.lexicon
    mentions, links = resolve(read, lexicon, known=counts.known, titles=entities.titles)
    again = change.former[dirty]
    lost = np.concatenate([change.gone, again[again >= 0]])
    size = len(now.readable)
    kept = change.former.copy()
    kept[dirty] = -1
    named_in = table(mentions, dirty, size=size, columns=("key", "sentence"))
    linked = table(links, dirty, size=size, columns=("key", "weight"))
    df = _padded(entities.df, len(counts.known))
    weight = _padded(entities.weight, len(counts.known))
    less, _ = rows_of(entities.links, lost)
    for columns, rows, sign in (
        (linked.columns, slice(None), 1),
        (entities.links.columns, less, -1),
    ):
        np.add.at(df, columns["key"][rows], sign)
        np.add.at(weight, columns["key"][rows], sign * columns["weight"][rows])
    return Entities(
        titles=entities.titles,
        counts=counts,
        mentions=spliced(entities.mentions, named_in, former=kept),
        links=spliced(entities.links, linked, former=kept),
        df=df,
        weight=weight,
    )


def _counts(
    entities: Entities, before: MaskedSnapshot, now: MaskedSnapshot, change: ViewDifference
) -> tuple[EntityCounts, Longs]:
    """Return the counts as they are now, and the slots that must be read again."""
    lexicon, old = now.snapshot.lexicon, entities.counts
    size = len(lexicon.stop)
    lower, upper = _padded(old.lower, size), _padded(old.upper, size)
    for shown, slots, sign in ((now, change.added, 1), (before, change.gone, -1)):
        cases = gather(shown.snapshot, slots, names=["cases"])["cases"]
        np.add.at(lower, cases["word"], sign * cases["lower"])
        np.add.at(upper, cases["word"], sign * cases["upper"])
    common = common_words(lower, upper, stop=lexicon.stop)
    was = np.concatenate([old.common, lexicon.stop[len(old.common) :]])
    stayed = np.flatnonzero(change.former >= 0)
    turned = _turning(now, stayed, common != was)
    read = joined(turned, change.added)
    keys = len(lexicon.keys.size)
    spans, definitions = _padded(old.spans, keys), _padded(old.definitions, keys)
    for shown, slots, words, sign in (
        (before, change.gone, was, -1),
        (now, turned, was, -1),
        (now, read, common, 1),
    ):
        named_in = _passages(shown.snapshot, slots, words, titles=entities.titles)
        np.add.at(spans, named_in[0], sign)
        np.add.at(definitions, named_in[1], sign)
    known = known_keys(spans, definitions, lexicon=lexicon)
    crossed = np.flatnonzero(
        known != np.append(old.known, np.zeros(keys - len(old.known), dtype=np.bool_))
    )
    holding = _holding(now, stayed, crossed.astype(np.int32))
    counts = EntityCounts(
        lower=lower,
        upper=upper,
        common=common,
        spans=spans,
        definitions=definitions,
        known=known,
    )
    return counts, joined(read, holding)


def _passages(
    snapshot: Snapshot, slots: Longs, common: Mask, *, titles: bool
) -> tuple[Longs, Longs]:
    """Return the keys that are named and defined while words are common, once for each slot."""
    lexicon = snapshot.lexicon
    rows = gather(snapshot, slots, names=["spans", "definitions"])
    spans = named(rows["spans"], lexicon, common=common)
    definitions = defined(rows["definitions"], lexicon, common=common, titles=titles)
    return passage_keys(spans), passage_keys(definitions)


def _turning(now: MaskedSnapshot, slots: Longs, flipped: Mask) -> Longs:
    """Return those of the slots whose names depend on a word that flipped."""
    found = np.zeros(len(now.readable), dtype=np.bool_)
    if not flipped.any():
        return slots[:0]
    keys = now.snapshot.lexicon.keys
    turning = (keys.size == 1) & flipped[keys.first]
    start = 0
    for live in now.snapshot.segments:
        facts = live.segment.facts
        words, numbers = now.snapshot.lexicon.numbers(live.segment.name, facts)
        own = np.append(flipped[words], False)  # the last one stands for -1: no word
        own_keys = turning[numbers]
        for name in ("spans", "definitions"):
            rows = facts.tables[name]
            hit = own[rows.columns["word0"]]
            if len(own_keys):
                hit |= own_keys[rows.columns["key"]]
            found[start + _slots_of(rows, np.flatnonzero(hit))] = True
        start += live.segment.size
    return slots[found[slots]]


def _holding(now: MaskedSnapshot, slots: Longs, keys: Ints) -> Longs:
    """Return those of the slots in whose words one of the keys stands."""
    lexicon = now.snapshot.lexicon
    found = np.zeros(len(now.readable), dtype=np.bool_)
    sizes, parts = lexicon.keys.size[keys], lexicon.keys.words[keys]
    is_part = np.arange(parts.shape[1]) < sizes[:, None]
    firsts, codes = lexicon.keys.first[keys], key_codes(parts, sizes)
    marked = np.zeros(len(lexicon.stop), dtype=np.bool_)
    start = 0
    for live in now.snapshot.segments if len(keys) else ():
        tokens = live.segment.facts.tables["tokens"]
        words, _ = lexicon.numbers(live.segment.name, live.segment.facts)
        # What crosses is rare: most segments have the words of none of the keys.
        marked[words] = True
        some = np.flatnonzero((marked[parts] | ~is_part).all(axis=1))
        marked[words] = False
        if len(some):
            marked[firsts[some]] = True
            at = np.flatnonzero(marked[words][tokens.columns["word"]])
            marked[firsts[some]] = False
            for length in np.unique(sizes[some]).tolist():
                hits = _windows_at(tokens.columns["word"], at, words, length=length)
                same = np.isin(hits[1], codes[some][sizes[some] == length])
                found[start + _slots_of(tokens, hits[0][same])] = True
        start += live.segment.size
    return slots[found[slots]]


def _windows_at(column: Ints, at: Longs, words: Ints, *, length: int) -> tuple[Longs, Hashes]:
    """Return the starts that have room for a window, and the windows' codes."""
    at = at[at + length <= len(column)]
    codes = word_codes(words[column[at]])
    for step in range(1, length):
        codes = longer(codes, word_codes(words[column[at + step]]))
    return at, codes


def _slots_of(rows: SlotTable, numbers: Longs) -> Longs:
    return np.searchsorted(rows.ptr, numbers, side="right") - 1


def _padded(values: Longs, size: int) -> Longs:
    return np.concatenate([values, np.zeros(size - len(values), dtype=values.dtype)])
