"""A view: a snapshot masked to the readable classes before anything is counted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.index.segment import Floats, Segment
from weft.index.snapshot import Snapshot
from weft.index.tables import Ints, Mask

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagePlace:
    """Where a slot of the view leads to; ordering by it breaks ties."""

    document_id: str
    chunk_index: int
    chunk_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The readable passages of a snapshot.

    Slots number the passages of all segments in turn; `readable` is bool[slots]. `passages` and
    `total_length` count readable ones alone. Every figure computed over a view depends on nothing
    that the view masks; `kept` holds what was computed, `former` an earlier view to go on from.
    `lags` says that documents which are only now being taken in are missing.
    """

    snapshot: Snapshot
    readable: Mask
    passages: int
    total_length: int
    lags: bool = False
    kept: dict[bool, object] = field(default_factory=dict, compare=False, repr=False)
    former: list[View] = field(default_factory=list, compare=False, repr=False)
    lock: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)

    @property
    def version(self) -> int:
        """Return the knowledge base's version that this view shows."""
        return self.snapshot.version

    def postings(self, stem: str) -> tuple[Ints, Ints]:
        """Return the readable slots that have a stem, and how often each has it."""
        nothing = np.zeros(0, dtype=np.int32)
        slots, counts, start = [nothing], [nothing], 0
        for live in self.snapshot.segments:
            rows, times = live.segment.postings(stem)
            if len(rows):
                slots.append(rows + np.int32(start))
                counts.append(times)
            start += live.segment.size
        every = np.concatenate(slots)
        kept = self.readable[every]
        return every[kept], np.concatenate(counts)[kept]

    def lengths(self, slots: Ints) -> Ints:
        """Return the lengths of some slots."""
        return self.snapshot.lengths[slots]

    def rows(self, compute: Callable[[Floats], Floats]) -> Floats:
        """Return float32[slots] by a function of the passage vectors, row by row."""
        parts = [compute(live.segment.vectors) for live in self.snapshot.segments]
        return np.concatenate([np.zeros(0, dtype=np.float32), *parts])

    def best_sentences(self, compute: Callable[[Floats], Floats]) -> Floats:
        """Return float32[slots]: the best value among a slot's sentences, -1 where it has none."""
        parts = [np.zeros(0, dtype=np.float32)]
        for live in self.snapshot.segments:
            ptr = live.segment.sentence_ptr
            best = np.full(live.segment.size, -1.0, dtype=np.float32)
            filled = np.flatnonzero(np.diff(ptr))
            if len(filled):
                values = compute(live.segment.sentence_vectors)
                best[filled] = np.maximum.reduceat(values, ptr[filled])
            parts.append(best)
        return np.concatenate(parts)

    def vector(self, slot: int) -> Floats:
        """Return float32[d], the passage vector of one slot."""
        segment, at = self.snapshot.located(slot)
        row: Floats = segment.vectors[at]
        return row

    def sentence_vectors(self, slot: int) -> Floats:
        """Return float32[sentences, d] of one slot."""
        segment, at = self.snapshot.located(slot)
        return segment_sentences(segment, at)

    def order(self, slot: int) -> tuple[str, int]:
        """Return what orders slots of equal score, the same in every store."""
        segment, at = self.snapshot.located(slot)
        return segment.documents[int(segment.document[at])][0], int(segment.chunk_index[at])

    def place(self, slot: int) -> PassagePlace:
        """Return where a slot leads to."""
        segment, at = self.snapshot.located(slot)
        return PassagePlace(
            document_id=segment.documents[int(segment.document[at])][0],
            chunk_index=int(segment.chunk_index[at]),
            chunk_id=bytes(segment.chunk_ids[at]).decode(),
        )

    def among(self, keep: Callable[[tuple[str, str, str]], bool]) -> Mask:
        """Return bool[slots]: readable, and `keep` accepts its document's (id, source, type)."""
        parts = [np.zeros(0, dtype=np.bool_)]
        for live in self.snapshot.segments:
            kept = np.array([keep(row) for row in live.segment.documents], dtype=np.bool_)
            parts.append(kept[live.segment.document])
        return np.concatenate(parts) & self.readable


def segment_sentences(segment: Segment, at: int) -> Floats:
    """Return the sentence vectors of one slot of a segment."""
    rows = slice(int(segment.sentence_ptr[at]), int(segment.sentence_ptr[at + 1]))
    return segment.sentence_vectors[rows]


def view(snapshot: Snapshot, classes: Iterable[int], *, after: View | None = None) -> View:
    """Return the snapshot masked to some readable classes.

    `after` is an earlier view of the same classes: what was computed from it need not be computed
    whole again.
    """
    wanted = np.array(sorted(set(classes)), dtype=np.int64)
    masks: list[Mask] = [np.zeros(0, dtype=np.bool_)]
    total = 0
    for live in snapshot.segments:
        mask = live.alive & np.isin(live.segment.acl_class, wanted)
        total += int(live.segment.length[mask].sum(dtype=np.int64))
        masks.append(mask)
    readable = np.concatenate(masks)
    return View(
        snapshot=snapshot,
        readable=readable,
        passages=int(readable.sum()),
        total_length=total,
        former=_computed(after),
    )


def _computed(after: View | None) -> list[View]:
    """Return the last view that something was computed from, if there is one."""
    if after is None:
        return []
    return [after] if after.kept else list(after.former)


def best(view: View, scores: Doubles, *, limit: int, above: float) -> list[int]:
    """Return the readable slots with the highest scores over `above`, best first.

    Ties are in order of document and chunk.
    """
    slots = np.flatnonzero(view.readable & (scores > above))
    if len(slots) > limit:
        border = np.partition(scores[slots], -limit)[-limit]
        slots = slots[scores[slots] >= border]
    values = scores[slots]
    order = np.argsort(-values, kind="stable")
    ranked: list[int] = slots[order].tolist()
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        ranked.sort(key=lambda slot: (-scores[slot], *view.order(slot)))
    return ranked[:limit]


def top(
    view: View, scores: Doubles, *, allowed: Mask, limit: int
) -> Sequence[tuple[int, PassagePlace]]:
    """Return the best allowed slots with their places, ties in order of document and chunk."""
    slots = np.flatnonzero(allowed)
    if len(slots) > limit:
        border = np.partition(scores[slots], -limit)[-limit]
        slots = slots[scores[slots] >= border]
    placed = [(int(slot), view.place(int(slot))) for slot in slots]
    placed.sort(key=lambda pair: (-scores[pair[0]], pair[1].document_id, pair[1].chunk_index))
    return placed[:limit]
