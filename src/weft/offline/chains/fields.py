"""What a question asks of one thing, where a field of that thing's own document says it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from weft.language.terms import word_terms
from weft.offline.evidence.coverage import asked_terms, covered, share
from weft.offline.evidence.documents import Sheet
from weft.offline.evidence.passages import Candidate, stems_of
from weft.offline.question.cues import LANGUAGES, cues
from weft.offline.question.question import (
    QuestionKind,
    alike,
    asked_words,
    holds_answer,
    read_question,
)
from weft.offline.question.roles import language_of
from weft.offline.question.things import things
from weft.retrieval.hits import QuestionTerm

# Keys of fields that say where and when without another word.
FIELDS = {
    QuestionKind.PLACE: re.compile(
        r"where|location|place|city|위치|장소|도시|지역|근무지", re.IGNORECASE
    ),
    QuestionKind.DATE: re.compile(r"when|date|날짜|일시|시기", re.IGNORECASE),
}
# A role that stands for many: who reported something has not reviewed it.
_MANY = frozenset({"maintainer", "creator", "author"})
_PREFIX = 5
_HALF = 0.5
_CITY = re.compile(r"\b(?:city|town|place|where)\b|도시|어디", re.IGNORECASE)


def field_saying(question: str, name: str, *, sheets: Sequence[Sheet]) -> Candidate | None:
    """Return the sentence whose field answers a question about a thing called `name`, or None.

    A field answers by the role that the question asks for ("who leads", `Lead:`), by what only it
    can hold (a place for "where"), or by its key's own words.
    """
    asked = question.replace(name, " ")
    roles = frozenset(_roles(asked))
    kind = read_question(question).kind
    held = frozenset(s for word in asked_words(asked) for s in word_terms(word) for s in alike(s))

    def says_role(key: str) -> bool:
        return any(_is_role(key, role) for role in roles)

    def says_kind(key: str) -> bool:
        return _is_of_kind(key, kind, asked)

    def says_words(key: str) -> bool:
        return bool(stems_of(key)) and all(_is_like(stem, held) for stem in stems_of(key))

    for fits in (says_words, says_role, says_kind):
        for sheet in sheets:
            found = next((one for key, _, one in sheet.pairs if fits(key)), None)
            if found is not None:
                return found
    return None


def best_saying(
    question: str, name: str, *, sheets: Sequence[Sheet], terms: Sequence[QuestionTerm]
) -> Candidate | None:
    """Return the sentence that says most of what is asked of a thing, half of it at the least.

    It must hold the name, date or figure that the question wants.
    """
    wanted = asked_terms(question.replace(name, " "), terms)
    read = read_question(question)
    best: tuple[float, Candidate] | None = None
    for sentence in (one for sheet in sheets for one in sheet.sentences):
        said = share(wanted, covered(wanted, sentence.stems))
        fits = read.kind in (QuestionKind.OTHER, QuestionKind.YES_NO) or holds_answer(
            read, sentence.text
        )
        if fits and said >= _HALF and (best is None or said > best[0]):
            best = said, sentence
    return best[1] if best else None


def _is_like(key: str, held: frozenset[str]) -> bool:
    """Tell whether a stem is one of others or a longer form of one: assigne, assign."""
    if key in held:
        return True
    like = (one for one in held if len(one) >= _PREFIX)
    return any(one[:_PREFIX] == key[:_PREFIX] and one.isascii() for one in like)


def _roles(asked: str) -> Iterator[str]:
    """Yield the roles that the words of a question stand for."""
    table = cues(language_of(asked))
    pattern = re.compile(rf"(?<!\w)(?:{table.nouns})(?!\w)|(?<!\w)(?:{table.verbs})(?!\w)", re.I)
    if table.language == "ko":
        pattern = re.compile(rf"(?:{table.nouns})|(?:{table.verbs})")
    for match in pattern.finditer(asked):
        for role in (*table.chain(match.group())[-1:], table.doing(match.group())):
            if role and role not in _MANY:
                yield role


def _is_role(key: str, role: str) -> bool:
    """Tell whether the key of a field names a role, in whatever language."""
    bare = key.replace("_", " ")
    for language in LANGUAGES:
        held = cues(language).asked.get(role)
        named = cues(language).roles.get(role)
        if held is not None and held.fullmatch(bare):
            return True
        if named is not None and named.cue.fullmatch(bare):
            return True
    return False


def _is_of_kind(key: str, kind: QuestionKind, asked: str) -> bool:
    if kind is QuestionKind.PLACE or _CITY.search(asked):
        return bool(
            FIELDS[QuestionKind.PLACE].fullmatch(key)
            or things().kinds["city"].fields.fullmatch(key)
        )
    return False
