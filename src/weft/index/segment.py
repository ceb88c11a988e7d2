"""A segment: some documents' passages as arrays that never change."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.index.columns import NOTHING, FactColumns, facts_of
from weft.index.strings.texts import Texts
from weft.index.tables import Facts, Ints, Longs, offsets

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """One passage as a store feeds it: stems in order with counts; float32 vectors, or none."""

    chunk_id: str
    chunk_index: int
    acl_class: int
    stems: Sequence[str]
    counts: Ints
    vector: Floats | None
    sentence_vectors: Floats | None
    facts: FactColumns = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """One document as a store feeds it, passages in order."""

    id: str
    source: str
    type: str
    passages: Sequence[PassageRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Passages in slots, those of a document side by side.

    `documents` holds (id, source, type); `first[d]` is the first slot of document d (int64,
    documents + 1). A slot has its document, chunk index, class and length; `chunk_ids` is bytes
    S32. `stems` is sorted; the rows of stem i are `ptr[i]:ptr[i + 1]` of `slots` and `counts`.
    `vectors` is float32[slots, d]; the sentences of slot i are `sentence_ptr[i]:sentence_ptr[i+1]`
    of `sentence_vectors`. Without an embedder d is 0. `facts` has the local facts of each slot.
    """

    name: str
    documents: Sequence[tuple[str, str, str]]
    first: Longs
    document: Ints
    chunk_index: Ints
    acl_class: Longs
    length: Ints
    chunk_ids: npt.NDArray[np.bytes_]
    stems: Sequence[str]
    ptr: Longs
    slots: Ints
    counts: Ints
    vectors: Floats
    sentence_ptr: Longs
    sentence_vectors: Floats
    facts: Facts
    _places: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    _hashes: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Return the number of slots."""
        return len(self.document)

    def place(self, document_id: str) -> slice | None:
        """Return the slots of a document, or None if it is not here."""
        if not self._places and self.documents:
            self._places.update({row[0]: at for at, row in enumerate(self.documents)})
        at = self._places.get(document_id)
        return None if at is None else slice(int(self.first[at]), int(self.first[at + 1]))

    def by_hash(self, hashed: str, *, of: Callable[[str], str]) -> str | None:
        """Return the id of the document that hashes to `hashed`, or None if it is not here."""
        if not self._hashes and self.documents:
            self._hashes.update({of(row[0]): row[0] for row in self.documents})
        return self._hashes.get(hashed)

    def postings(self, stem: str) -> tuple[Ints, Ints]:
        """Return the slots that have a stem, ascending, and how often each has it."""
        at = _sorted_place(self.stems, stem)
        if at < 0:
            return self.slots[:0], self.counts[:0]
        rows = slice(int(self.ptr[at]), int(self.ptr[at + 1]))
        return self.slots[rows], self.counts[rows]


def _sorted_place(texts: Sequence[str], wanted: str) -> int:
    if isinstance(texts, Texts):
        return texts.sorted_place(wanted)
    at = bisect_left(texts, wanted)
    return at if at < len(texts) and texts[at] == wanted else -1


def build(name: str, documents: Iterable[DocumentRow], *, dimensions: int) -> Segment:
    """Return the segment of some documents; passages without vectors get zeros."""
    rows = list(documents)
    passages = [passage for row in rows for passage in row.passages]
    sizes = np.array([len(row.passages) for row in rows], dtype=np.int64)
    stems, ptr, slots, counts = _inverted(passages)
    sentences = [_sentences(passage, dimensions) for passage in passages]
    return Segment(
        name=name,
        documents=[(row.id, row.source, row.type) for row in rows],
        first=offsets(sizes),
        document=np.repeat(np.arange(len(rows), dtype=np.int32), sizes),
        chunk_index=np.array([p.chunk_index for p in passages], dtype=np.int32),
        acl_class=np.array([p.acl_class for p in passages], dtype=np.int64),
        length=np.array([int(p.counts.sum()) for p in passages], dtype=np.int32),
        chunk_ids=np.array([p.chunk_id.encode() for p in passages], dtype="S32"),
        stems=stems,
        ptr=ptr,
        slots=slots,
        counts=counts,
        vectors=_stacked([_vector(passage, dimensions) for passage in passages], dimensions),
        sentence_ptr=offsets(np.array([len(rows) for rows in sentences], dtype=np.int64)),
        sentence_vectors=_stacked(sentences, dimensions),
        facts=facts_of([passage.facts for passage in passages]),
    )


def _inverted(passages: Sequence[PassageRow]) -> tuple[list[str], Longs, Ints, Ints]:
    """Return the sorted stems, the row offsets, and slot and count of each row."""
    stems = sorted({stem for passage in passages for stem in passage.stems})
    number = {stem: at for at, stem in enumerate(stems)}
    numbers = [number[stem] for passage in passages for stem in passage.stems]
    of = np.array(numbers, dtype=np.int64)
    sizes = np.array([len(passage.stems) for passage in passages], dtype=np.int64)
    slots = np.repeat(np.arange(len(passages), dtype=np.int32), sizes)
    empty = np.zeros(0, dtype=np.int32)
    counts = np.concatenate([empty, *(passage.counts for passage in passages)])
    order = np.argsort(of, kind="stable")
    ptr = offsets(np.bincount(of, minlength=len(stems)).astype(np.int64))
    return stems, ptr, slots[order], counts[order].astype(np.int32)


def _vector(passage: PassageRow, dimensions: int) -> Floats:
    if passage.vector is None:
        return np.zeros((1, dimensions), dtype=np.float32)
    return passage.vector.reshape(1, dimensions)


def _sentences(passage: PassageRow, dimensions: int) -> Floats:
    if passage.sentence_vectors is None:
        return np.zeros((0, dimensions), dtype=np.float32)
    return passage.sentence_vectors.reshape(-1, dimensions)


def _stacked(rows: Sequence[Floats], dimensions: int) -> Floats:
    return np.concatenate([np.zeros((0, dimensions), dtype=np.float32), *rows])
