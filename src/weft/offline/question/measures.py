"""What a question counts or measures, and whether a sentence gives a figure of just that.

"How many desks" is answered by "84 desks" or "desks: 84", "며칠" by "20일", "how long" by "two
weeks": a figure of something else is no answer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from weft.language.hangul import SYLLABLES
from weft.language.numerals import KOREAN_PATTERN, WRITTEN_PATTERN
from weft.language.terms import plain, word_terms, words
from weft.offline.question.question import alike

_WRITTEN = rf"{WRITTEN_PATTERN}|half|several|no"
_FIGURE = re.compile(rf"(?<![\w.-])(?:\d[\d,.]*|{_WRITTEN})(?![\w])", re.IGNORECASE)
_MANY = re.compile(
    r"\bhow many\s+(?:of (?:the|our|its|their)\s+)?((?:[\w-]+\s*){1,4})", re.IGNORECASE
)
_STOP = re.compile(
    r"(?:do|does|did|is|are|was|were|has|have|had|can|could|may|must|will|would|should|get|got|of|"
    r"in|on|at|per|within|for|to|from|the|an?)",
    re.IGNORECASE,
)
_TIME = r"(?:year|month|week|day|hour|minute|second|working day)s?"
_SUM = r"euros?|eur|dollars?|usd|pounds?|gbp|won|krw|yen|francs?|crowns?|cents?"
_SIGNED = r"(?:[€$£₩]|\b(?:EUR|USD|GBP|KRW|CHF|JPY))\s?\d"
_LENGTH = r"(?:met(?:re|er)s?|kilomet(?:re|er)s?|km|miles?|feet|inch(?:es)?|cm|mm|m)"
_ENGLISH = (
    (
        re.compile(r"\bhow long\b", re.I),
        rf"{_TIME}|{_LENGTH}|characters?|letters?|words?|pages?|lines?",
    ),
    (re.compile(r"\bhow old\b", re.I), r"years?|aged?"),
    (re.compile(r"\bhow (?:far|tall|high|wide|deep)\b", re.I), _LENGTH),
    (
        re.compile(
            r"\bhow much money\b|\b(?:costs?|salary|price|revenue|turnover|fee|rent|budget)\b", re.I
        ),
        _SUM,
    ),
    (
        re.compile(
            r"\bhow much (?:does|did|do|is|was|are|will|would|may|can|has|have|had)\b", re.I
        ),
        rf"{_SUM}|%|per ?cent",
    ),
)
# What stands behind the figure, for what a Korean question asks with.
_KOREAN = (
    (re.compile(r"며칠"), r"\d\s?(?:일|주|박)"),
    (re.compile(r"얼마(?:나 (?:오래|걸)| ?동안)"), r"\d\s?(?:년|개월|달|주|일|시간|분|초)"),
    (
        re.compile(
            rf"(?:비용|가격|값|금액|급여|월급|연봉|예산|매출|[{SYLLABLES}](?:비|료|금))"
            r"[은는이가을를으로 ].*얼마"
        ),
        r"\d[\d,.]*\s?[만억천백조]*\s?(?:원|유로|달러|엔|%|퍼센트)",
    ),
    (re.compile(r"얼마"), rf"\d[\d,.]*\s?[만억천백조]*\s?(?:[{SYLLABLES}]|%|[a-zA-Z])"),
    (re.compile(r"몇 ?퍼센트|비율"), r"\d\s?(?:%|퍼센트)"),
    (re.compile(r"몇 ?(?:시간)"), r"\d\s?시간|\d\s?분"),
    (re.compile(r"몇 ?시(?!간)"), r"\d\s?시(?!간)|\d:\d\d"),
)
_COUNTER = re.compile(
    rf"몇\s?([{SYLLABLES}]{{1,3}}?)(?=까지|이나|에|의|을|를|이|가|은|는|로|동안|씩|인|였|이었|\s|\?|$)"
)
_BETWEEN = 2


def gives_measure(question: str, sentence: str) -> bool | None:
    """Tell whether a sentence has a figure of what a question counts; None if it counts nothing."""
    korean = _korean_pattern(question)
    if korean is not None:
        return korean.search(sentence) is not None
    for asks, unit in _ENGLISH:
        if asks.search(question):
            return _unit(unit).search(sentence) is not None
    counted = _counted(question)
    if not counted:
        return None
    return _stands_beside(counted, sentence)


@lru_cache(maxsize=256)
def _korean_pattern(question: str) -> re.Pattern[str] | None:
    for asks, pattern in _KOREAN:
        if asks.search(question):
            return re.compile(pattern)
    match = _COUNTER.search(question)
    if match is None:
        return None
    return re.compile(rf"(?:\d|{KOREAN_PATTERN})\s?[만억천백]*\s?{re.escape(match[1])}")


@lru_cache(maxsize=32)
def _unit(unit: str) -> re.Pattern[str]:
    figure = rf"(?:\d[\d,.]*|{_WRITTEN})"
    signed = f"|{_SIGNED}" if _SUM in unit else ""
    return re.compile(rf"(?<![\w.]){figure}[\s-]?(?:\w+\s)?(?:{unit})(?!\w){signed}", re.IGNORECASE)


@lru_cache(maxsize=256)
def _counted(question: str) -> frozenset[str]:
    """Return the stems of what a question counts: the noun behind "how many", the last of it."""
    match = _MANY.search(question)
    nouns = takewhile(lambda word: not _STOP.fullmatch(word), words(match[1]) if match else ())
    return frozenset(s for word in nouns for stem in word_terms(word) for s in alike(stem))


def _stands_beside(counted: frozenset[str], sentence: str) -> bool:
    """Tell whether a figure stands just before what is counted, or behind a field of that name."""
    for match in _FIGURE.finditer(sentence):
        behind = words(sentence[match.end() : match.end() + 40])[: _BETWEEN + 1]
        before = words(sentence[max(0, match.start() - 24) : match.start()])[-1:]
        is_field = sentence[: match.start()].rstrip().endswith((":", "="))
        beside = [*behind, *(before if is_field else ())]
        if any(stem in counted for word in beside for stem in word_terms(plain(word))):
            return True
    return False
