"""Which of a question's words occur where, weighed by how rare they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rapidfuzz import fuzz, process

from weft.language.hangul import has_hangul
from weft.language.terms import word_terms
from weft.offline.question.question import alike, asked_words, is_measure
from weft.retrieval.hits import QuestionTerm

# Two spellings of one word (organise, organize) share at least this much.
SPELLING = 85.0
_SHORTEST = 6


def asked_terms(question: str, known: Sequence[QuestionTerm]) -> tuple[QuestionTerm, ...]:
    """Return the terms of a question that say what it is about; those unknown weigh one."""
    by_stem = {term.stem: term for term in known}
    wanted: dict[str, QuestionTerm] = {}
    for word in asked_words(question):
        for stem in _known_part(word, by_stem):
            unknown = QuestionTerm(stem=stem, words=(word,), df=0, idf=1.0)
            term = by_stem.get(stem, unknown)
            if not is_measure(word):
                wanted[stem] = replace(term, words=(word,))
            elif term.df > 0:
                wanted[stem] = replace(term, idf=term.idf / 2)
    return tuple(wanted.values())


def _known_part(word: str, known: Mapping[str, QuestionTerm]) -> tuple[str, ...]:
    """Return the terms of a word; of a Korean one without the pieces that are but its ending.

    The documents say "근무하고" where the question says "근무하면": the pieces that they have are
    the word, and where they have none, its beginning is.
    """
    stems = word_terms(word)
    if len(stems) < 2 or not has_hangul(word):
        return stems
    held = tuple(stem for stem in stems if stem in known and known[stem].df > 0)
    return held or stems[:1]


def covered(terms: Iterable[QuestionTerm], stems: frozenset[str]) -> frozenset[str]:
    """Return the stems of the terms that occur among `stems`, in one word or a like one."""
    return frozenset(t.stem for t in terms if occurs(t.stem, stems))


def occurs(stem: str, stems: frozenset[str], *, spelling: float = SPELLING) -> bool:
    """Tell whether a stem, one that may stand for it, or another spelling of it is among others."""
    if not alike(stem).isdisjoint(stems):
        return True
    return is_spelt_like(stem, stems, spelling=spelling)


def is_spelt_like(stem: str, stems: frozenset[str], *, spelling: float) -> bool:
    """Tell whether a longer stem differs from one of the others by its spelling alone."""
    if len(stem) < _SHORTEST or any(char.isdigit() for char in stem):
        return False
    near = [s for s in stems if s[0] == stem[0] and abs(len(s) - len(stem)) <= 2]
    return process.extractOne(stem, near, scorer=fuzz.ratio, score_cutoff=spelling) is not None


def share(terms: Sequence[QuestionTerm], held: frozenset[str]) -> float:
    """Return the weight of the terms in `held` as a share of all, 0 to 1; 0 without terms."""
    total = sum(term.idf for term in terms)
    return sum(term.idf for term in terms if term.stem in held) / total if total else 0.0
