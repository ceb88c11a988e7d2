"""Names in a question that no passage found has: the surest sign that there is no answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.language.months import MONTHS, WEEKDAYS
from weft.language.terms import STOP_WORDS, word_terms
from weft.offline.chains.chains import Desktop
from weft.offline.evidence.coverage import NAME_SPELLING, is_spelt_like
from weft.offline.evidence.values import is_country
from weft.offline.question.names import key_of
from weft.offline.question.roles import Plan
from weft.retrieval.hits import QuestionTerm

# A capital word that is common in the documents is a title or a kind, not a name.
_RARE = 0.5
_JOINING = frozenset({"and", "in", "to", "for", "a"})
_DAYS = frozenset({*MONTHS, *WEEKDAYS})
_OFFICE = re.compile(r"^[A-Z]{2,5} of (?:the )?")
_ASIDE = re.compile(r"\([^()]*\)")
_LONG = 3
_BETWEEN = 2


def unknown_names(plan: Plan, terms: Sequence[QuestionTerm], *, desk: Desktop) -> tuple[str, ...]:
    """Return the names of a question that stand in no passage, in order.

    A name of three words or more may have its words apart, one of two nearly together.
    """
    undefined = [way.name for way in plan.ways if way.key not in desk.known]
    said = dict.fromkeys(_bare(name) for name in [*undefined, *plan.beside])
    asides = " ".join(_ASIDE.findall(plan.text))
    names = [name for name in said if name and not is_day(name) and name not in asides]
    wanted = [(name, words) for name in names if is_rare_name(words := key_of(name).split(), terms)]
    if not wanted:
        return ()
    texts = [desk.flat(passage.evidence_id) for passage in desk.passages]
    held = [frozenset(text.split()) for text in texts]
    vocabulary = frozenset[str]().union(*held)
    return tuple(
        name for name, words in wanted if not _stands(words, texts, held, vocabulary=vocabulary)
    )


def _bare(name: str) -> str:
    """Return a name without an office or a country before it: "CEO of Acme", "German Bundestag"."""
    name = _OFFICE.sub("", name)
    first, _, rest = name.partition(" ")
    return rest if rest and is_country(first) else name


def is_day(name: str) -> bool:
    """Tell whether what looks like a name is a month, a year or a day."""
    return all(word in _DAYS or word.isdigit() for word in key_of(name).split())


def is_rare_name(words: Sequence[str], terms: Sequence[QuestionTerm]) -> bool:
    """Tell whether words are a name that few passages have, and no country's."""
    content = [word for word in words if word not in STOP_WORDS]
    if all(is_country(word) for word in content):
        return False
    if len(content) > 1:
        return True
    rarity = {term.stem: term.idf for term in terms}
    return max((rarity.get(stem, 1.0) for stem in word_terms(content[0])), default=0.0) >= _RARE


def _stands(
    words: Sequence[str],
    texts: Sequence[str],
    held: Sequence[frozenset[str]],
    *,
    vocabulary: frozenset[str],
) -> bool:
    phrase = f" {' '.join(words)} "
    if any(phrase in text for text in texts):
        return True
    parts = _parts(words)
    if len(parts) > 1:
        return all(_stands(part, texts, held, vocabulary=vocabulary) for part in parts)
    content = [word for word in words if word not in STOP_WORDS]
    for word in content:
        if word not in vocabulary and not is_spelt_like(word, vocabulary, spelling=NAME_SPELLING):
            return False
    if len(content) == 1:
        return True
    if len(content) >= _LONG:
        exact = frozenset(content) & vocabulary
        return any(exact <= own for own in held)
    near = re.compile(
        rf" {content[0]} (?:\S+ ){{0,{_BETWEEN}}}{content[1]} | {content[1]} (?:\S+ )?{content[0]} "
    )
    return any(near.search(text) for text in texts)


def _parts(words: Sequence[str]) -> list[list[str]]:
    """Return a run of names as the names that "and" or "in" joins."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word in _JOINING:
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if any(word not in STOP_WORDS for word in part)]
