"""Large knowledge bases for timing: the evaluation sets' passages, and renamed copies of them.

In a copy every rare name has another spelling, in the names and in the words, and every vector is
turned a little; frequent names stay, so that they grow with the base as they do in real ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from retrieval_bases import OWNER, SETS, cache_folder, opened

from weft.adapters.sqlite.segment_files import SegmentFiles, Stamp
from weft.domain.ids import digest
from weft.index.columns import FactColumns, key_hash
from weft.index.entities import case_counts
from weft.index.lexicon import Lexicon
from weft.index.merging import merge
from weft.index.segment import DocumentRow, Floats, PassageRow, Segment
from weft.index.snapshot import LiveSegment, Snapshot, all_alive
from weft.index.tables import Facts, Mask
from weft.language.terms import word_terms
from weft.ports.embedder import Embedder

_FREQUENT = 50
_NOISE = 0.3
_NEW = 500
_UNUSED = 24


async def base(data: Path, size: int, embedder: Embedder) -> Snapshot:
    """Return a snapshot of so many passages, mapped from files that are made once."""
    return await _kept(data, embedder, name=str(size), make=lambda union: _filled(union, size))


async def newcomers(data: Path, embedder: Embedder) -> LiveSegment:
    """Return passages that no base has, with names of their own, mapped from files."""
    snapshot = await _kept(data, embedder, name="new", make=_strangers)
    return snapshot.segments[0]


async def _kept(
    data: Path, embedder: Embedder, *, name: str, make: Callable[[Segment], Segment]
) -> Snapshot:
    corpora = [str((data / one / "corpus.jsonl.gz").stat().st_size) for one in SETS]
    key = digest("scale-1", embedder.fingerprint, *corpora)[:10]
    folder = cache_folder() / f"scale-{name}-{key}"
    files = SegmentFiles(folder, "scale", dimensions=embedder.dimensions)
    held = files.load(lambda _: True)
    if held is None:
        print(f"making passages: {name}", file=sys.stderr)
        made = _alone(make(await _union(data, embedder)))
        files.save(made, Stamp(version=made.version, mark=1), belongs=lambda _: True)
        held = files.load(lambda _: True)
    if held is None:
        raise OSError("what was made could not be read back")
    return held


def _alone(segment: Segment) -> Snapshot:
    """Return a snapshot of one segment."""
    lexicon = Lexicon()
    live = all_alive(segment, lexicon.serials(segment.size))
    width = segment.vectors.shape[1]
    return Snapshot(version=1, dimensions=width, segments=(live,), lexicon=lexicon)


async def _union(data: Path, embedder: Embedder) -> Segment:
    """Return one segment of all the sets' passages."""
    async with AsyncExitStack() as stack:
        pairs: list[tuple[Segment, Mask]] = []
        for name in SETS:
            store = await opened(stack, data, name, strict=False, embedder=embedder)
            view = await store.knowledge.view(OWNER)
            for live in view.snapshot.segments:
                documents = [(f"{name}/{row[0]}", *row[1:]) for row in live.segment.documents]
                pairs.append((replace(live.segment, documents=documents), live.alive))
        return merge("union", pairs)[0]


def _filled(union: Segment, size: int) -> Segment:
    """Return the first so many passages, in a mixed order, of the union and its copies."""
    rare = _rare_words(union)
    order = np.random.default_rng(7).permutation(union.size)
    pairs: list[tuple[Segment, Mask]] = []
    left = size
    for number in range(-(-size // union.size)):
        alive = np.zeros(union.size, dtype=np.bool_)
        alive[order[:left]] = True
        pairs.append((_copy(union, number, rare) if number else union, alive))
        left -= int(alive.sum())
    return replace(merge(f"scale-{size}", pairs)[0], acl_class=np.ones(size, dtype=np.int64))


def _strangers(union: Segment) -> Segment:
    """Return a few passages of a copy that is in no base."""
    alive = np.zeros(union.size, dtype=np.bool_)
    alive[np.random.default_rng(8).permutation(union.size)[:_NEW]] = True
    return merge("new", [(_copy(union, _UNUSED, _rare_words(union)), alive)])[0]


def _rare_words(union: Segment) -> frozenset[str]:
    """Return the words that stand more often in upper case, and not in many passages."""
    snapshot = _alone(union)
    words, _ = snapshot.lexicon.numbers(union.name, union.facts)
    lower, upper = case_counts(snapshot, np.arange(union.size))
    cases = union.facts.tables["cases"].columns["word"]
    passages = np.bincount(cases, minlength=len(union.facts.words))
    rare = (upper[words] > lower[words]) & (passages < _FREQUENT)
    return frozenset(
        word
        for word, is_rare in zip(union.facts.words, rare.tolist(), strict=True)
        if is_rare and word.isalpha()
    )


def _copy(union: Segment, number: int, rare: frozenset[str]) -> Segment:
    """Return the union with its documents and rare names renamed and its vectors turned."""
    ending = "x" + chr(ord("a") + number)
    renamed = {word: word + ending for word in rare}
    stems = {stem: stem + ending for word in rare for stem in word_terms(word)}
    plain = {s for word in union.facts.words if word not in rare for s in word_terms(word)}
    own = [stem if stem in plain else stems.get(stem, stem) for stem in union.stems]
    ranked = sorted(range(len(own)), key=own.__getitem__)
    sizes = np.diff(union.ptr)[ranked]
    rows = np.concatenate([np.arange(union.ptr[at], union.ptr[at + 1]) for at in ranked])
    keys = [" ".join(renamed.get(w, w) for w in key.split(" ")) for key in union.facts.keys]
    facts = Facts(
        words=[renamed.get(word, word) for word in union.facts.words],
        keys=keys,
        key_hashes=np.array([key_hash(key) for key in keys], dtype=np.uint64),
        tables=union.facts.tables,
    )
    rng = np.random.default_rng(number)
    return replace(
        union,
        name=f"copy-{number}",
        documents=[(f"{row[0]}~{number}", *row[1:]) for row in union.documents],
        chunk_ids=_chunk_ids(union, number),
        stems=[own[at] for at in ranked],
        ptr=np.concatenate([[0], np.cumsum(sizes)]),
        slots=union.slots[rows],
        counts=union.counts[rows],
        vectors=_turned(union.vectors, rng),
        sentence_vectors=_turned(union.sentence_vectors, rng),
        facts=facts,
    )


def _chunk_ids(union: Segment, number: int) -> npt.NDArray[np.bytes_]:
    ids = [digest(bytes(one).decode(), str(number))[:32].encode() for one in union.chunk_ids]
    return np.array(ids, dtype="S32")


def _turned(vectors: Floats, rng: np.random.Generator) -> Floats:
    """Return unit vectors at a cosine of about .96 to those given."""
    noise = rng.standard_normal(vectors.shape, dtype=np.float32)
    noise *= np.float32(_NOISE / np.sqrt(vectors.shape[1]))
    noise += vectors
    noise /= np.maximum(np.linalg.norm(noise, axis=1, keepdims=True), np.float32(1e-9))
    return noise


def document_row(live: LiveSegment, at: int, *, acl: int) -> DocumentRow:
    """Return a document of a segment as a store would feed it."""
    segment = live.segment
    key, source, kind = segment.documents[at]
    slots = range(int(segment.first[at]), int(segment.first[at + 1]))
    return DocumentRow(
        id=key,
        source=source,
        type=kind,
        passages=[_passage_row(segment, slot, acl=acl) for slot in slots],
    )


def _passage_row(segment: Segment, slot: int, *, acl: int) -> PassageRow:
    rows = np.flatnonzero(segment.slots == slot)
    stems = np.searchsorted(segment.ptr, rows, side="right") - 1
    sentences = slice(int(segment.sentence_ptr[slot]), int(segment.sentence_ptr[slot + 1]))
    return PassageRow(
        chunk_id=bytes(segment.chunk_ids[slot]).decode(),
        chunk_index=int(segment.chunk_index[slot]),
        acl_class=acl,
        stems=[segment.stems[stem] for stem in stems.tolist()],
        counts=np.array(segment.counts[rows]),
        vector=np.array(segment.vectors[slot]),
        sentence_vectors=np.array(segment.sentence_vectors[sentences]),
        facts=_facts(segment.facts, slot),
    )


def _facts(facts: Facts, slot: int) -> FactColumns:
    def rows(name: str) -> Sequence[list[int]]:
        table = facts.tables[name]
        own = slice(int(table.ptr[slot]), int(table.ptr[slot + 1]))
        return [column[own].tolist() for column in table.columns.values()]

    def word(number: int) -> str:
        return facts.words[number] if number >= 0 else ""

    tokens, flags, sentences = rows("tokens")
    words = sorted({word(number) for number in tokens})
    place = {text: at for at, text in enumerate(words)}
    return FactColumns(
        words=words,
        places=[place[word(number)] for number in tokens],
        flags=flags,
        sentences=sentences,
        spans=[(facts.keys[k], at, r, word(w)) for k, at, r, w in zip(*rows("spans"), strict=True)],
        definitions=[
            (facts.keys[k], kind, order, r, word(w))
            for k, kind, order, r, w in zip(*rows("definitions"), strict=True)
        ],
        cases=[(word(w), low, up) for w, low, up in zip(*rows("cases"), strict=True)],
    )
