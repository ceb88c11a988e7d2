"""Questions with the units that were found for them, their features, and those that answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from math import log
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
from answer_cards import CARDS, CardQuestion, card_questions
from answer_folds import fold_of
from handbook_bases import HANDBOOKS
from handbook_searches import SearchedHandbook
from hop_searches import Weighed
from note_bases import NOTES, NoteQuestion
from retrieval_bases import SETS
from stranger_labels import answers
from stranger_searches import Searched
from strangers_base import Strangers

from weft.language.terms import STOP_WORDS, plain
from weft.language.terms import terms as stems_of
from weft.offline.question.question import goes_over_several
from weft.offline.units.order import Compared, compare
from weft.offline.units.question import ASKING
from weft.offline.units.scorer import columns
from weft.offline.units.unit_features import UNIT_FEATURES, FoundUnit
from weft.retrieval.hits import Found, Hit, QuestionTerm

# A question that its writer made unanswerable looks answerable to words: it counts for less.
UNANSWERABLE = 0.4
# So many of the plain words of a question are taken for others.
REWORDED = 0.6
LEAST_SCALE = 0.2

Doubles = npt.NDArray[np.float64]


class World(StrEnum):
    """As what a search is read.

    As it was, as of a small base, without vectors, or as if many words of the question were others
    than those of the documents: people ask in their own.
    """

    WHOLE = "whole"
    SMALL = "small"
    BARE = "bare"
    REWORDED = "reworded"


# How much of each counts for the outcome.
PARTS = {World.WHOLE: 1.0, World.SMALL: 0.3, World.BARE: 0.3, World.REWORDED: 0.3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question with its units, their features, and those that answer.

    `key` is the article or the question that all examples of one fold share; `gone` says what was
    left out of the documents, `answerable` whether its writer meant it to be answered.
    """

    dataset: str
    key: str
    text: str
    gone: str
    answerable: bool
    compared: Compared
    rows: Doubles
    right: npt.NDArray[np.bool_]
    world: World

    @property
    def fold(self) -> int:
        """Return the fold of its article."""
        return fold_of(self.key)

    @property
    def weight(self) -> float:
        """Return how much it counts for the outcome."""
        if self.dataset in (CARDS, NOTES):  # of which there are few, and in one world
            return 1.0
        return (1.0 if self.answerable else UNANSWERABLE) * PARTS[self.world]

    @property
    def is_there(self) -> bool:
        """Tell whether the documents answer it."""
        return self.answerable and not self.gone

    @property
    def is_of_hops(self) -> bool:
        """Tell whether its set asks over several documents."""
        return self.dataset in SETS

    @property
    def is_over_several(self) -> bool:
        """Tell whether the product takes it for a question over several things."""
        return goes_over_several(self.text)


def of_strangers(made: Strangers, found: Iterable[Searched]) -> list[Example]:
    """Return questions on articles as they are learnt from, each in every world."""
    return list(chain.from_iterable(_of_stranger(made, one) for one in found))


def _of_stranger(made: Strangers, one: Searched) -> Iterator[Example]:
    question, paragraph = one.question, made.texts[one.question.paragraph]
    for world in World:
        hits, terms = seen_in(world, one.found)
        text = reworded(question.text) if world is World.REWORDED else question.text
        yield from _example(
            _About(
                dataset=question.dataset, key=question.article, text=text,
                gone=question.gone, answerable=question.answerable, world=world,
            ),
            terms,
            [(hit.evidence.id, hit) for hit in hits],
            holds=lambda unit: answers(question, unit.text, paragraph=paragraph),
        )  # fmt: skip


def of_hops(found: Iterable[Weighed]) -> list[Example]:
    """Return questions over several documents as they are learnt from."""
    return list(chain.from_iterable(map(_of_hop, found)))


def _of_hop(one: Weighed) -> Iterator[Example]:
    about = _About(
        dataset=one.dataset, key=one.question.id, text=one.question.text, gone=one.gone,
        answerable=True, world=World.WHOLE,
    )  # fmt: skip
    yield from _example(
        about, one.terms, one.entries, holds=lambda unit: one.holds(unit.text, unit.hit)
    )


def of_cards(data: Path, count: int) -> list[Example]:
    """Return questions on labelled lines, rows and items as they are learnt from."""
    return list(chain.from_iterable(map(_of_card, card_questions(data, count))))


def _of_card(card: CardQuestion) -> Iterator[Example]:
    question, own = card.question, f"cards/{card.question.article}"
    about = _About(
        dataset=question.dataset, key=question.article, text=question.text, gone=question.gone,
        answerable=question.answerable, world=World.BARE,
    )  # fmt: skip
    entries = [(hit.evidence.id, hit) for hit in card.found.hits]
    yield from _example(
        about,
        card.found.terms,
        entries,
        holds=lambda unit: bool(card.line) and unit.evidence_id == own and card.line in unit.text,
    )


def of_handbooks(found: Iterable[SearchedHandbook]) -> list[Example]:
    """Return questions on folders as they are learnt from, each as it was and without vectors."""
    return list(chain.from_iterable(_of_handbook(one) for one in found))


def _of_handbook(one: SearchedHandbook) -> Iterator[Example]:
    question = one.question
    for world in (World.WHOLE, World.BARE):
        hits, terms = seen_in(world, one.found)
        yield from _example(
            _About(
                dataset=HANDBOOKS,
                key=question.document if "manuals" in one.book.name else one.book.name,
                text=question.text,
                gone="" if question.is_answered else "near",
                answerable=True,
                world=world,
            ),
            terms,
            [(hit.evidence.id, hit) for hit in hits],
            holds=lambda unit: question.holds(unit.text, unit.hit.evidence.uri),
        )


def of_notes(found: Iterable[NoteQuestion]) -> list[Example]:
    """Return questions on notes as they are learnt from."""
    return list(chain.from_iterable(map(_of_note, found)))


def _of_note(one: NoteQuestion) -> Iterator[Example]:
    question = one.question
    about = _About(
        dataset=NOTES, key=question.article, text=question.text,
        gone="" if one.is_there else "near", answerable=True,
        world=World.WHOLE if one.has_vectors else World.BARE,
    )  # fmt: skip
    entries = [(hit.evidence.id, hit) for hit in one.found.hits]
    yield from _example(
        about,
        one.found.terms,
        entries,
        holds=lambda unit: one.is_there and " ".join(unit.text.split()) in one.line,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _About:
    dataset: str
    key: str
    text: str
    gone: str
    answerable: bool
    world: World


def _example(
    about: _About,
    terms: Sequence[QuestionTerm],
    entries: Sequence[tuple[str, Hit]],
    *,
    holds: Callable[[FoundUnit], bool],
) -> Iterator[Example]:
    compared = compare(about.text, terms, entries=entries)
    if compared is not None:
        yield Example(
            dataset=about.dataset,
            key=about.key,
            text=about.text,
            gone=about.gone,
            answerable=about.answerable,
            world=about.world,
            compared=compared,
            rows=columns(compared.features, UNIT_FEATURES),
            right=np.array([holds(unit) for unit in compared.units], dtype=bool),
        )


def reworded(text: str) -> str:
    """Return a question with words in place of its plain ones that stand in no document.

    Names stay: nobody asks of a thing by another name who knows its own.
    """
    rng = Random(text)
    return " ".join(
        f"qx{rng.randrange(10**6)}" if _is_plain(word) and rng.random() < REWORDED else word
        for word in text.split()
    )


def _is_plain(word: str) -> bool:
    bare = word.strip("?,.;:\"'()")
    small = STOP_WORDS | ASKING
    return bare.islower() and bare.isalpha() and plain(bare) not in small


def seen_in(world: World, found: Found) -> tuple[Sequence[Hit], Sequence[QuestionTerm]]:
    """Return what was found as a world has it.

    In a small base a word is rare or unknown that is common in a large one: here it has the
    passages that were found and no others. Without vectors nothing is known of nearness in meaning.
    """
    hits, terms = found.hits, found.terms
    if world in (World.WHOLE, World.REWORDED):
        return hits, terms
    held = [frozenset(stems_of(f"{h.evidence.title}\n{h.evidence.text}")) for h in hits]
    known = [replace(one, df=sum(one.stem in own for own in held)) for one in terms]
    n = len(hits)
    small = [replace(t, idf=log(1 + n / t.df) / log(1 + n) if t.df else 1.0) for t in known]
    # Beside few passages even the best scores low.
    scale = Random(hits[0].evidence.id if hits else "").uniform(LEAST_SCALE, 1.0)
    hits = tuple(replace(hit, score=hit.score * scale) for hit in hits)
    if world is World.BARE:
        hits = tuple(replace(hit, cosine=0.0, cosines=()) for hit in hits)
    return hits, small
