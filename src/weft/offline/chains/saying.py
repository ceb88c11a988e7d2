"""Whether what a question asks is said of the thing that it asks about.

A passage may hold all words of a question and still say nothing of it: the words must stand where
the name stands, with a date for "when" and a figure for "how many".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.terms import plain, word_terms, words
from weft.offline.chains.readings import Asked
from weft.offline.evidence.coverage import covered, occurs, share
from weft.offline.evidence.passages import Candidate, fields_of, stems_of
from weft.offline.question.question import Question, QuestionKind, holds_answer
from weft.retrieval.hits import QuestionTerm

# So much of what is asked must be said of the thing, or a sentence must be as near in meaning.
SAID = 0.3
# Who asks for one thing names it; who tells a story of it says most of it in other words.
MOST_WANTED = 4
TOGETHER = 0.6  # of what it and its title say together
NEAR = 0.7
# A sentence speaks of what the ones just before it name.
_BEFORE = 2
# A title that has so much of what is asked says what the sentences below are about.
_TITLED = 0.5
# "When" is answered by "at low tide" too, in a sentence that says most of the question.
_CONDITION = 0.5
_PLAIN = frozenset(
    {
        QuestionKind.NUMBER,
        QuestionKind.DATE,
        QuestionKind.PLACE,
        QuestionKind.PERSON,
        QuestionKind.OTHER,
    }
)
_MUST = frozenset({QuestionKind.NUMBER, QuestionKind.DATE})
# Keys of fields that say where, when and who without another word.
FIELDS = {
    QuestionKind.PLACE: re.compile(
        r"where|location|place|city|위치|장소|도시|지역|근무지", re.IGNORECASE
    ),
    QuestionKind.DATE: re.compile(r"when|date|날짜|일시|시기", re.IGNORECASE),
}
# A question that only a proper name answers, and one that does not begin a sentence.
_WANTS_NAME = re.compile(
    r"\bnames? of\b|\b(?:which|what) (?:company|firm|bank|business|organi[sz]ation|investor|"
    r"supplier|customer|carrier|agency|university|college|school|hospital)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z0-9,:&] )[A-Z][\w’'-]+|^[A-Z][\w'-]+(?= (?:[A-Z]|&))")
# Who writes of their own organisation rarely names it.
_OURS = re.compile(r"\b(?:we|our|us|ours)\b|우리|당사|저희", re.IGNORECASE)
# "류가온은 언제 …", "포털팀의 …": what a Korean question is about is marked, and stands first.
_TOPIC = re.compile(f"([{SYLLABLES}]{{2,}}?)(?: [{SYLLABLES}]+)?(?:은|는|의) ")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectAsked:
    """A question as a thing (`subject`, stems) and what is asked of it (`wanted`)."""

    subject: frozenset[str]
    wanted: tuple[QuestionTerm, ...]


def what_is_not_said(asked: Asked) -> tuple[str, ...]:
    """Return what a plain question asks of a thing, where nothing says it; empty where it is said.

    Questions that compare, or that go over several things, say nothing by this.
    """
    question = asked.question
    several = asked.plan.is_chain or len(asked.plan.ways) > 1 or question.asks != question.text
    if several or question.kind not in _PLAIN or question.is_compound:
        return ()
    asking = read_asking(asked)
    named = asking.subject or any(is_organisation(asked, name) for name in question.names)
    if not 0 < len(asking.wanted) <= MOST_WANTED or not (named or question.kind in _MUST):
        return ()
    if any(_says(asked, asking, sentence) for sentence in _about(asked, asking.subject)):
        return ()
    return tuple(dict.fromkeys(term.words[0] for term in asking.wanted if term.words))


def _says(asked: Asked, asking: SubjectAsked, sentence: Candidate) -> bool:
    """Tell whether a sentence says what is asked: by its words, its meaning, or a cue or field."""
    said = _said(asking, sentence, asked.desk.by_id[sentence.evidence_id].place)
    if not _can_answer(asked.question, sentence):
        return asked.question.kind is QuestionKind.DATE and said >= _CONDITION
    relation, field = asked.plan.relation, FIELDS.get(asked.question.kind)
    if relation and relation.cue and relation.cue.search(sentence.text):
        return True
    if field and any(field.fullmatch(key) for key in fields_of(sentence.text)):
        return True
    return said >= SAID or sentence.cosine >= NEAR


def _can_answer(question: Question, sentence: Candidate) -> bool:
    """Tell whether a sentence holds the date, the figure or the name that is asked for."""
    if question.kind in _MUST:
        return holds_answer(question, sentence.text)
    if _WANTS_NAME.search(question.text) is None:
        return True
    own = {plain(word) for word in words(question.text)}
    return any(plain(match.group()) not in own for match in _NAME.finditer(sentence.text))


def said_about(asked: Asked) -> dict[tuple[str, int, str], float]:
    """Return for sentences how much of what is asked they say of the thing, 0 to 1.

    Keys are the passage, the place in it and the words; sentences that say nothing are left out.
    """
    asking = read_asking(asked)
    found: dict[tuple[str, int, str], float] = {}
    if not asking.wanted:
        return found
    for sentence, near in _surrounded(asked, asking.subject):
        said = near * share(asking.wanted, covered(asking.wanted, _stems(sentence)))
        if said:
            found[sentence.evidence_id, sentence.place, sentence.text] = said
    return found


def read_asking(asked: Asked) -> SubjectAsked:
    """Return which of a question's words name the thing, and which say what is asked of it.

    Of Korean words with figures only years name something: the others count.
    """
    said = [way.name for way in asked.plan.ways]
    said = said or [
        name
        for name in asked.question.names
        if not has_hangul(name) and not is_organisation(asked, name)
    ]
    topic = _TOPIC.match(asked.question.text)
    said += [topic[1]] if topic and not said else []
    said += _YEAR.findall(asked.question.text)
    said += asked.question.codes
    subject = frozenset(
        stem for name in said for word in words(name) for stem in word_terms(plain(word))
    )
    return SubjectAsked(
        subject=subject,
        wanted=tuple(term for term in asked.terms if term.stem not in subject),
    )


def _about(asked: Asked, subject: frozenset[str]) -> Iterator[Candidate]:
    """Yield the sentences about a thing: it is named in them, just before, or where they stand."""
    return (sentence for sentence, near in _surrounded(asked, subject) if near == 1.0)


def _surrounded(asked: Asked, subject: frozenset[str]) -> Iterator[tuple[Candidate, float]]:
    """Yield the sentences with the share of a thing's name in them, just before or above."""
    for passage in asked.desk.passages:
        sentences = asked.desk.sentences(passage.evidence_id)
        for at, sentence in enumerate(sentences):
            here = passage.place.union(sentence.head, *_around(sentences, at))
            held = sum(occurs(stem, here) for stem in subject)
            yield sentence, held / len(subject) if subject else 1.0


def is_organisation(asked: Asked, name: str) -> bool:
    """Tell whether a name is that of whoever wrote the documents: it stands in several titles."""
    stems = frozenset(word_terms(plain(name)))
    bearing = {p.document for p in asked.desk.passages if stems <= stems_of(p.hit.evidence.title)}
    return len(bearing) > 1 and any(_OURS.search(p.hit.evidence.text) for p in asked.desk.passages)


def _around(sentences: Sequence[Candidate], at: int) -> list[frozenset[str]]:
    return [one.stems for one in sentences[max(0, at - _BEFORE) : at + 1]]


def _said(asking: SubjectAsked, sentence: Candidate, place: frozenset[str]) -> float:
    """Return how much of what is asked a sentence says, without what its title says already."""
    titled = covered(asking.wanted, place)
    if share(asking.wanted, titled) >= _TITLED:
        return 1.0
    left = [term for term in asking.wanted if term.stem not in titled] or asking.wanted
    whole = share(asking.wanted, titled | covered(asking.wanted, _stems(sentence)))
    return max(share(left, covered(left, _stems(sentence))), TOGETHER * whole)


def _stems(sentence: Candidate) -> frozenset[str]:
    return sentence.stems | sentence.head | stems_of(sentence.hit.evidence.section or "")
