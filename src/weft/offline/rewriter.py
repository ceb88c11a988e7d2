"""The offline rule of the rewriting role: a follow-up stands as it is, beside what it goes on from.

Nothing is put into a question: what a pronoun means is left to the passages that speak of what was
spoken of last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from weft.agents.rewriting import PastTurn, Rewriting, RewrittenQuestion
from weft.agents.toolbox import RuleTools
from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.particles import agrees
from weft.language.patterns import pattern
from weft.language.terms import identifiers, plain
from weft.offline.evidence.values import dates
from weft.offline.question.names import spans_beside
from weft.offline.question.question import asked_words
from weft.offline.units.kinds import AskedKind, kind_of

_LONGEST = 2000
_ANSWER = 1500
_ABOUT = 300
_MOST_NAMES = 4
_MARK = pattern(r"\s*\[\d+\]")
_AUX = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would)"
)
# "those documents", "filter them", "their neighbours": what the last answer cited.
_POINTS = pattern(
    r"\b(?:of|among|filter|sort|list|show(?: me)?|summari[sz]e)\s+"
    r"(?:them|(?:those|these)(?!\s+(?:who|that|which|[a-z]{4,}s)\b))\b"
    r"|\b(?:(?:those|these|same|above|previous|last)\s+"
    r"(?:documents?|docs|files|pages|results|sources|issues|passages))\b"
    r"|\b(?:their|its)\s+(?:neighbou?rs?|links?|references?)\b"
    r"|(?:그|이|위)\s?(?:문서|파일|페이지|결과|이슈|자료)(?:들)?|그것들|이것들|그\s?중",
    re.IGNORECASE,
)
# With a capital amid a question it belongs to a name: "It Will Rain".
_PRONOUN = pattern(
    r"^(?:He|She|Its?|They|Their)\b"
    r"|\b(?:he|she|him|his|hers?|its?|they|them|theirs?|there)\b(?!['’])"
)
# What comes before a pronoun may be meant by it as well as anything said earlier.
_BEFORE = pattern(
    r"\b(?:the|an?|any|some|each|every)\s+[a-z]"
    r"|\b(?:that|when|if|while|because|before|after|as|so)\b",
    re.IGNORECASE,
)
# Whoever was asked for, and no thing of the last question.
_PERSON = pattern(r"\b(?:he|she|him|his|hers?)\b", re.IGNORECASE)
_OWNS = frozenset({"his", "her", "its", "their"})
# Whatever the question does with its own subject, "its" may be that one's; "it" is not.
_SUBJECT = pattern(rf"\b{_AUX}\s+(.+)$", re.IGNORECASE)
_QUOTED = pattern(r"[\"“«「‘][^\"”»」’]*[\"”»」’]")
# "it" and "there" that stand for nothing said before; what follows them in the question is meant.
_EMPTY = pattern(
    r"\b(?:is|was|will|would|does) (?:it|there) (?:be )?"
    r"(?:\w+ (?:to|for|that|when|if|whether)|called|said|true|necessary|ok)\b"
    r"|\bit (?:\w+ ){0,2}takes?\b|\bit (?:who|that)\b|\bit (?:is|was) (?:\w+ly )?\w+ (?:to|that)\b"
    r"|\b(?:that|which) (?:\w+ ){0,2}there\b"
    r"|\bthere (?:is|are|was|were|any|an?)\b|\b(?:is|are|was|were) there\b",
    re.IGNORECASE,
)
# "these boats", "is that", "and the ferry?".
_POINTING = pattern(
    r"\b(?:this|these|those)\s+[a-z]{3,}\b"
    rf"|\b(?:this|these|those)(?=\s+{_AUX}\b|\W*$)|\bthat(?=\W*$)|\b(?:then|so)(?=\W*$)"
    rf"|\b{_AUX}\s+(?:this|that|these|those)\b(?!\s+(?:who|that|which|from|of|in)\b)",
    re.IGNORECASE,
)
_PART = pattern(
    r"^(?:(?:and\s+)?(?:what|how) about|and|or|but)\s+(?:for\s+|with\s+)?.{1,80}?\s*\??$"
    rf"|^(?:그럼|그러면|그렇다면|그리고)?\s*.{{0,39}}[{SYLLABLES}][은는]"
    r"(?:요|\s*어때요?|\s*어떤가요|\s*어떻습니까)?\s*\?*$",
    re.IGNORECASE,
)
_ASKING = pattern(r"^(?:who|when|where|why|how(?:\s+\w+)?|by whom|since when)\b", re.IGNORECASE)
_KOREAN_POINTING = pattern(
    rf"(?<![{SYLLABLES}])(?:(?:그녀|그\s?사람|그\s?분|그|그것|이것|그거|이거)[은는가이를을의에게와도]*"
    rf"|그건|그게|이건|이게|(?:거기|그곳)[에서는은가이의를을]*|[그이]\s[{SYLLABLES}]+)(?=[\s?.,]|$)"
)
_KOREAN_TOPIC = pattern(rf"([\w.&-]*[\w{SYLLABLES}])([은는이가])(?=\s)")
_KOREAN_ASKING = pattern(r"누가|누구|언제|어디|무엇|무슨|뭐|왜|어떻게|몇|얼마|며칠|어느|어떤")


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question as it was asked; `points` when it speaks of the last answer's documents.

    `about` are words for what it goes on from, empty for a question of its own.
    """

    question: str
    points: bool = False
    about: str = ""


async def rewrite_offline(given: Rewriting, tools: RuleTools) -> RewrittenQuestion:
    """Return the message as it stands, with what it goes on from."""
    del tools
    found = follow_up(given.message, given.turns)
    question = found.question[:_LONGEST] or given.message
    return RewrittenQuestion(
        question=question, points_to_documents=found.points, about=found.about[:_ABOUT]
    )


def follow_up(message: str, turns: Sequence[PastTurn]) -> FollowUp:
    """Return a message with words for what it goes on from; `turns` are the oldest first."""
    text, about = message.strip(), ""
    for last, following in pairwise([*turns, PastTurn(question=text, answer="")]):
        about = _goes_on_from(
            following.question, replace(last, answer=last.answer[:_ANSWER]), about
        )
    points = bool(turns and turns[-1].question) and _POINTS.search(text) is not None
    return FollowUp(question=text, points=points, about="" if points else about)


def _goes_on_from(text: str, last: PastTurn, context: str) -> str:
    """Return words for what a question goes on from; `context` is what the last one went on from.

    What a part of a question leaves unsaid are all words of the last one.
    """
    leans = _leans_in_korean(text) if has_hangul(text) else _leans(text)
    if not text or not leans:
        return ""
    is_part = _PART.match(text) is not None
    given = () if is_part else _given(last)
    named = () if given and _PERSON.search(text) else _named(last)
    if is_part or not asked_words(text):
        named = _unless_replaced(asked_words(last.question), text)
    return " ".join(dict.fromkeys(filter(None, [*given, *named, *context.split()])))


def _named(last: PastTurn) -> Sequence[str]:
    """Return what the last question names, or all that it is about."""
    return _names_of(last.question) or asked_words(last.question)


def _unless_replaced(words: Sequence[str], text: str) -> list[str]:
    """Return the last question's words but those that a part puts another in the place of.

    That is a number of as many digits, and what stands beside a word that both have.
    """
    own = asked_words(text)
    lengths = {len(word) for word in own if word.isdigit()}
    beside = {_beside(words, word) for word in own if _beside(own, word)}
    return [
        word
        for word in words
        if word not in beside and not (word.isdigit() and len(word) in lengths)
    ]


def _beside(words: Sequence[str], word: str) -> str:
    """Return the word that follows another one, empty where none does."""
    return next((after for before, after in pairwise(words) if before == word), "")


def _given(last: PastTurn) -> Sequence[str]:
    """Return whom or what an answer names to a question that asked for that.

    Any other answer may name anything; a refusal quotes nothing.
    """
    asks_which = re.match(r"(?:which|what)\s+(?!is\b|are\b|was\b|were\b)", last.question, re.I)
    if kind_of(last.question) is not AskedKind.PERSON and not asks_which:
        return ()
    lines = last.answer.splitlines()
    marked = [line for line in lines if _MARK.search(line)]
    # An answer in a few words stands before the rows that it was worked out over.
    short = lines[: len(lines) - len(marked)] if marked == lines[len(lines) - len(marked) :] else []
    said = "\n".join(short[:1] or marked)
    known = plain(last.question)
    found = _names_of(_MARK.sub("", said))
    return [one for one in found if plain(one) not in known][:_MOST_NAMES]


def _names_of(text: str) -> tuple[str, ...]:
    """Return the names and identifiers of a text, no dates; nothing tells Korean names."""
    days = [(one.start, one.end) for one in dates(text)]
    return tuple(dict.fromkeys([*spans_beside(text, days), *identifiers(text)]))


def _leans(text: str) -> bool:
    """Tell whether an English question says by a word, or by what it lacks, that it goes on."""
    said = _EMPTY.sub(" ", text)
    if _is_open(said) or _POINTING.search(said) or _PART.match(said):
        return True
    return _ASKING.match(text) is not None and not asked_words(text)


def _is_open(text: str) -> bool:
    """Tell whether a question has a pronoun that may not stand for something in it."""
    first = _PRONOUN.search(_QUOTED.sub(lambda match: "_" * len(match[0]), text))
    if first is None:
        return False
    before = re.sub(r"^\W*(?:\w+\s+)?when\b", "", text[: first.start()], flags=re.IGNORECASE)
    if _names_of(before):
        return False
    word, own = first[0].lower(), _SUBJECT.search(before)
    if word in _OWNS and own and asked_words(own[1]):
        return False
    return word == "there" or not _BEFORE.search(before)


def _leans_in_korean(text: str) -> bool:
    """Tell whether a Korean question points back, or has no topic of its own."""
    if _KOREAN_POINTING.search(text) or _PART.match(text):
        return True
    topics = (
        stem
        for stem, particle in _KOREAN_TOPIC.findall(text)
        if agrees(stem, particle) and not _KOREAN_ASKING.search(stem)
    )
    return not any(topics)
