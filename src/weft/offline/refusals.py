"""What a refusal says: only what is true of the documents that the caller may read."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

from weft.language.numerals import VALUES
from weft.language.patterns import pattern
from weft.language.terms import plain, word_terms, words
from weft.offline.question.question import alike, asked_words, is_verb_form
from weft.offline.question.roles import language_of
from weft.offline.units.question import ASKING
from weft.retrieval.hits import QuestionTerm
from weft.verification.lexicon import lexicon

_NAMED = 5
# More names, or longer ones, than are called missing of any question.
_MOST = 8
_LONGEST = 80
# A shorter Korean word may be a form of a verb, which nothing tells from a noun.
_KOREAN_NOUN = 3
_COURTESIES = frozenset({"please", "thanks", "thank", "hello", "hi"})
# What an apostrophe cuts off may stand in any text: “don't”, “we've”.
_CUT_OFF = frozenset({*string.ascii_lowercase, "ll", "re", "ve"})
# Compounds, paths, addresses, issue keys: as a whole they stand nowhere once a part of them does.
_ONE_THING = pattern(r"[\w\-./\\@'’]+")
_ENDS_A_NAME = pattern(r"[,;:.?!)\]”»\"]$")


def standing_nowhere(question: str, known: Iterable[QuestionTerm]) -> tuple[str, ...]:
    """Return the words of a question of which no readable passage has any part.

    A name is named as far as its words stand nowhere, an identifier whole if a part of it does.
    Nothing is claimed of what may be written otherwise: synonyms, irregular forms, Korean verbs,
    numbers in letters or figures.
    """
    stands: dict[str, bool] = {}
    for term in known:
        for word in term.words:
            is_known = term.df > 0 or len(alike(term.stem)) > 1
            stands[word] = stands.get(word, False) or is_known
    found: list[list[str]] = [[]]
    for said in unicodedata.normalize("NFKC", question).split():
        parts = words(said)
        lacking = [one for one in parts if not stands.get(one, True) and _is_told(one)]
        if len(parts) == 1 and plain(parts[0]) in _numbers():
            lacking = []
        named = _named(said, lacking)
        goes_on = bool(found[-1]) and all(one[:1].isupper() for one in (found[-1][0], *named[:1]))
        if named and goes_on:
            found[-1].append(named[0])
        elif named:
            found.append([named[0]])
        found += [[one] for one in named[1:]]
        if not named or _ENDS_A_NAME.search(said):
            found.append([])
    return tuple(dict.fromkeys(" ".join(run) for run in found if run))


def words_of_question(question: str, said: Iterable[str]) -> tuple[str, ...]:
    """Return what of some names consists of a question's words alone, each once, few and short."""
    own = {term for word in words(question) for term in word_terms(word)}
    kept = (
        one
        for one in dict.fromkeys(said)
        if len(one) <= _LONGEST
        and (parts := words(one))
        and all(term in own for part in parts for term in word_terms(part) or (part,))
    )
    return tuple(islice(kept, _MOST))


def _is_told(word: str) -> bool:
    """Tell whether a word is about the matter, and has no irregular forms."""
    folded = plain(word)
    if folded in ASKING | _COURTESIES | _CUT_OFF | _irregular():
        return False
    bare = asked_words(word)
    if language_of(word) == "ko":
        return bool(bare) and len(bare[0]) >= _KOREAN_NOUN and not is_verb_form(word)
    return bool(bare)


def _named(said: str, lacking: Sequence[str]) -> list[str]:
    """Return how what stands nowhere of a word between blanks is named."""
    if not lacking:
        return []
    whole = re.sub(r"^\W+|(?:['’]s)?\W*$", "", said)
    parts = [whole] if _ONE_THING.fullmatch(whole) else list(lacking)
    return [_without_particle(one) for one in parts]


def _without_particle(word: str) -> str:
    """Return a Korean word without its particle, any other as it is."""
    bare = asked_words(word) if language_of(word) == "ko" else ()
    return bare[0] if len(bare) == 1 and word.startswith(bare[0]) else word


@lru_cache(maxsize=1)
def _irregular() -> frozenset[str]:
    """Return irregular forms with what they are forms of."""
    forms = lexicon().lemmas
    return frozenset({*forms, *forms.values()})


@lru_cache(maxsize=1)
def _numbers() -> frozenset[str]:
    """Return the numbers that are written in letters as often as in figures."""
    return frozenset({*VALUES, *(str(one) for one in VALUES.values())})


def refusal_text(question: str, missing: Sequence[str]) -> str:
    """Return in the question's language that nothing answers it, and what was not found."""
    named = ", ".join(f"“{one}”" for one in missing[:_NAMED])
    if language_of(question) == "ko":
        said = "읽을 수 있는 문서에서 답을 뒷받침할 근거를 찾지 못했습니다"
        return f"{said}: {named}." if named else f"{said}."
    about = f" of {named}" if named else " that answers this"
    return f"I cannot answer this from the documents you may read: I found nothing{about}."


def nearest_text(question: str) -> str:
    """Return in the question's language what the nearest stands under."""
    if language_of(question) == "ko":
        return "가장 가까운 내용입니다. 답은 아닙니다:"
    return "The nearest that was found, which is not an answer:"


def spent_text(question: str) -> str:
    """Return a refusal in the question's language for a run whose budget was used up first."""
    if language_of(question) == "ko":
        return "쓸 수 있는 예산이 먼저 다 쓰여 답하지 못했습니다."
    return "I cannot answer this: what may be spent on it was used up first."


def withheld_text(question: str) -> str:
    """Return in the question's language that the policy lets no answer to it leave."""
    if language_of(question) == "ko":
        return "이 질문에는 정책에 따라 답해 드릴 수 없습니다."
    return "I cannot answer this here: the policy does not let the answer leave."


def meaning_gone_text(question: str, meaning: str) -> str:
    """Return in the question's language that what somebody says they mean is none any more."""
    if language_of(question) == "ko":
        return f"이 질문에는 이제 “{meaning}”이라는 뜻이 없습니다. 다시 물어 주세요."
    return f"“{meaning}” is none of what this question may mean now: ask it again to see what is."
