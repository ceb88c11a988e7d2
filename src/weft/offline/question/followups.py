"""Follow-up questions made whole by rules: pronouns and ellipsis to what was spoken of last."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from weft.agents.rewriting import PastTurn
from weft.language.hangul import SYLLABLES, is_syllable
from weft.language.particles import agrees
from weft.language.terms import STOP_WORDS, plain
from weft.offline.question.topics import holding, names, person, place, thing

# "those documents", "filter them", "their neighbours": what the last answer cited.
_POINTS = re.compile(
    r"\b(?:those|these)\b(?!\s+(?:people|days))|\b(?:of|among|filter|sort|list|show)\s+them\b"
    r"|\b(?:(?:the|those|these|same|above|previous|last)\s+"
    r"(?:documents?|docs|files|pages|results|sources|issues|passages))\b"
    r"|\b(?:their|its)\s+(?:neighbou?rs?|links?|references?)\b|\bwhich of (?:them|those|these)\b"
    r"|(?:그|이|위)\s?(?:문서|파일|페이지|결과|이슈|자료)(?:들)?|그것들|이것들|그\s?중",
    re.I,
)
_PERSON = frozenset({"he", "she", "him", "his", "her", "hers"})
_PRONOUN = re.compile(r"\b(he|she|him|his|hers?|its?|they|them|theirs?|there)\b(?!['’])", re.I)
_BARE = re.compile(
    r"\b(this|that)\b(?=\s+(?:is|was|are|were|do|does|did|has|had|cost)\b|\W*$)", re.I
)
_POINTED = re.compile(r"\b(?:this|that|the|these|those)\s+([a-z]{3,})\b")
_EMPTY_IT = re.compile(
    r"\b(?:is|was) it (?:true|possible|necessary|allowed|likely|important|ok)\b|\bdoes it take\b"
    r"|\bthere (?:is|are|was|were|any|a)\b|\b(?:is|are|was|were) there\b",
    re.I,
)
# "her" before these is not a possessive.
_NO_OWN = STOP_WORDS | {"born", "die", "live", "work", "today", "now"}
_ABOUT = re.compile(
    r"^(?:and|what about|how about|and what about|or|but)\s+(?:for\s+|with\s+)?(.{1,80}?)\s*\??$",
    re.I,
)
_BARE_WH = re.compile(
    r"^(?:and\s+|but\s+)?(who|when|where|why|how|how many|how much|how long|by whom|since when)"
    r"(?:\s+exactly)?\s*\??$",
    re.I,
)
_LEADING_WH = re.compile(
    r"^(?:who|whom|what|when|where|why|which|how(?:\s+(?:many|much|long))?)\b\s*", re.I
)
_KO_PERSON = re.compile(
    rf"(?<![{SYLLABLES}])(?:그녀|그\s사람|그\s분|그)(은|는|가|이|를|을|의|에게|와|도)(?=[\s?.,]|$)"
)
_KO_THING = re.compile(
    rf"(?<![{SYLLABLES}])(?:그것|이것|그거|이거)(은|는|이|가|을|를|의|에|도|과|와|랑)?(?=[\s?.,]|$)|(?<![{SYLLABLES}])(그건|그게|이건|이게)(?=\s)"
)
_KO_PLACE = re.compile(
    rf"(?<![{SYLLABLES}])(?:거기|그곳|저기)(에서|서|에|는|가|의|를)?(?=[\s?.,]|$)"
)
_KO_ABOUT = re.compile(
    r"^(?:그럼|그러면|그렇다면|그리고)?\s*(.{1,40}?)(?:은|는)(?:요|\s*어때요?|\s*어떤가요|\s*어떻습니까)?\s*\?*$"
)
_KO_WH = re.compile(
    r"^(?:그럼\s+|그런데\s+)?(언제|누가|어디서|어디|왜|어떻게|얼마나|몇)(?:요|예요|인가요|죠)?\s*\?*$"
)
_KO_ASKED = re.compile(r"언제|누가|어디서|어디|왜|어떻게|얼마나")
_KO_SHORT = {"그건": "은", "이건": "은", "그게": "이", "이게": "이"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question as it stands alone; `points` when it speaks of the last answer's documents."""

    question: str
    points: bool = False


def rewrite(message: str, turns: Sequence[PastTurn]) -> FollowUp:
    """Return a message as a question that needs no conversation to be understood.

    `turns` are those before it, the oldest first, as they were asked: each is made whole by the
    ones before it. Without turns, and where no rule fits, the message stays as it is.
    """
    whole: list[PastTurn] = []
    for turn in turns:
        whole.append(replace(turn, question=_rewritten(turn.question, whole).question))
    return _rewritten(message, whole)


def _rewritten(message: str, turns: Sequence[PastTurn]) -> FollowUp:
    text = message.strip()
    if not turns or not text:
        return FollowUp(question=text)
    if _POINTS.search(text):
        return FollowUp(question=text, points=True)
    rules = _KOREAN_RULES if any(is_syllable(char) for char in text) else _ENGLISH_RULES
    for rule in rules:
        found = rule(text, turns)
        if found and found != text:
            return FollowUp(question=found[:2000])
    return FollowUp(question=text)


def _bare_wh(text: str, turns: Sequence[PastTurn]) -> str:
    """ "When?" asks the last question again, with another question word."""
    match = _BARE_WH.match(text)
    if match is None:
        return ""
    rest = _LEADING_WH.sub("", turns[-1].question).rstrip(" ?")
    return f"{match[1].capitalize()} {rest}?"


def _about(text: str, turns: Sequence[PastTurn]) -> str:
    """ "And X?" asks the last question again, of another thing."""
    match = _ABOUT.match(text)
    if match is None or _PRONOUN.fullmatch(match[1].strip()):
        return ""
    return _exchanged(turns, match[1].strip())


def _exchanged(turns: Sequence[PastTurn], new: str) -> str:
    last, old = turns[-1].question, thing(turns)
    if not old or old.casefold() not in last.casefold():
        return ""
    new = re.sub(r"^the\s+", "", new, flags=re.I)
    return re.sub(re.escape(old), lambda _: new, last, count=1, flags=re.I)


def _pronouns(text: str, turns: Sequence[PastTurn]) -> str:
    """Put names in the place of pronouns."""
    if _EMPTY_IT.search(text):
        return ""

    def named(match: re.Match[str]) -> str:
        word = match[1].lower()
        rest = text[match.end() :].replace("?", " ? ").split()
        owns = word in {"his", "its", "their"} or (
            word == "her" and bool(rest) and rest[0].isalpha() and plain(rest[0]) not in _NO_OWN
        )
        name = _name_for(word, turns)
        if not name:
            return match[0]
        return f"{name}'s" if owns else f"in {name}" if word == "there" else name

    found = _PRONOUN.sub(named, text)
    return _BARE.sub(lambda match: thing(turns) or match[0], found)


def _name_for(word: str, turns: Sequence[PastTurn]) -> str:
    if word in _PERSON:
        return person(turns)
    return place(turns) if word == "there" else thing(turns)


def _pointed(text: str, turns: Sequence[PastTurn]) -> str:
    """Put the whole name in the place of "the bridge"."""
    if names(text):
        return ""

    def named(match: re.Match[str]) -> str:
        return holding(turns, match[1]) or match[0]

    return _POINTED.sub(named, text)


def _korean_wh(text: str, turns: Sequence[PastTurn]) -> str:
    match = _KO_WH.match(text)
    last = turns[-1].question
    if match is None or not _KO_ASKED.search(last):
        return ""
    return _KO_ASKED.sub(match[1], last, count=1)


def _korean_about(text: str, turns: Sequence[PastTurn]) -> str:
    match = _KO_ABOUT.match(text)
    if match is None or _KO_PERSON.match(text) or _KO_THING.match(text) or _KO_PLACE.match(text):
        return ""
    new, old, last = match[1].strip(), thing(turns), turns[-1].question
    if not new or not old or old not in last:
        return ""
    before, _, after = last.partition(old)
    return before + _with_particle(new, after)


def _with_particle(name: str, after: str) -> str:
    """Return a name and what follows it, the particle fitted to the name's last sound."""
    pairs = {"은": "는", "이": "가", "을": "를", "과": "와"}
    twins = {**pairs, **{open_: closed for closed, open_ in pairs.items()}}
    if after and after[0] in twins and not agrees(name, after[0]):
        return name + twins[after[0]] + after[1:]
    return name + after


def _korean_pronouns(text: str, turns: Sequence[PastTurn]) -> str:
    def with_name(find: Callable[[Sequence[PastTurn]], str]) -> Callable[[re.Match[str]], str]:
        def named(match: re.Match[str]) -> str:
            name = find(turns)
            particle = next((one for one in match.groups() if one), "")
            return _with_particle(name, _KO_SHORT.get(particle, particle)) if name else match[0]

        return named

    text = _KO_PERSON.sub(with_name(person), text)
    text = _KO_THING.sub(with_name(thing), text)
    return _KO_PLACE.sub(with_name(place), text)


_ENGLISH_RULES = (_bare_wh, _about, _pronouns, _pointed)
_KOREAN_RULES = (_korean_wh, _korean_pronouns, _korean_about)
