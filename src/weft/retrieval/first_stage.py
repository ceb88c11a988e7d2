"""The first stage: full text and passage vectors over all that is readable, then the sentences.

Sentences are read of the passages that lead by the other two; of the rest, the passage speaks.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.named_view import NamedView
from weft.index.scoring import Posting, cosines, mixed, postings, scaled, summed
from weft.index.segment import Floats
from weft.index.vectors import best_sentences, leading
from weft.index.view import Doubles
from weft.retrieval.hits import SearchWeights

NEAR = 5000
NO_SENTENCE = -0.999


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuestion:
    """A question as the ranking reads it; `vector` is None without an embedder.

    `trust` is the share of letters that the embedder reads well: vectors count that much.
    """

    text: str
    stems: frozenset[str]
    vector: Floats | None
    weights: SearchWeights
    trust: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStage:
    """Scores of every slot: raw (`text`, `passage`, `sentence`), scaled to 0..1, and mixed."""

    postings: Mapping[str, Posting]
    text: Doubles
    passage: Floats
    sentence: Floats
    text_scaled: Doubles
    passage_scaled: Doubles
    sentence_scaled: Doubles
    mixed: Doubles


def first_stage(named_view: NamedView, asked: SearchQuestion) -> FirstStage:
    """Return the first stage; without vectors the text alone is in the mixture."""
    view = named_view.view
    size = len(view.readable)
    found = postings(view, asked.stems)
    text = summed(size, found.values())
    scales = [scaled(text, view.readable)]
    passage = sentence = np.zeros(size, dtype=np.float32)
    vector, weights = asked.vector, asked.weights
    parts = [(1.0, scales[0])]
    if vector is not None:
        passage = view.rows(lambda rows: cosines(rows, vector))
        scales.append(asked.trust * scaled(passage, view.readable))
        parts = [(weights.text, scales[0]), (weights.passage, scales[1])]
        sentence = _sentences(named_view, vector, passage=passage, near=mixed(parts))
        scales.append(asked.trust * scaled(sentence, view.readable))
        parts.append((weights.sentence, scales[2]))
    return FirstStage(
        postings=found,
        text=text,
        passage=passage,
        sentence=sentence,
        text_scaled=scales[0],
        passage_scaled=scales[1] if vector is not None else np.zeros(size),
        sentence_scaled=scales[2] if vector is not None else np.zeros(size),
        mixed=mixed(parts),
    )


def _sentences(named_view: NamedView, vector: Floats, *, passage: Floats, near: Doubles) -> Floats:
    """Return each slot's best sentence where it leads, its passage elsewhere or without any."""
    slots = leading(named_view.view, near, limit=NEAR)
    own = best_sentences(named_view.view, slots, question=vector)
    values = passage.copy()
    values[slots] = np.where(own < NO_SENTENCE, passage[slots], own)
    return values
