"""Whether a unit answers a question on a paragraph, and which questions are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from answers_scoring import contains, normalised
from strangers_base import SEED, StrangerQuestion

# A sentence that was cut elsewhere is still the one that answers from this many words on.
_ENOUGH = 5


def answers(question: StrangerQuestion, text: str, *, paragraph: str) -> bool:
    """Tell whether a text holds an answer and stands in the paragraph that was asked about."""
    if question.gone or not question.answerable:
        return False
    said, whole = " ".join(text.split()), " ".join(paragraph.split())
    if said not in whole:
        return False
    if question.dataset == "squad2":
        return any(contains(text, one) for one in question.answers)
    return any(contains(text, one) or _is_part(text, one) for one in question.answers)


def _is_part(text: str, answer: str) -> bool:
    return len(normalised(text).split()) >= _ENOUGH and contains(answer, text)


def drawn(questions: Iterable[StrangerQuestion], count: int) -> list[StrangerQuestion]:
    """Return at most `count` questions, the articles in turn."""
    by_article: dict[str, list[StrangerQuestion]] = {}
    rng = Random(SEED)
    for one in questions:
        by_article.setdefault(one.article, []).append(one)
    for held in by_article.values():
        rng.shuffle(held)
    turns = [one for held in by_article.values() for one in enumerate(held)]
    rng.shuffle(turns)
    turns.sort(key=lambda turn: turn[0])
    return [one for _, one in turns[:count]]


def of_set(
    questions: Sequence[StrangerQuestion], name: str, *, gone: str = "", answerable: bool = True
) -> list[StrangerQuestion]:
    """Return the questions of a set that are there, or gone in a way."""
    return [
        one
        for one in questions
        if one.dataset == name and one.gone == gone and one.answerable is answerable
    ]
