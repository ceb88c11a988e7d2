"""Local facts as bytes: what a store keeps of them, and back again without loss."""

from __future__ import annotations

import json
import zlib

import numpy as np
import numpy.typing as npt

from weft.domain.document import Span
from weft.domain.facts import (
    Definition,
    DefinitionKind,
    LocalFacts,
    NameSpan,
    SpanReading,
    Token,
    Vectors,
)
from weft.domain.patch import Passage
from weft.index.columns import FactColumns
from weft.stores.canonical import PackedPassage

_Floats = npt.NDArray[np.float32]


def pack_facts(facts: LocalFacts) -> bytes:
    """Return tokens, spans, definitions and cases as compressed JSON; the terms are apart."""
    words = sorted({token.word for token in facts.tokens})
    place = {word: at for at, word in enumerate(words)}
    body = [
        words,
        [place[token.word] for token in facts.tokens],
        [int(token.flagged) for token in facts.tokens],
        [token.sentence for token in facts.tokens],
        [[row.key, row.sentence, int(row.reading), row.word0] for row in facts.spans],
        [[d.key, int(d.kind), d.order, int(d.reading), d.word0] for d in facts.definitions],
        facts.cases,
    ]
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack_facts(facts: bytes, terms: bytes) -> LocalFacts:
    """Return the facts that were packed into these two."""
    text = zlib.decompress(facts).decode("utf-8", "surrogatepass")
    words, places, flags, numbers, spans, found, cases = json.loads(text)
    rows = zip(places, flags, numbers, strict=True)
    counted = unpack_terms(terms)
    return LocalFacts(
        tokens=tuple(Token(word=words[p], flagged=bool(f), sentence=n) for p, f, n in rows),
        spans=tuple(
            NameSpan(key=k, sentence=n, reading=SpanReading(r), word0=w) for k, n, r, w in spans
        ),
        definitions=tuple(
            Definition(key=k, kind=DefinitionKind(d), order=o, reading=SpanReading(r), word0=w)
            for k, d, o, r, w in found
        ),
        cases=tuple((word, lower, upper) for word, lower, upper in cases),
        terms=tuple(zip(counted[0], counted[1].tolist(), strict=True)),
        length=int(counted[1].sum()),
    )


def unpack_columns(facts: bytes) -> FactColumns:
    """Return the packed tokens, spans, definitions and cases as columns."""
    text = zlib.decompress(facts).decode("utf-8", "surrogatepass")
    words, places, flags, sentences, spans, definitions, cases = json.loads(text)
    return FactColumns(
        words=words,
        places=places,
        flags=flags,
        sentences=sentences,
        # As tuples: the collector looks at every list again and again, at such a tuple once.
        spans=list(map(tuple, spans)),
        definitions=list(map(tuple, definitions)),
        cases=list(map(tuple, cases)),
    )


def pack_terms(facts: LocalFacts) -> bytes:
    """Return the stem frequencies: int32 counts, then the stems, one a line, in order."""
    counts = np.array([count for _, count in facts.terms], dtype="<i4")
    stems = "\n".join(term for term, _ in facts.terms).encode("utf-8", "surrogatepass")
    return len(counts).to_bytes(4, "little") + counts.tobytes() + stems


def unpack_terms(packed: bytes) -> tuple[list[str], npt.NDArray[np.int32]]:
    """Return the stems in order and their frequencies."""
    size = int.from_bytes(packed[:4], "little")
    counts = np.frombuffer(packed, dtype="<i4", count=size, offset=4)
    stems = packed[4 + 4 * size :].decode("utf-8", "surrogatepass").split("\n") if size else []
    return stems, counts


def pack_spans(spans: tuple[Span, ...]) -> bytes:
    """Return spans as pairs of int32."""
    return np.array([[span.start, span.end] for span in spans], dtype="<i4").tobytes()


def unpack_spans(packed: bytes) -> tuple[Span, ...]:
    """Return the spans that were packed."""
    pairs = np.frombuffer(packed, dtype="<i4").reshape(-1, 2)
    return tuple(Span(start=start, end=end) for start, end in pairs.tolist())


def pack_vectors(vectors: _Floats) -> bytes:
    """Return float32 values, row by row."""
    return np.ascontiguousarray(vectors, dtype="<f4").tobytes()


def unpack_vectors(packed: bytes, dimensions: int) -> _Floats:
    """Return float32[n, dimensions]."""
    return np.frombuffer(packed, dtype="<f4").reshape(-1, dimensions)


def unpacked_vectors(
    vector: bytes | None, sentences: bytes | None, *, dimensions: int
) -> Vectors | None:
    """Return a chunk's vectors, None where it has none."""
    if vector is None or sentences is None:
        return None
    return Vectors(
        passage=unpack_vectors(vector, dimensions)[0],
        sentences=unpack_vectors(sentences, dimensions),
    )


def unpacked(packed: PackedPassage, dimensions: int) -> Passage:
    """Return the passage that was packed; its vectors have so many dimensions."""
    vectors = unpacked_vectors(packed.vector, packed.sentence_vectors, dimensions=dimensions)
    return Passage(
        chunk=packed.chunk,
        facts=unpack_facts(packed.facts, packed.terms),
        vectors=vectors,
        outcome=packed.outcome,
        reason=packed.reason,
    )
