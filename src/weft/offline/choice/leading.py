"""Whether a sentence answers the plainer question that was asked in place of another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.domain.notes import note
from weft.language.hangul import SYLLABLES
from weft.offline.evidence.coverage import asked_terms, covered, share
from weft.offline.evidence.found import FoundEvidence, PlainerQuestion, PlainerQuestions
from weft.offline.evidence.passages import place_stems, stems_of
from weft.offline.question.descriptions import PARTICLE
from weft.offline.question.names import key_of, tokens
from weft.offline.question.question import QuestionKind, asked_words, holds_answer, read_question
from weft.offline.question.roles import language_of
from weft.offline.question.things import things
from weft.offline.units.read_unit import is_row
from weft.retrieval.hits import Hit

_MOST = 0.7
_WHO = re.compile(
    rf"^who (?:is|was) [A-Z][\w’.-]*(?:\s[A-Z][\w’.-]*)*\s?\?*$"
    rf"|^[{SYLLABLES}]{{2,4}}[은는이가] 누구",
    re.IGNORECASE,
)
_WHO_IS = re.compile(
    r"\b(?:is|was|the|name|of|called)\b|이름|누구인가요|무엇인가요|입니까|인가요", re.IGNORECASE
)


def answers(attempt: PlainerQuestion, hit: Hit, *, text: str) -> bool:
    """Tell whether a sentence speaks of what a plainer question is about, and of what it asks.

    A title says nothing more.
    """
    evidence = hit.evidence
    if key_of(text) == key_of(evidence.title):
        return False
    if (evidence.knowledge_base, evidence.document_id) not in attempt.about:
        said = " ".join(token.key for token in tokens(f"{text} {evidence.title}"))
        if f" {key_of(attempt.name)} " not in f" {said} ":
            return False
    asked = read_question(attempt.question)
    wanted = asked_terms(without(attempt.question, attempt.name), attempt.found.terms)
    held = covered(wanted, stems_of(text) | place_stems(hit))
    if not wanted or share(wanted, held) > 0.0:
        return True
    kinds = (QuestionKind.DATE, QuestionKind.NUMBER, QuestionKind.PLACE)
    # The labels of a row say what its values are: a day of joining is no day of birth.
    return asked.kind in kinds and not is_row(hit) and holds_answer(asked, text)


def says_only_that(plainer: PlainerQuestions) -> bool:
    """Tell whether a plainer question asks nothing more than what its steps have said."""
    if not plainer.tries or not plainer.names:
        return False
    rest = without(plainer.tries[0].question, plainer.names[-1])
    return not asked_words(_WHO_IS.sub(" ", rest))


def without(question: str, name: str) -> str:
    """Return a question without a name and the Korean particle behind it."""
    return re.sub(rf"{re.escape(name)}(?:{PARTICLE}(?=\s))?", " ", question)


def asks_kind(plainer: PlainerQuestions) -> bool:
    """Tell whether a plainer question asks which team, office or the like its thing is of."""
    rest = without(plainer.tries[0].question, plainer.tries[0].name) if plainer.tries else ""
    return any(things().kind(word) is not None for word in asked_words(rest))


def says_most(question: str, book: FoundEvidence, *, said: Sequence[str]) -> bool:
    """Tell whether one of some sentences holds nearly all that a question asks."""
    wanted = asked_terms(question, book.terms)
    return any(share(wanted, covered(wanted, stems_of(one))) >= _MOST for one in said)


def failed_text(question: str, plainer: PlainerQuestions) -> str:
    """Return in the question's language which description fits nothing, and what was found."""
    said = language_of(question)
    if not plainer.names:
        return note("unfound", language=said, words=plainer.failed)
    return note("unfound_beyond", language=said, name=plainer.names[-1], words=plainer.failed)


def asks_who(question: str) -> bool:
    """Tell whether a question asks who somebody is and nothing more."""
    return _WHO.match(question) is not None


def unsaid(plainer: PlainerQuestions) -> tuple[str, ...]:
    """Return the words that a plainer question asks of a thing and no document says of it."""
    first = plainer.tries[0]
    return asked_words(without(first.question, first.name)) or (first.name,)


def unsaid_text(question: str, plainer: PlainerQuestions) -> str:
    """Return in the question's language how far its descriptions led."""
    words = ", ".join(f"“{one}”" for one in unsaid(plainer)[:5])
    name = plainer.tries[0].name
    return note("unsaid", language=language_of(question), name=name, words=words)
