"""The phrases of a Korean text by their particles: its subject, and who is named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from weft.language.hangul import SYLLABLES
from weft.language.particles import ROLES, agrees
from weft.offline.question.question import QuestionKind, read_question

_WORD = re.compile(rf"[\w.&-]*[{SYLLABLES}][\w.&-]*|[\w.&-]+")
_ENDING = re.compile(
    r"(?P<stem>.+?)(?P<particle>에서는|에서|에는|은|는|이|가|을|를|에)$"
    r"|(?P<is>.{2,}?)(?P<copula>입니다|이다|였습니다|이었습니다)$"
)
_ASKS = re.compile(r"누가|누구|언제|어디|무엇|무슨|뭐|왜|어떻게|몇|얼마|며칠|어느|어떤")
_MAIN = {*ROLES["topic"], "이", "가"}


@dataclass(frozen=True, slots=True, kw_only=True)
class KoreanPhrase:
    """A phrase without its particle, and that particle or the copula."""

    text: str
    particle: str


def korean_phrases(text: str) -> Iterator[KoreanPhrase]:
    """Yield the phrases of a text: words up to one with a particle or the copula."""
    before: list[str] = []
    for word in _WORD.findall(text):
        match = _ENDING.match(word)
        stem = (match["stem"] or match["is"]) if match else ""
        particle = (match["particle"] or match["copula"]) if match else ""
        if stem and agrees(stem, particle[0]):
            yield KoreanPhrase(text=" ".join([*before, stem]), particle=particle)
            before = []
        else:
            before.append(word)


def korean_subject(question: str) -> str:
    """Return the phrase that a question makes its topic or subject, empty without one."""
    for phrase in korean_phrases(question):
        if phrase.particle in _MAIN and not _ASKS.search(phrase.text):
            return phrase.text
    return ""


def korean_people(question: str, said: str) -> tuple[str, ...]:
    """Return who is named by what was said to a question for a person."""
    if read_question(question).kind is not QuestionKind.PERSON:
        return ()
    given = (
        phrase.text
        for phrase in korean_phrases(said)
        if phrase.particle in {"이", "가"} or phrase.particle.endswith("다")
    )
    return tuple(dict.fromkeys(one for one in given if one not in question and len(one) > 1))
