"""Values read out of passages by rules: dates, years, countries, each with its sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.domain.outside.shipped import shipped_text
from weft.language.months import BEGINNINGS_PATTERN, NUMBERS
from weft.language.patterns import figure_pattern, pattern
from weft.offline.evidence.passages import Candidate
from weft.offline.question.cues import cues
from weft.offline.question.roles import language_of

Date = tuple[int, int, int]

_MONTH = rf"(?:{BEGINNINGS_PATTERN})[a-z]*\.?"
_DATE = figure_pattern(
    rf"(?:(?<![\d-])|(?<=\d{{4}}))(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH}),? "
    r"(?P<y1>\d{4}(?=\d{1,2} [A-Z])|\d{3,4}\b)"
    rf"|\b(?P<m2>{_MONTH}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>\d{{3,4}})\b"
    rf"|\b(?P<m3>{_MONTH}),? (?P<y3>\d{{4}})\b"
    r"|(?P<y4>\d{4})[-./](?P<m4>\d{1,2})[-./](?P<d4>\d{1,2})(?!\d)"
    r"|(?P<y5>\d{4})년(?: ?(?P<m5>\d{1,2})월)?(?: ?(?P<d5>\d{1,2})일)?"
    r"|(?<![\d,.$€£₩/-])(?P<y6>(?:1\d|20)\d\d(?=(?:1\d|20)\d\d\b)|1\d{3}|20\d{2}|"
    r"(?<=[ (–-])[1-9]\d{2}(?=[ )–-]))(?![\d,.]?\d|%)",
    re.IGNORECASE,
)
_LEAD = pattern(r"\(([^()]*\d[^()]*)\)")
_RANGE = pattern(r"\s*(?:[–—]|(?<=\s)-|-(?=\s)|~|\bto\b|(?<=\d)-(?=\d{3,4}$))\s*")
_BORN = pattern(r"\bborn\b|\bb\.|태어|출생|생(?=[ ,.)])", re.IGNORECASE)
_DIED = pattern(r"\bdied\b|\bdeath\b|\bd\.|사망|별세|죽", re.IGNORECASE)
_BORN_THERE = pattern(r"[- ]+born\b|[- ]+descent\b|[- ]+origin\b", re.IGNORECASE)
_LEADS = 3
_NEAR = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value, ordered by `key`, as it stands in its sentence (`text`)."""

    key: tuple[float, ...]
    text: str
    sentence: Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A date in a text: (year, month, day), 0 for what is not said, and its words."""

    date: Date
    start: int
    end: int
    text: str


def dates(text: str) -> list[Said]:
    """Return the dates of a text in order; a year alone is one."""
    return [found for match in _DATE.finditer(text) if (found := _said(match))]


def born(sentences: Sequence[Candidate]) -> Value | None:
    """Return the date of birth that a passage on a person gives, or None."""
    return _vital(sentences, first=True)


def died(sentences: Sequence[Candidate]) -> Value | None:
    """Return the date of death that a passage on a person gives, or None."""
    return _vital(sentences, first=False)


def lifetime(sentences: Sequence[Candidate]) -> Value | None:
    """Return how long a person lived, or None where a passage lacks one of the dates."""
    began, ended = born(sentences), died(sentences)
    if began is None or ended is None:
        return None
    left = began.key[0] + began.key[1] / 12 + began.key[2] / 366
    right = ended.key[0] + ended.key[1] / 12 + ended.key[2] / 366
    text = f"{began.text} – {ended.text}"
    return Value(key=(right - left,), text=text, sentence=ended.sentence)


def year(sentences: Sequence[Candidate]) -> Value | None:
    """Return when a thing came about: the year beside "released", "founded" …, else the first."""
    fallback: Value | None = None
    for sentence in sentences[:_LEADS]:
        found = dates(sentence.text)
        table = cues(language_of(sentence.text))
        for cue in table.years.finditer(sentence.text):
            near = [one for one in found if -_NEAR / 3 <= one.start - cue.end() <= _NEAR]
            near.sort(key=lambda one: (one.start < cue.start(), abs(one.start - cue.end())))
            if near:
                return _value(near[0], sentence)
        if found and fallback is None:
            fallback = _value(found[0], sentence)
    return fallback


def country(sentences: Sequence[Candidate]) -> Value | None:
    """Return the country that a passage's first sentences give, or None; the key is its number."""
    for sentence in sentences[:_LEADS]:
        found = [m for m in _country_pattern().finditer(sentence.text) if not _is_origin(m)]
        if found:
            last = found[0]
            for match in found[1:]:  # "Japanese American": the last one of a row counts
                if match.start() - last.end() > 1:
                    break
                last = match
            number = _countries()[last.group().casefold()]
            return Value(key=(float(number),), text=last.group(), sentence=sentence)
    return None


def _is_origin(match: re.Match[str]) -> bool:
    """Tell whether a country is but where somebody of another one was born."""
    return bool(_BORN_THERE.match(match.string, match.end()))


def is_country(name: str) -> bool:
    """Tell whether a name is that of a country, or of what belongs to one."""
    return name.casefold() in _countries()


def countries(text: str) -> tuple[frozenset[int], str]:
    """Return the numbers of the countries in a text, and the text without them."""
    found = {_countries()[match.group().casefold()] for match in _country_pattern().finditer(text)}
    return frozenset(found), _country_pattern().sub(" ", text)


def _vital(sentences: Sequence[Candidate], *, first: bool) -> Value | None:
    for sentence in sentences[:_LEADS]:
        found = _in_parentheses(sentence, first=first)
        if found is not None:
            return found
    cue = _BORN if first else _DIED
    for sentence in sentences:
        match = cue.search(sentence.text)
        said = dates(sentence.text)
        if match and said:
            best = min(
                said, key=lambda one: (one.start < match.start(), abs(one.start - match.end()))
            )
            if abs(best.start - match.end()) <= _NEAR:
                return _value(best, sentence)
    return None


def _in_parentheses(sentence: Candidate, *, first: bool) -> Value | None:
    """Return the date of "(12 May 1900 – 3 June 1970)" or "(born 1900)"."""
    for match in _LEAD.finditer(sentence.text):
        inner = match[1]
        parts = _RANGE.split(inner, maxsplit=1) if dates(inner) else []
        if len(parts) == 2 and dates(parts[-1]):
            said = dates(parts[0]) if first else dates(parts[1])
            if said:
                return _value(said[-1 if first else 0], sentence)
            continue
        said = dates(inner)
        if len(parts) == 1 and len(said) == 2 and not _DIED.search(inner):
            return _value(said[0 if first else 1], sentence)  # a dash was lost
        alone = _BORN if first else _DIED
        if len(parts) == 1 and alone.search(inner):
            return _value(said[0], sentence)
    return None


def _said(match: re.Match[str]) -> Said | None:
    groups = match.groupdict()
    number = next(n for n in "123456" if groups[f"y{n}"])
    month = groups.get(f"m{number}") or "0"
    months = int(month) if month.isdigit() else NUMBERS[month[:3].casefold()]
    days = int(groups.get(f"d{number}") or 0)
    if months > 12 or days > 31:
        return None
    date = (int(groups[f"y{number}"]), months, days)
    return Said(date=date, start=match.start(), end=match.end(), text=match.group())


def _value(said: Said, sentence: Candidate) -> Value:
    return Value(key=tuple(map(float, said.date)), text=said.text, sentence=sentence)


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[str, ...], ...]:
    text = shipped_text("weft.offline.question", "tables/countries.txt")
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return tuple(tuple(part.strip() for part in line.split(";")) for line in lines)


@lru_cache(maxsize=1)
def _countries() -> dict[str, int]:
    return {name.casefold(): number for number, row in enumerate(_rows()) for name in row}


@lru_cache(maxsize=1)
def _country_pattern() -> re.Pattern[str]:
    names = sorted((name for row in _rows() for name in row), key=len, reverse=True)
    return pattern(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![A-Za-z])")
