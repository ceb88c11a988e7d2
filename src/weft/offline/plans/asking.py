"""What a question asks of rows: a count, a sum, the greatest; and what it compares them with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

from weft.domain.frozen import dataclass
from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.numerals import KOREAN_VALUES, UNITS, VALUES
from weft.language.patterns import pattern
from weft.language.surnames import SURE
from weft.offline.plans.words import SizeWords, less_words, measures, more_words
from weft.retrieval.tables.links import QuestionWord, words_of


class AskedFor(StrEnum):
    """What is asked for."""

    COUNT = "count"
    SUM = "sum"
    AVERAGE = "average"
    MEDIAN = "median"
    SHARE = "share"
    DIFFERENCE = "difference"
    WHETHER = "whether"
    CELLS = "cells"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extreme:
    """A word for the most or the least: where it stands, which way, and the measures it may mean.

    Without measures any column of numbers may be meant; `often`: it is of how many rows there are.
    Of days, "the oldest" are the first: `of_days` is which way it goes there, None where it does
    not say; whoever `lasts` the longest began first.
    """

    start: int
    end: int
    descending: bool
    measures: tuple[SizeWords, ...] = ()
    count: int = 1
    often: bool = False
    of_days: bool | None = None
    lasts: bool = False

    def descends(self, *, dated: bool) -> bool:
        """Tell whether the greatest of a column comes first; `dated`: it is one of days."""
        if dated and self.lasts:
            return not self.descending
        return self.descending if self.of_days is None or not dated else self.of_days


_SYLLABLE = f"[{SYLLABLES}]"
# "직원 수", "건수" and "직원수", but no 교수, 점수 and no 김민수.
_COUNTED = (
    rf"(?:개수|(?:(?<=\s)|(?<=[건명횟대권층쪽])"
    rf"|(?<={_SYLLABLE}{_SYLLABLE})(?<![교점변료접])(?<!(?<!{_SYLLABLE})[{SURE}]{_SYLLABLE}))수)"
    r"(?=[는를가의]?\b)"
)
_COUNT = pattern(
    r"\bhow many\b|\b(?:the )?(?:number|count) of\b|\bcount\b|\bhow often\b|\bhow many times\b"
    rf"|몇\s?[{SYLLABLES}]{{1,2}}|{_COUNTED}",
    re.I,
)
_SUM = pattern(
    r"\b(?:totals?|sum|altogether|combined|overall|summed|add(?:s|ed|ing)? (?:up|together)(?: to)?"
    r"|in all|together|(?:over|in|for|during) the whole)\b|합계|총합|총액|\b총\b|모두 (?:더|합)",
    re.I,
)
_AVERAGE = pattern(r"\b(?:average|mean|avg)\b|평균", re.I)
_MEDIAN = pattern(r"\bmedian\b|중앙값|중간값", re.I)
# Behind a figure it is a unit: "above 7 percent".
_SHARE = pattern(
    r"\b(?:(?<!\d)(?<!\d )per ?cent|percentage|share|proportion|portion|fraction)\b"
    r"|비율|퍼센트|몇\s?%",
    re.I,
)
_DIFFERENCE = pattern(
    r"\b(?:difference|apart|gap|minus|separates?|by how (?:much|many)|exceeds?)\b"
    r"|\bhow (?:much|many) \w*\s?(?:more|less|fewer|\w+er)\b|차이",
    re.I,
)
_WHETHER = pattern(r"^\W*(?:is|are|was|were|do|does|did|has|have|can|could|will)\b", re.I)
_WHETHER_KOREAN = pattern(r"(?:나요|ㄴ가요|까|니|가요|는지)\s*\??\s*$")
_OPEN_KOREAN = pattern(
    r"무[엇얼]|[뭐뭔뭘]|누[구가군굴]|어[디딘딜]|언[제젠]|몇|며칠|얼마|어느|어떤|무슨|어떻게|왜|궁금"
    r"|(?:알려|말해|말씀해|가르쳐|보여|찾아)\s?[주줄줘]|알\s?수\s?있"
)
_NOT = pattern(
    r"\b(?:not|no|never|without|except(?: for)?|excluding|other than|besides|neither|nor|non"
    r"|apart from|aside from"
    r"|leaving (?:aside|out)|ignoring|disregarding|omitting)\b"
    r"|n['’]t\b|않|없는|아닌|제외|말고|빼고",
    re.I,
)
_GROUP = pattern(
    r"\b(?:per|by|for each|for every|in each|in every|of each|of every|each|every|grouped by"
    r"|broken down by)\s+(?:the\s+|of the\s+)?"
    rf"|(?<=[{SYLLABLES}])(?<![특개구식])별(?![도명세첨표])(?:로)?|\b각\s",
    re.I,
)
_SMALL = rf"\d+|{'|'.join(UNITS[2:11])}"
_TOP = pattern(
    rf"\b(?:top|first|bottom|last)\s+(?P<n>{_SMALL})\b"
    r"(?!\s+(?:month|quarter|week|day|year)s?\b)"
    rf"|\b(?P<m>{_SMALL})\s+(?=(?:most|least|highest|lowest|largest|smallest|biggest|\w+est)\b)"
    r"|(?:상위|하위)\s?(?P<k>\d+)|가장[^?]{0,40}?(?P<p>\d+)\s?(?:개|명|곳|건|대|가지)",
    re.I,
)
HOW_MUCH = pattern(r"\bhow (?:much|many|far)\b|얼마", re.I)
_CHANGE = pattern(
    r"\b(?P<up>grow|rise|increase|climb|gain|go up|went up|grew|rose)\b"
    r"|\b(?P<down>fall|drop|decline|decrease|shrink|sink|lose|go down|went down|fell)\b"
    r"|\b(?P<either>change|differ)\b"
    rf"|(?P<up2>(?<!{_SYLLABLE})늘[{SYLLABLES}]*|올[랐라][{SYLLABLES}]*|증가[{SYLLABLES}]*)"
    rf"|(?P<down2>(?<!{_SYLLABLE})줄[{SYLLABLES}]*|감소[{SYLLABLES}]*|떨어[{SYLLABLES}]*|내[렸려][{SYLLABLES}]*)"
    rf"|(?P<either2>변[했하화][{SYLLABLES}]*|달라[{SYLLABLES}]*)",
    re.I,
)
_OFTEN = pattern(
    r"\b(?:most|least) (?:common|frequent|popular|often|frequently|commonly|usual)\b"
    r"|\b(?:commonest|rarest|scarcest)\b"
    r"|(?:가장|제일) (?:흔한|흔히|자주|많이 나오는)",
    re.I,
)
_BOTTOM = pattern(r"\bbottom\b|하위", re.I)


# These say as well what is asked for.
_ASKED_SO = pattern(r"\b(?:list|show|give|count|add up)\b", re.I)
_PREAMBLE = pattern(
    r"^(?:\W*(?:(?:hey|hi|hello|ok|okay|so|well|and|but|um+|hm+|please|pls|also|now|then|right|quick"
    r" question|just (?:wondering|curious)|i wonder(?:ed)?(?: if you (?:know|could))?"
    r"|(?:i'm|i am|i was) (?:wondering|curious)|remind me(?: again)?"
    r"|(?:can|could|would|will) (?:you|anyone|somebody|someone)(?: please)?(?: quickly)?"
    r" (?:tell|show|give|find|check|look up|say|list|work out|count|add up|help)(?: out)?(?: for)?"
    r"(?: (?:me|us))?(?: (?:know|what it is))?"
    r"|do (?:you|we|i)(?: happen to)? know|any(?:one| idea)(?: know)?"
    r"|(?:i|we)(?:'d| would)?(?: really)? (?:need|want|like)(?: to (?:know|see|have|find out))?"
    r"|(?:please )?(?:tell|show|give|find|list)(?: (?:me|us|out))?)\b[,:]?\s*))+(?=\S)",
    re.I,
)


def without_preamble(text: str) -> str:
    """Return a question with blanks for what is only polite before it: "can you tell me"."""
    match = _PREAMBLE.match(text)
    if match is None or len(match.group()) >= len(text.rstrip()):
        return text
    kept = _ASKED_SO.search(match.group())
    end = kept.start() if kept else match.end()
    return " " * end + text[end:]


def asks(text: str) -> AskedFor:
    """Return what a question asks for."""
    for kind, found in (
        (AskedFor.SHARE, _SHARE),
        (AskedFor.DIFFERENCE, _DIFFERENCE),
        (AskedFor.AVERAGE, _AVERAGE),
        (AskedFor.MEDIAN, _MEDIAN),
        (AskedFor.SUM, _SUM),
        (AskedFor.COUNT, _COUNT),
    ):
        if found.search(text):
            return kind
    if _WHETHER.search(text):
        return AskedFor.WHETHER
    is_korean = has_hangul(text) and not _OPEN_KOREAN.search(text)
    return AskedFor.WHETHER if is_korean and _WHETHER_KOREAN.search(text) else AskedFor.CELLS


def cues(text: str) -> dict[AskedFor, list[tuple[int, int]]]:
    """Return where words stand that may ask for something worked out."""
    found = {
        AskedFor.SHARE: _SHARE,
        AskedFor.DIFFERENCE: _DIFFERENCE,
        AskedFor.AVERAGE: _AVERAGE,
        AskedFor.MEDIAN: _MEDIAN,
        AskedFor.SUM: _SUM,
        AskedFor.COUNT: _COUNT,
    }
    spans = {kind: [one.span() for one in sign.finditer(text)] for kind, sign in found.items()}
    if asks(text) is AskedFor.WHETHER or _WHETHER.search(text):
        spans[AskedFor.WHETHER] = [one.span() for one in _WHETHER.finditer(text)] or [(0, 0)]
    return {kind: places for kind, places in spans.items() if places}


def operator_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the words stand that say what is asked for."""
    for found in (
        _SHARE,
        _DIFFERENCE,
        _AVERAGE,
        _MEDIAN,
        _SUM,
        _COUNT,
        _WHETHER,
        _NOT,
        _GROUP,
        _TOP,
    ):
        for match in found.finditer(text):
            yield match.span()


def negations(text: str) -> list[int]:
    """Return where words stand that take something back."""
    return [match.start() for match in _NOT.finditer(text)]


def groups(text: str) -> list[tuple[int, int]]:
    """Return where words stand that part rows into groups; what they are parted by is beside."""
    return [match.span() for match in _GROUP.finditer(text)]


def extremes(text: str) -> list[Extreme]:
    """Return the words for the most and the least."""
    top = _TOP.search(text)
    count = _counted(top) if top else 1
    found: list[Extreme] = []
    for word in words_of(text):
        one = _extreme(word, text)
        if one is not None:
            found.append(
                Extreme(
                    start=word.start,
                    end=word.end,
                    descending=one[0],
                    measures=one[1],
                    count=count,
                    of_days=_of_days(word.text.casefold(), one[1]),
                    lasts=word.text.casefold() in _LASTING,
                )
            )
    if found and (often := _OFTEN.search(text)):
        found = [replace(found[0], end=max(found[0].end, often.end()), often=True)]
    if top and not found:
        found.append(
            Extreme(
                start=top.start(),
                end=top.end(),
                descending=not _BOTTOM.search(text),
                count=count,
            )
        )
    return found


def _of_days(key: str, found: Iterable[SizeWords]) -> bool | None:
    """Return whether a word means the last of days, False for the first, None for neither."""
    for one in found:
        if not one.dated:
            continue
        if key in one.more:
            return True
        if key in one.less:
            return False
    return None


def _counted(match: re.Match[str]) -> int:
    said = next(value for value in match.groupdict().values() if value)
    return int(said) if said.isdecimal() else VALUES.get(said.casefold(), 1)


_SUPERLATIVE = pattern(
    r"\w+est|worst|first|last|most|least|maximum|max|minimum|min|top|bottom", re.I
)
_NOT_SUPERLATIVE = frozenset(
    {"interest", "request", "test", "latest", "west", "forest", "guest", "rest", "nest"}
    | {"contest", "harvest", "invest", "suggest", "manifest", "honest", "chest", "quest", "best"}
    | {"arrest", "unrest", "crest", "tempest", "conquest", "inquest", "priest", "budapest"}
    | {"pretest", "posttest", "retest"}
    | {"everest", "protest", "pest", "digest", "midwest", "northwest", "southwest", "vest", "zest"}
) - {"latest", "best"}
_LASTING = frozenset({"longest", "shortest"})
_AGO = pattern(r"(?:longest|furthest|farthest) (?:ago|back)\b", 2)
_KOREAN_MOST = pattern(r"가장|제일|최[고대다소저신장단]")


def _extreme(word: QuestionWord, text: str) -> tuple[bool, tuple[SizeWords, ...]] | None:
    key = word.text.casefold()
    if has_hangul(key):
        return _korean_extreme(word, text)
    if not _SUPERLATIVE.fullmatch(key) or key in _NOT_SUPERLATIVE:
        return None
    if _AGO.match(text, word.start):
        return False, tuple(one for one in measures() if one.dated)
    found = tuple(one for one in measures() if key in one.more | one.less)
    less = any(key in one.less for one in found) or key in less_words()
    if not found and key not in (*more_words(), *less_words()):
        return (
            (True, ()) if key in {"most", "top", "best", "worst"} or key.endswith("est") else None
        )
    if key in (*more_words(), *less_words()):
        return key in more_words(), found
    # "the oldest": of ages the most, of dates the first.
    return (not less or any(key in one.more for one in found if not one.dated)), found


def _korean_extreme(word: QuestionWord, text: str) -> tuple[bool, tuple[SizeWords, ...]] | None:
    if not _KOREAN_MOST.search(word.text):
        return None
    behind = text[word.start : word.end + 12]
    found: list[SizeWords] = []
    less = False
    for one in measures():
        for side, is_less in ((one.more, False), (one.less, True)):
            if any(
                has_hangul(part) and re.search(rf"(?:가장|제일)\s*(?:\S+\s+)?{part}", behind)
                for part in side
            ):
                found.append(one)
                less = less or is_less
    if not found:
        less = bool(re.search(r"최[소저단]|(?:가장|제일)\s*(?:적|작|낮)", behind))
    return not less, tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A word for a change, and which way it goes; None where it does not say."""

    start: int
    end: int
    rises: bool | None


def change(text: str) -> Turn | None:
    """Return the word by which a question asks how much something changed."""
    match = _CHANGE.search(text) if HOW_MUCH.search(text) else None
    if match is None:
        return None
    ways = {"up": True, "down": False, "either": None}
    [way] = [ways[name.rstrip("2")] for name, said in match.groupdict().items() if said]
    return Turn(start=match.start(), end=match.end(), rises=way)


_COUNTING = frozenset({"only", "just", "exactly", "with", "has", "have", "having", "of"})


def small_numbers(words: Sequence[QuestionWord]) -> dict[int, float]:
    """Return the numbers among words, in figures or spelt out, by where they begin.

    "The oldest one" is none.
    """
    found: dict[int, float] = {}
    for before, word in zip([None, *words], words, strict=False):
        said = word.text.casefold()
        if said == "one" and (before is None or before.text.casefold() not in _COUNTING):
            continue
        if said.isdecimal():
            found[word.start] = float(said)
        elif said in VALUES or said in KOREAN_VALUES:
            found[word.start] = float(VALUES.get(said) or KOREAN_VALUES.get(said, 0))
    return found
