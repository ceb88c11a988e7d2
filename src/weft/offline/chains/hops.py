"""A question read against the evidence so far: what it names, and what is to be looked up next."""

from __future__ import annotations

from collections.abc import Iterator

from weft.language.terms import STOP_WORDS, word_terms
from weft.offline.chains.chains import Desktop, wanted_names
from weft.offline.evidence.found import FoundEvidence
from weft.offline.evidence.passages import read_passages
from weft.offline.question.names import key_of, tokens, without_particle
from weft.offline.question.roles import Plan, read_plan

_TOGETHER = 2
_RARE = 0.4


def lay_out(question: str, book: FoundEvidence) -> tuple[Plan, Desktop]:
    """Return the plan of a question and the passages of a book as a plan is followed in them."""
    desk = Desktop(passages=read_passages(book), looked_up=book.looked_up)
    plan = read_plan(question, desk.known, lower=desk.lower)
    spans = {key: () for span in plan.beside if len((key := key_of(span)).split()) > 1}
    if spans:  # names that no passage defines can still be where a chain begins
        plan = read_plan(question, {**desk.known, **spans}, lower=desk.lower)
    return plan, desk


def names_to_look_up(question: str, book: FoundEvidence) -> tuple[str, ...]:
    """Return the keys of the names without which the question's roles lead no further.

    Of a question without a name, the first time also what it may name, however it is written.
    """
    plan, desk = lay_out(question, book)
    named = desk.looked_up or plan.ways or plan.beside
    own = () if named else _own_names(question, book)
    return tuple(
        dict.fromkeys([*(key for key in own if key not in desk.known), *wanted_names(plan, desk)])
    )


def _own_names(question: str, book: FoundEvidence) -> Iterator[str]:
    """Yield the words of a question, two together first, that may be what a document is called."""
    rarity = {term.stem: term.idf for term in book.terms}
    found = tokens(question)
    for size in range(_TOGETHER, 0, -1):
        for at in range(len(found) - size + 1):
            key = without_particle(" ".join(token.key for token in found[at : at + size]))
            content = [word for word in key.split() if word not in STOP_WORDS]
            rare = (rarity.get(stem, 0.0) >= _RARE for word in content for stem in word_terms(word))
            if len(content) == size and any(rare):
                yield key
