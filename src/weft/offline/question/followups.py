"""Follow-up questions made whole by rules, where that is sure; else what they go on from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from weft.agents.rewriting import PastTurn
from weft.language.hangul import has_hangul
from weft.language.terms import STOP_WORDS, plain
from weft.offline.question.korean_followups import (
    is_part_in_korean,
    leans_in_korean,
    whole_in_korean,
)
from weft.offline.question.question import asked_words
from weft.offline.question.topics import AUX, LastTurn, named_in, said_in

# "those documents", "filter them", "their neighbours": what the last answer cited.
_POINTS = re.compile(
    r"\b(?:of|among|filter|sort|list|show(?: me)?|summari[sz]e)\s+"
    r"(?:them|(?:those|these)(?!\s+(?:who|that|which|[a-z]{4,}s)\b))\b"
    r"|\b(?:(?:those|these|same|above|previous|last)\s+"
    r"(?:documents?|docs|files|pages|results|sources|issues|passages))\b"
    r"|\b(?:their|its)\s+(?:neighbou?rs?|links?|references?)\b"
    r"|(?:그|이|위)\s?(?:문서|파일|페이지|결과|이슈|자료)(?:들)?|그것들|이것들|그\s?중",
    re.I,
)
# With a capital amid a question it belongs to a name: "It Will Rain".
_PRONOUN = re.compile(
    r"^(?:He|She|Its?|They|Their)\b"
    r"|\b(?:he|she|him|his|hers?|its?|they|them|theirs?|there)\b(?!['’])"
)
_PERSON = frozenset({"he", "she", "him", "his", "her", "hers"})
_MANY = frozenset({"they", "them", "their", "theirs"})
# What comes before a pronoun may be meant by it as well as anything said earlier.
_BEFORE = re.compile(
    r"\b(?:the|an?|any|some|each|every)\s+[a-z]"
    r"|\b(?:that|when|if|while|because|before|after|as|so)\b",
    re.I,
)
# Whatever the question does with its own subject, "its" may be that one's; "it" is not.
_SUBJECT = re.compile(rf"\b{AUX}\s+(.+)$", re.I)
_OWNS = frozenset({"his", "her", "its", "their"})
_QUOTED = re.compile(r"[\"“«「‘][^\"”»」’]*[\"”»」’]")
# "it" and "there" that stand for nothing said before; what follows them in the question is meant.
_EMPTY = re.compile(
    r"\b(?:is|was|will|would|does) (?:it|there) (?:be )?"
    r"(?:\w+ (?:to|for|that|when|if|whether)|called|said|true|necessary|ok)\b"
    r"|\bit (?:\w+ ){0,2}takes?\b|\bit (?:who|that)\b|\bit (?:is|was) (?:\w+ly )?\w+ (?:to|that)\b"
    r"|\b(?:that|which) (?:\w+ ){0,2}there\b"
    r"|\bthere (?:is|are|was|were|any|an?)\b|\b(?:is|are|was|were) there\b",
    re.I,
)
# "the bridge" and "this bridge" where the Harbour Bridge was spoken of; "that" is a clause's too.
_NOUN = re.compile(rf"\b(this|these|those|the)\s+([a-z]{{3,}})\b(?!\s+(?!{AUX}\b|in\b|at\b)[a-z])")
_POINTED = re.compile(r"\b(?:this|these|those)\s+[a-z]{3,}\b", re.I)
_BARE = re.compile(
    rf"\b(?:this|these|those)(?=\s+{AUX}\b|\W*$)|\bthat(?=\W*$)|\b(?:then|so)(?=\W*$)|"
    rf"\b{AUX}\s+(?:this|that|these|those)\b(?!\s+(?:who|that|which|from|of|in)\b)",
    re.I,
)
# "her" before these is not a possessive.
_NO_OWN = STOP_WORDS | {"born", "die", "live", "work", "today", "now"}
_ABOUT = re.compile(
    r"^(?:and\s+what about|what about|how about|and|or|but)\s+(?:for\s+|with\s+)?(.{1,80}?)\s*\??$",
    re.I,
)
_ASKING = re.compile(r"^(?:who|when|where|why|how(?:\s+\w+)?|by whom|since when)\b", re.I)
# Only these may be exchanged for each other and leave a question whole.
_ADVERB = re.compile(
    r"^(?:and\s+|but\s+)?(when|where|why|how)(?:\s+(?:exactly|not|so))?\s*\??$", re.I
)
_AFTER_ADVERB = re.compile(rf"^(?:(?:when|where|why|how)\s+)?({AUX}\b.*)$", re.I)
_WHICH = re.compile(rf"^((?:which|what)\s+(?!{AUX}\b)[\w\s-]+?)(?=\s+{AUX}\b|\W*$)", re.I)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_LAST_NOUN = re.compile(r"\b(?:of|for|about)\s+([\w.+#-]+)\W*$", re.I)
_INTRODUCED = re.compile(r"^(?:the|an?|in|at|from|for|of)\s+", re.I)
_LONGEST = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question as it stands alone; `points` when it speaks of the last answer's documents.

    `about` are words for what it goes on from, where it could not be made whole for sure.
    """

    question: str
    points: bool = False
    about: str = ""


def rewrite(message: str, turns: Sequence[PastTurn]) -> FollowUp:
    """Return a message as a question that needs no conversation to be understood, if that is sure.

    `turns` are those before it, the oldest first, as they were asked: each is made whole by the
    ones before it. It is sure where one name or noun phrase of the last turn alone can be meant,
    and this is put in whole. Without turns, and for a question of its own, nothing changes.
    """
    last: LastTurn | None = None
    for turn in turns:
        before = _followed(turn.question, last)
        last = LastTurn(
            question=before.question, said=said_in(turn), titles=turn.titles, context=before.about
        )
    return _followed(message, last)


def _followed(message: str, last: LastTurn | None) -> FollowUp:
    text = message.strip()
    if last is None or not text or not last.question:
        return FollowUp(question=text)
    if _POINTS.search(text):
        return FollowUp(question=text, points=True)
    korean = has_hangul(text)
    found = whole_in_korean(text, last) if korean else _whole(text, last)
    if found:
        return FollowUp(question=found[:_LONGEST])
    if not (leans_in_korean(text) if korean else _leans(text)):
        return FollowUp(question=text)
    if asked_words(text) and not _ABOUT.match(text) and not is_part_in_korean(text):
        return FollowUp(question=text, about=last.about)
    # What a part of a question leaves unsaid are all words of the last one.
    left = dict.fromkeys([*asked_words(last.question), *last.context.split()])
    return FollowUp(question=text, about=" ".join(left))


def _leans(text: str) -> bool:
    """Tell whether an English question says by a word, or by what it lacks, that it goes on."""
    said = _EMPTY.sub(" ", text)
    if _open_pronouns(said) or any(one.search(said) for one in (_POINTED, _BARE, _ABOUT)):
        return True
    return _ASKING.match(text) is not None and not asked_words(text)


def _open_pronouns(text: str) -> list[re.Match[str]]:
    """Return the pronouns of a question, unless the first may stand for something in it."""
    found = list(_PRONOUN.finditer(_QUOTED.sub(lambda match: "_" * len(match[0]), text)))
    before = re.sub(
        r"^\W*(?:\w+\s+)?when\b", "", text[: found[0].start()] if found else "", flags=re.I
    )
    if not found or named_in(before):
        return []
    word, own = found[0][0].lower(), _SUBJECT.search(before)
    if word in _OWNS and own and asked_words(own[1]):
        return []
    return [] if word != "there" and _BEFORE.search(before) else found


def _whole(text: str, last: LastTurn) -> str:
    """Return an English question made whole, empty where that is not sure."""
    if adverb := _ADVERB.match(text):
        rest = _AFTER_ADVERB.match(last.question)
        return f"{adverb[1].capitalize()} {rest[1][:1].lower()}{rest[1][1:]}" if rest else ""
    if about := _ABOUT.match(text):
        return _exchanged(about[1].strip(), last.question)
    if _BARE.search(text) or _EMPTY.search(text):
        return ""
    found = _NOUN.sub(lambda match: _ending(match[2], last) or match[0], text)
    pronouns = _open_pronouns(found)
    names = {_name_for(match[0].lower(), last) for match in pronouns}
    if len(names) > 1 or "" in names:
        return ""
    for match in reversed(pronouns):
        found = found[: match.start()] + _put(match, min(names), found) + found[match.end() :]
    return found if found != text else ""


def _put(match: re.Match[str], name: str, text: str) -> str:
    word, rest = match[0].lower(), text[match.end() :].replace("?", " ? ").split()
    owns = word in {"his", "its", "their"} or (
        word == "her" and bool(rest) and rest[0].isalpha() and plain(rest[0]) not in _NO_OWN
    )
    if owns:
        return f"{name}'" if _is_plural(name) else f"{name}'s"
    return f"in {name}" if word == "there" else name


def _name_for(word: str, last: LastTurn) -> str:
    """Return what alone a pronoun may stand for, empty where there are several or none."""
    if word == "there":
        return last.place
    people, subject = last.people, last.subject
    if word in _PERSON:
        return people[0] if len(people) == 1 else ""
    if not subject or subject in people or (word in _MANY and last.asks_who and people):
        return ""
    return subject if _is_plural(subject) == (word in _MANY) else ""


def _is_plural(phrase: str) -> bool:
    head = phrase.split()[-1]
    return head.islower() and head.isalpha() and re.search(r"[^sui]s$", head) is not None


def _ending(noun: str, last: LastTurn) -> str:
    words = last.subject.split()
    return last.subject if len(words) > 1 and plain(words[-1]) == plain(noun) else ""


def _exchanged(new: str, asked: str) -> str:
    """Return the last question asked of another thing, empty unless just one is of its kind."""
    years, year = _YEAR.findall(asked), _YEAR.search(new)
    if year and len(years) == 1:
        return asked.replace(years[0], year[0])
    which, other = _WHICH.match(asked), _WHICH.match(new)
    if which and other and other[1] == new:
        return f"{new[:1].upper()}{new[1:]}{asked[which.end() :]}"
    bare = _INTRODUCED.sub("", new)
    words = bare.split()
    old: Sequence[str] = ()
    if named_in(f"of {bare}") == (bare,):
        old = named_in(asked)
    elif len(words) == 2:
        # "the group cdrom" is like "the group dialout".
        like = rf"\b{re.escape(words[0])}\s+[\w-]+|[\w-]+\s+{re.escape(words[1])}\b"
        pairs = re.findall(like, asked, re.I)
        old = [one for one in pairs if not {plain(word) for word in one.split()} & STOP_WORDS]
    elif len(words) == 1:
        old = _LAST_NOUN.findall(asked)
    return asked.replace(old[0], bare) if len(old) == 1 and asked.count(old[0]) == 1 else ""
