"""The first stage: full text, passage and sentence vectors, each over all that is readable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from weft.index.scoring import Posting, cosines, mixed, postings, scaled, summed
from weft.index.segment import Floats
from weft.index.sight import Sight
from weft.index.view import Doubles
from weft.retrieval.hits import Weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as the ranking reads it; `vector` is None without an embedder.

    `trust` is the share of letters that the embedder reads well: vectors count that much.
    """

    text: str
    stems: frozenset[str]
    vector: Floats | None
    weights: Weights
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


def first_stage(sight: Sight, asked: Asked) -> FirstStage:
    """Return the first stage; without vectors the text alone is in the mixture."""
    view = sight.view
    size = len(view.readable)
    found = postings(view, asked.stems)
    text = summed(size, found.values())
    passage = sentence = np.zeros(size, dtype=np.float32)
    vector = asked.vector
    if vector is not None:
        passage = view.rows(lambda rows: cosines(rows, vector))
        sentence = view.best_sentences(lambda rows: cosines(rows, vector))
        sentence = np.where(sentence < -0.999, passage, sentence)
    scales = [scaled(scores, view.readable) for scores in (text, passage, sentence)]
    scales[1:] = [asked.trust * scale for scale in scales[1:]]
    weights = (asked.weights.text, asked.weights.passage, asked.weights.sentence)
    parts = list(zip(weights, scales, strict=True)) if vector is not None else [(1.0, scales[0])]
    return FirstStage(
        postings=found,
        text=text,
        passage=passage,
        sentence=sentence,
        text_scaled=scales[0],
        passage_scaled=scales[1],
        sentence_scaled=scales[2],
        mixed=mixed(parts),
    )
