"""Several segments made one, without their dead slots."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.index.segment import Floats, Segment
from weft.index.tables import Ints, Longs, Mask, StringNumbers, chosen, merge_facts, offsets

Pair = tuple[Segment, Mask]


def merge(name: str, pairs: Sequence[Pair]) -> tuple[Segment, list[StringNumbers]]:
    """Return one segment of all living slots, in the order of the segments.

    With it, for each of them, what its words and keys are numbered in the one.
    """
    documents, first, document = _documents(pairs)
    stems, ptr, slots, counts = _inverted(pairs)
    sentence_rows = [_sentence_rows(segment, alive) for segment, alive in pairs]
    sizes = [np.diff(segment.sentence_ptr)[alive] for segment, alive in pairs]
    facts, numbers = merge_facts([(segment.facts, alive) for segment, alive in pairs])
    merged = Segment(
        name=name,
        documents=documents,
        first=first,
        document=document,
        chunk_index=np.concatenate([s.chunk_index[alive] for s, alive in pairs]),
        acl_class=np.concatenate([s.acl_class[alive] for s, alive in pairs]),
        length=np.concatenate([s.length[alive] for s, alive in pairs]),
        chunk_ids=np.concatenate([s.chunk_ids[alive] for s, alive in pairs]),
        stems=stems,
        ptr=ptr,
        slots=slots,
        counts=counts,
        vectors=_rows([(s.vectors, alive) for s, alive in pairs]),
        sentence_ptr=offsets(np.concatenate(sizes)),
        sentence_vectors=_rows(
            [(s.sentence_vectors, rows) for (s, _), rows in zip(pairs, sentence_rows, strict=True)]
        ),
        facts=facts,
    )
    return merged, numbers


def _rows(parts: Sequence[tuple[Floats, Mask]]) -> Floats:
    """Return the chosen rows of several arrays below each other, copied once.

    What is left out lies in few places: whole stretches are copied, not row by row.
    """
    stretches = [values[:0] for values, _ in parts]
    for values, mask in parts:
        edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
        stretches += [values[at:to] for at, to in edges.reshape(-1, 2).tolist()]
    return np.concatenate(stretches)


def _documents(pairs: Sequence[Pair]) -> tuple[list[tuple[str, str, str]], Longs, Ints]:
    """Return the living documents, their first slots, and each slot's document."""
    kept: list[tuple[str, str, str]] = []
    sizes: list[int] = []
    for segment, alive in pairs:
        living = np.bincount(segment.document[alive], minlength=len(segment.documents))
        for at, size in enumerate(living.tolist()):
            if size:
                kept.append(segment.documents[at])
                sizes.append(size)
    counted = np.array(sizes, dtype=np.int64)
    document = np.repeat(np.arange(len(kept), dtype=np.int32), counted)
    return kept, offsets(counted), document


def _inverted(pairs: Sequence[Pair]) -> tuple[list[str], Longs, Ints, Ints]:
    """Return the joint sorted stems, row offsets, and slot and count of each living row."""
    if len(pairs) == 1:
        return _thinned(*pairs[0])
    names: set[str] = set()
    for segment, _ in pairs:
        names.update(segment.stems)
    stems = sorted(names)
    number = {stem: at for at, stem in enumerate(stems)}
    of: list[Longs] = []
    slots: list[Ints] = []
    counts: list[Ints] = []
    start = 0
    for segment, alive in pairs:
        renumbered = np.cumsum(alive, dtype=np.int32) - 1 + start
        own = np.array([number[stem] for stem in segment.stems], dtype=np.int64)
        living = alive[segment.slots]
        of.append(np.repeat(own, np.diff(segment.ptr))[living])
        slots.append(renumbered[segment.slots[living]].astype(np.int32))
        counts.append(segment.counts[living])
        start += int(alive.sum())
    return _sorted_rows(stems, np.concatenate(of), np.concatenate(slots), np.concatenate(counts))


def _thinned(segment: Segment, alive: Mask) -> tuple[list[str], Longs, Ints, Ints]:
    """Return what `_inverted` does for one segment, whose rows are in order already."""
    living = alive[segment.slots]
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(living, dtype=np.int64)])
    sizes = np.diff(before[segment.ptr])
    used = np.flatnonzero(sizes)
    renumbered = np.cumsum(alive, dtype=np.int32) - 1
    return (
        chosen(segment.stems, used),
        offsets(sizes[used]),
        renumbered[segment.slots[living]].astype(np.int32),
        segment.counts[living],
    )


def _sorted_rows(
    stems: list[str], of: Longs, slots: Ints, counts: Ints
) -> tuple[list[str], Longs, Ints, Ints]:
    """Return rows grouped by stem, and only the stems that still have any."""
    order = np.argsort(of, kind="stable")
    sizes = np.bincount(of, minlength=len(stems)).astype(np.int64)
    used = np.flatnonzero(sizes)
    kept = [stems[at] for at in used.tolist()]
    return kept, offsets(sizes[used]), slots[order], counts[order]


def _sentence_rows(segment: Segment, alive: Mask) -> Mask:
    return np.repeat(alive, np.diff(segment.sentence_ptr))
