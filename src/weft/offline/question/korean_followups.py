"""Korean follow-up questions: which go on from the last turn, and which can be made whole."""

from __future__ import annotations

import re

from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.particles import agrees
from weft.offline.question.korean_topics import korean_phrases, korean_subject
from weft.offline.question.topics import LastTurn

_BEGINS = rf"(?<![{SYLLABLES}])"
_ENDS = r"(?=[\s?.,]|$)"
_PERSON = re.compile(
    rf"{_BEGINS}(?:그녀|그\s?사람|그\s?분|그)(은|는|가|이|를|을|의|에게|와|도){_ENDS}"
)
_THING = re.compile(
    rf"{_BEGINS}(?:(?:그것|이것|그거|이거)(은|는|이|가|을|를|의|에|도|과|와)?{_ENDS}|(그건|그게|이건|이게)(?=\s))"
)
_PLACE = re.compile(rf"{_BEGINS}(?:거기|그곳)(?:에서|서|에|는|은|가|이|의|를|을)?{_ENDS}")
_POINTED = re.compile(rf"{_BEGINS}(?:그|이)\s([{SYLLABLES}]+)")
_SHORT = {"그건": "은", "이건": "은", "그게": "이", "이게": "이"}
_ABOUT = re.compile(
    r"^(?:그럼|그러면|그렇다면|그리고)?\s*(.{1,40}?)[은는](?:요|\s*어때요?|\s*어떤가요|\s*어떻습니까)?\s*\?*$"
)
_TWINS = dict(zip("은이을과는가를와", "는가를와은이을과", strict=True))


def leans_in_korean(text: str) -> bool:
    """Tell whether a question points back, or has no topic of its own."""
    if any(pattern.search(text) for pattern in (_PERSON, _THING, _PLACE, _POINTED)):
        return True
    return not korean_subject(text) or is_part_in_korean(text)


def is_part_in_korean(text: str) -> bool:
    """Tell whether a message is no more than a topic: "and in winter?"."""
    return has_hangul(text) and _ABOUT.match(text) is not None


def whole_in_korean(text: str, last: LastTurn) -> str:
    """Return a question made whole, empty where that is not sure."""
    people, subject = last.people, korean_subject(last.question)
    found = _named(_PERSON, people[0] if len(people) == 1 else "", text)
    found = _named(_THING, "" if people else subject, found)
    found = _POINTED.sub(lambda match: _ending(match[1], last) or match[0], found)
    if found != text:
        return found
    about = _ABOUT.match(text)
    points = any(pattern.search(text) for pattern in (_PERSON, _THING, _PLACE, _POINTED))
    # "In winter" takes the place of another time, and which that is nothing tells.
    if about is None or points or not subject or about[1].endswith("에"):
        return ""
    before, _, after = last.question.partition(subject)
    return before + _fitted(about[1].strip(), after)


def _named(pattern: re.Pattern[str], name: str, text: str) -> str:
    def named(match: re.Match[str]) -> str:
        particle = next((one for one in match.groups() if one), "")
        return _fitted(name, _SHORT.get(particle, particle)) if name else match[0]

    return pattern.sub(named, text)


def _ending(pointed: str, last: LastTurn) -> str:
    """Return the phrase of the last question that ends with the noun which is pointed at."""
    for phrase in korean_phrases(last.question):
        for end in [*(one.start() for one in re.finditer("의 ", phrase.text)), len(phrase.text)]:
            words = phrase.text[:end].split()
            if len(words) > 1 and pointed.startswith(words[-1]):
                return phrase.text[:end] + pointed[len(words[-1]) :]
    return ""


def _fitted(name: str, after: str) -> str:
    """Return a name and what follows it, the particle fitted to the name's last sound."""
    if after and after[0] in _TWINS and not agrees(name, after[0]):
        return name + _TWINS[after[0]] + after[1:]
    return name + after
