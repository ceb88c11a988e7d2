"""A question taken apart by rules: what kind of answer it wants, and which names it gives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.months import BEGINNINGS_PATTERN, WEEKDAYS
from weft.language.numerals import KOREAN_PATTERN, WRITTEN_PATTERN
from weft.language.particles import strip_particle
from weft.language.sentences import whole_sentences
from weft.language.terms import STOP_WORDS, identifiers, plain, stem, word_terms, words


class QuestionKind(StrEnum):
    """What an answer must hold."""

    CHOICE = "choice"
    YES_NO = "yes_no"
    NUMBER = "number"
    DATE = "date"
    PLACE = "place"
    PERSON = "person"
    DEFINITION = "definition"
    OTHER = "other"


_KINDS: tuple[tuple[QuestionKind, re.Pattern[str]], ...] = (
    (QuestionKind.CHOICE, re.compile(r"^(?:which|whose|who|what)\b[^?]*,\s[^?]*\bor\b", re.I)),
    (
        QuestionKind.YES_NO,
        re.compile(
            r"^(?:is|are|am|was|were|do|does|did|has|have|had|can|could|may|might|must|will|would|"
            r"shall|should)\b",
            re.I,
        ),
    ),
    (QuestionKind.PERSON, re.compile(r"^who(?:se|m)?\b", re.I)),
    (
        QuestionKind.NUMBER,
        re.compile(
            r"\bhow (?:many|much|long|old|tall|large|big|far|high|often)\b|\bwhat (?:percentage|"
            r"number|share|price)\b|\bpopulation of\b|몇|얼마|며칠",
            re.I,
        ),
    ),
    (
        QuestionKind.DATE,
        re.compile(
            r"^(?:(?:since|until|till|by|from) )?when\b|\bwhen\W*$|[,;] when (?:did|do|does|was|is|"
            r"will)\b|\b(?:what|which) (?:year|date|day|month)\b|\bdate of\b|언제",
            re.I,
        ),
    ),
    (
        QuestionKind.PLACE,
        re.compile(r"\bwhere\b|\b(?:what|which) (?:city|town|place|country)\b|어디", re.I),
    ),
    (QuestionKind.PERSON, re.compile(r"\bwho(?:se|m)?\b|누가|누구", re.I)),
    (
        QuestionKind.DEFINITION,
        re.compile(
            r"^(?:what(?:'s| is| are)|define|explain)\s+(?:(?!of\b|for\b|in\b)\S++\s*+){1,4}$", re.I
        ),
    ),
)
_MONTH = rf"(?:{BEGINNINGS_PATTERN})[a-z]*\.?"
_HOLDS = {
    QuestionKind.DATE: re.compile(
        rf"\b(?:1[0-9]|20)\d\d\b|\b\d{{1,2}} {_MONTH}\b|\b{_MONTH} \d{{1,2}}\b|\d월|\d년"
        rf"|\b(?:{'|'.join(WEEKDAYS)})s?\b|\b\d{{1,2}}:\d\d\b|[월화수목금토일]요일|\d시"
        r"|\b\d{1,2}(?:st|nd|rd|th)\b",
        re.I,
    ),
    QuestionKind.NUMBER: re.compile(
        rf"\d|\b(?:{WRITTEN_PATTERN}|once|twice)\b", re.I
    ),
    QuestionKind.PERSON: re.compile(
        rf"\b[A-Z][\w’'.-]+(?:\s+(?:[a-z]{{2,3}}\s+)?[A-Z][\w’'.-]*)+|[{SYLLABLES}]{{2,4}}"
    ),
    QuestionKind.PLACE: re.compile(
        rf"\b(?:in|at|near|of|from|to|on)\s+(?:the\s+)?[A-Z]\w+|https?://|[/\\]\w+|[{SYLLABLES}]+(?:에|시|도)"
    ),
    QuestionKind.DEFINITION: re.compile(
        r"\b(?:is|are|was|were)\s+(?:an?|the|one)\b|(?:이다|입니다|란)\b", re.I
    ),
}  # fmt: skip
# Dates and identifiers, whose figures count nothing.
_DATED = re.compile(
    rf"\b\d{{4}}-\d\d(?:-\d\d)?\b|\b(?:\d{{1,2}} )?{_MONTH} (?:\d{{1,2}}, )?(?:19|20)\d\d\b"
    rf"|\b\d{{1,2}} {_MONTH}(?=\W|$)|\b{_MONTH} \d{{1,2}}\b"
    r"|(?<![\d.,])(?:19|20)\d\d(?![\d.,]*\d|\s?%)"
    r"|(?:\d{4}년 ?)?\d{1,2}월(?: ?\d{1,2}일)?|\d{4}년|\b[A-Za-z]+-?\d+\b",
    re.I,
)
_NUMBER = re.compile(
    rf"\d[\d,.]*|\b(?:{WRITTEN_PATTERN}|once|twice|no|none)\b|"
    rf"(?:{KOREAN_PATTERN}) ?(?:명|개|번|대|건|곳|달)",
    re.I,
)
_QUOTED = re.compile(r"[\"“«「『]([^\"”»」』]{2,80})[\"”»」』]|(?<!\w)['‘]([^'’]{2,80})['’](?!\w)")
_ASKING = frozenset(
    """what which who whom whose when where why how much many often tell give show list
    name explain describe define find please kind sort type does mean say says mention mentions
    happen happens use uses used using have has get gets
still already yet anymore really actually exactly currently nowadays""".split()
)  # fmt: skip
# "How long?" is answered by a length as often as by the word: these weigh half, if they occur.
_MEASURES = frozenset(
    {"long", "old", "tall", "high", "far", "big", "large", "deep", "wide", "heavy"}
)
# "the X of Y" where Y ends the question: with "of the man who ..." X belongs to somebody else.
_ATTRIBUTE = re.compile(
    r"\b(?:the|an?|what(?:'s|\s+is|\s+are|\s+was|\s+were))\s+(?:[\w-]+\s+)?([\w-]+)\s+(?:of|for)\s+"
    r"(?!.*\b(?:who|whom|whose|that|which|where|when)\b)(?:(?!\?$)\S++\s*+){1,5}\??$",
    re.I,
)
# "Y's X", "how many X", "Y의 X": what is asked of something named.
_OWNED = (
    re.compile(r"[A-Z0-9]\w*['’]s?\s+(?:[\w-]+\s+)?([\w-]+)\?*$"),
    re.compile(
        r"\bhow (?:many|much)\s+(?:of the\s+)?(?:[a-z-]+\s+)??([a-z-]+)\s+"
        r"(?:do|does|did|is|are|was|were|has|have|had|can|will)\b",
        re.IGNORECASE,
    ),
    re.compile(rf"의\s+([{SYLLABLES}]{{2,}}?)(?:은|는|이|가|을|를)\s+[^의]*$"),
)  # fmt: skip
_COMPARES = re.compile(
    r"\bor\b|\bboth\b|\bsame\b|\bbetween\b.*\band\b|^(?:are|were|do|did)\b.*\band\b", re.I
)
# "... the city where X is", "X's owner's ...", "the A of the B of C".
_COMPOUND = re.compile(
    r"\w\s+(?:that|which|who|whose|whom|where|in which|of which)\s+\w|['’]s\s.*['’]s\s|"
    r"\bof\s.*\bof\s|\bof\s.*['’]s\s|의 .*의 ",
    re.IGNORECASE,
)
_CASE = re.compile(
    r"^(?:if|when|while|after|before|once|as)\b[^,?]*, (?:and )?"
    r"(?=(?:what|who|whom|whose|which|where|how|when|why|can|may|do|does|did|is|are|am|should|"
    r"must|will|to whom|by when)\b)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:in|on|at|to|from|by|for|with|under|into|of|until|since) (?=(?:which|what|whom)\b)|"
    r"\bthe names? of\b",
    re.IGNORECASE,
)
_MANY_WORDS = 8
# Words for a kind of thing: an answer gives the thing without them.
_GENERIC = frozenset(
    """name year date day month city town country place number amount kind type purpose meaning role
    job nationality title origin size age length height colour color use point goal version
    difference reason cause basis result end start beginning middle rest part total""".split()
)  # fmt: skip
# "(a parody of Gary Beltman)": what is told in passing need not stand in the documents.
_ASIDE = re.compile(r"(?<=\s)\([^()]*\)")
_KOREAN_ASKING = re.compile(
    "^(?:무엇|무슨|뭐|뭔|누구|누가|언제|어디|왜|어떻게|얼마|몇|어떤|어느|알려|있나|인가)"
)
# What makes a Korean verb a question, and the small words around it.
_ENDING = re.compile(
    f"(?<=[{SYLLABLES}])(?:이었나요|였나요|인가요|했나요|하나요|되나요|됐나요|나요|을까요|까요|습니까|입니까|ㅂ니까|"
    "니까|는가요|은가요|가요|어요|아요|세요|하는|되는|하려면|할|한)$"
)
_KOREAN_SMALL = frozenset(
    """수 것 때 등 및 있 하 되 해 할 한 몇 며칠 사람 이름 대 명 번 일 월 년 게 건 좀 더 다 중 총
    내 제 저 나 주 것은 것을 것이 수가 있는 있던 있는데 있으면 없는 하는 하고 해서 위해 위한
    대한 대해 관한 관해 통해 따라 때문 가운데 동안 모두 전부 각각 합쳐서 우리 저희 제가 가장
    제일 지금 현재 요즘 알려 싶은 싶은데""".split()
)
_CONTRACTED = re.compile("['’](?:ll|re|ve|d|m|t)$", re.IGNORECASE)
_PARTICLE = re.compile(f"(?<=[{SYLLABLES}]{{2}})(?:은|는|이|가|을|를|의|에|로|와|과|도)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, its kind, and what must occur in any evidence for an answer.

    `names` are capitalised words and figures as they stand there, `phrases` what is quoted,
    `codes` identifiers (issue keys, paths, versions), folded; `attribute` is the X of "the X of Y",
    empty when X only says what kind of thing is asked for.
    """

    text: str
    kind: QuestionKind
    names: tuple[str, ...]
    phrases: tuple[str, ...]
    codes: tuple[str, ...]
    attribute: str = ""

    @property
    def compares(self) -> bool:
        """Tell whether the question sets two things side by side, each with its own documents."""
        return len(self.names) > 1 and bool(_COMPARES.search(self.text))

    @property
    def is_compound(self) -> bool:
        """Tell whether the question describes what it asks about by way of something else."""
        plain_text = _OPENING.sub("", self.text)
        return bool(_COMPOUND.search(plain_text)) or len(asked_words(self.text)) >= _MANY_WORDS

    @property
    def asks(self) -> str:
        """Return the part that asks: without what is told before it."""
        return asking_part(self.text)

    @property
    def is_korean(self) -> bool:
        """Tell whether the question is asked in Korean."""
        return has_hangul(self.text)


def read_question(text: str) -> Question:
    """Return the question taken apart."""
    asks = asking_part(text)
    kind = next((kind for kind, pattern in _KINDS if pattern.search(asks)), QuestionKind.OTHER)
    phrases = tuple((match[1] or match[2]).strip(" ,.;?") for match in _QUOTED.finditer(text))
    return Question(
        text=text,
        kind=kind,
        names=_names(text),
        phrases=phrases,
        codes=tuple(dict.fromkeys(identifiers(text))),
        attribute=_attribute(text),
    )


@lru_cache(maxsize=64)
def goes_over_several(text: str) -> bool:
    """Tell whether a question goes over several things, each with documents of its own."""
    question = read_question(text)
    return question.is_compound or question.compares


@lru_cache(maxsize=256)
def asking_part(text: str) -> str:
    """Return the last question of a text, without the clause that says in which case it is asked.

    "A card is gone. If it is mine, whom do I tell?" asks "whom do I tell?".
    """
    said = (text[span.start : span.end] for span in whole_sentences(text))
    asked = [one for one in said if one.endswith("?")]
    return _CASE.sub("", asked[-1] if asked else text.strip())


def holds_kind(kind: QuestionKind, sentence: str) -> bool:
    """Tell whether a sentence holds something of the kind that is asked for."""
    pattern = _HOLDS.get(kind)
    return bool(pattern and pattern.search(sentence))


def holds_answer(question: Question, sentence: str) -> bool:
    """Tell whether a sentence holds what is asked for and the question does not say itself.

    A year or a day of the month is no answer to "how many".
    """
    if question.kind is QuestionKind.NUMBER:
        left = _DATED.sub(" ", sentence)
        own = {plain(word) for word in words(question.text)}
        found = (match.group() for match in _NUMBER.finditer(left))
        return any(plain(figure) not in own for figure in found)
    return holds_kind(question.kind, sentence)


def asked_words(text: str) -> tuple[str, ...]:
    """Return the words of a question that say what it is about, Korean ones without particles."""
    kept = (
        w
        for w in words(text)
        if plain(w) not in _ASKING and not _KOREAN_ASKING.match(w) and not _is_contracted(w)
    )
    bare = (_PARTICLE.sub("", strip_particle(_ENDING.sub("", w))) for w in kept if word_terms(w))
    return tuple(word for word in bare if word_terms(word) and plain(word) not in _KOREAN_SMALL)


def is_verb_form(word: str) -> bool:
    """Tell whether a word ends as a Korean verb does in a question."""
    return bool(_ENDING.search(word))


def _is_contracted(word: str) -> bool:
    """Tell whether a word is two small ones: "it'll", "don't"."""
    bare = _CONTRACTED.sub("", word)
    return bare != word and (plain(bare) in STOP_WORDS or bare.endswith("n"))


def is_measure(word: str) -> bool:
    """Tell whether a word asks how much of something there is, so that a figure can answer it."""
    return plain(word) in _MEASURES


@lru_cache(maxsize=4096)
def alike(word_stem: str) -> frozenset[str]:
    """Return the stems that may stand for a stem, itself included."""
    return _groups().get(word_stem, frozenset()) | {word_stem}


def _names(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for place, word in enumerate(words(_ASIDE.sub(" ", text))):
        if plain(word) in STOP_WORDS | _ASKING:
            continue
        # The first word has a capital whatever it is.
        capital = word[0].isupper() and (place > 0 or not word[1:].islower())
        if len(word) == 1 or _CONTRACTED.search(word):
            continue
        if capital or any(char.isdigit() for char in word):
            found.append(word)
    return tuple(dict.fromkeys(found))


def _attribute(text: str) -> str:
    found = (pattern.search(text.strip()) for pattern in (_ATTRIBUTE, *_OWNED))
    match = next(filter(None, found), None)
    if match is None:
        return ""
    head = match[1]
    return "" if plain(head) in _GENERIC | _ASKING or not word_terms(head) else head


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    text = files("weft.offline.question").joinpath("synonyms.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        group = frozenset(stem(plain(word)) for word in line.split())
        for one in group:
            found[one] = found.get(one, frozenset()) | group
    return found
