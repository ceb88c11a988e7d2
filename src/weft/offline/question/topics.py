"""What a conversation spoke of last: its thing, its person, its place, found by rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from weft.agents.rewriting import PastTurn
from weft.language.hangul import SYLLABLES, is_syllable
from weft.language.months import MONTHS, WEEKDAYS
from weft.language.particles import agrees
from weft.language.terms import STOP_WORDS, plain
from weft.offline.question.question import QuestionKind, asked_words, read_question

_NAME = re.compile(
    r"(?<![\w/])[A-Z][\w’'&-]*(?:\.(?=\s[A-Z]))?"
    r"(?:\s+(?:(?:of|the|and|de|van|von|der|la)\s+){0,2}[A-Z0-9][\w’'&-]*(?:\.(?=\s[A-Z]))?)*"
)
_MARK = re.compile(r"\s*\[\d+\]")
_MONTH = re.compile(rf"^(?:{'|'.join([*MONTHS, *WEEKDAYS])})\b", re.I)
_ASKED = frozenset(
    """what which who whom whose when where why how is are was were do does did has have had can
    could will would should and or but name list tell show give""".split()
)
_OF = re.compile(r"\b(?:of|for|about|on|in|does|did|is|was|are|were)\s+([\w.+#-]+)\W*$", re.I)
_PLACE = re.compile(r"\b(?:in|at|near|from|to)\s+(?:the\s+)?([A-Z][\w’'-]*(?:\s+[A-Z][\w’'-]*)*)")
_KOREAN = re.compile(
    rf"((?:[{SYLLABLES}A-Za-z0-9]+\s){{0,2}}?[{SYLLABLES}A-Za-z0-9]+?)(은|는|이|가|을|를|의|에서|에)(?=[\s?.,]|$)"
)
_KOREAN_ASKING = re.compile(
    r"^(?:(?:그럼|그러면|그리고|누가|누구|언제|어디서|어디|무엇|무슨|왜|어떻게|몇|얼마나)\s*)+"
)
_KOREAN_PERSON = re.compile(
    rf"(?<![{SYLLABLES}])([{SYLLABLES}]{{2,8}}(?:\s[{SYLLABLES}]{{2,8}})?)(이|가|은|는)(?=\s)"
)
_KOREAN_PLACE = re.compile(rf"([{SYLLABLES}]{{2,}})(?:에서|에)(?=\s)")


def thing(turns: Sequence[PastTurn]) -> str:
    """Return what was asked about last, empty when nothing was."""
    return next((found for turn in reversed(turns) if (found := _topic(turn))), "")


def person(turns: Sequence[PastTurn]) -> str:
    """Return who was spoken of last: in an answer before in a question; else the thing."""
    for turn in reversed(turns):
        topic = _topic(turn)
        for name in _people(answer_text(turn)):
            if name not in topic and topic not in name:
                return name
        if _looks_like_person(topic):
            return topic
    return thing(turns)


def place(turns: Sequence[PastTurn]) -> str:
    """Return where it was last: a place that an answer gives to a question for it, else a thing."""
    for turn in reversed(turns):
        if read_question(turn.question).kind is QuestionKind.PLACE:
            text = answer_text(turn)
            match = _PLACE.search(text) or _KOREAN_PLACE.search(text)
            if match is not None:
                return match[1]
    return thing(turns)


def holding(turns: Sequence[PastTurn], noun: str) -> str:
    """Return the last name that ends with a noun: "the bridge" is the Harbour Bridge."""
    wanted = plain(noun)
    for turn in reversed(turns):
        for name in (_topic(turn), *names(turn.question), *names(answer_text(turn)), *turn.titles):
            parts = name.split()
            if len(parts) > 1 and plain(parts[-1]) == wanted:
                return name
    return ""


def names(text: str) -> tuple[str, ...]:
    """Return the capitalised names of a text, in order, without months and what begins it."""
    return tuple(dict.fromkeys(_names(text)))


def answer_text(turn: PastTurn) -> str:
    """Return a turn's answer without the numbers of its citations."""
    return _MARK.sub("", turn.answer)


def _names(text: str) -> Iterator[str]:
    for match in _NAME.finditer(text):
        parts = match.group().split()
        while parts and plain(parts[0]) in STOP_WORDS | _ASKED:
            parts.pop(0)
        name = re.sub(r"[’']s$", "", " ".join(parts))
        if name and not _MONTH.match(name) and not name.isdigit():
            yield name


def _topic(turn: PastTurn) -> str:
    question = turn.question
    phrases = read_question(question).phrases
    if phrases:
        return phrases[0]
    titled = [title for title in turn.titles if title and title.casefold() in question.casefold()]
    if titled:
        return max(titled, key=len)
    if any(is_syllable(char) for char in question):
        return _korean_topic(question)
    named = names(question)
    if named:
        return max(named, key=lambda name: len(name.split()))
    match = _OF.search(question)
    if match is not None and plain(match[1]) not in STOP_WORDS | _ASKED:
        return match[1]
    return turn.titles[0] if len(set(turn.titles)) == 1 else ""


def _korean_topic(question: str) -> str:
    asked = _KOREAN_ASKING.sub("", question.strip())
    for match in _KOREAN.finditer(asked):
        stem, particle = match[1].strip(), match[2]
        if agrees(stem, particle) and not _KOREAN_ASKING.match(stem):
            return stem
    said = asked_words(asked)
    return said[0] if said else ""


def _people(text: str) -> Iterable[str]:
    for name in names(text):
        if _looks_like_person(name):
            yield name
    for match in _KOREAN_PERSON.finditer(text):
        if agrees(match[1], match[2]):
            yield match[1]


def _looks_like_person(name: str) -> bool:
    parts = name.split()
    held = not any(char.isdigit() for char in name) and " of " not in f" {name} "
    return (
        held and 2 <= len(parts) <= 4 and all(part[0].isupper() or len(part) <= 3 for part in parts)
    )
