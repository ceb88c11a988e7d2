"""What an answer must hold: a person, a name, a place, a day, a sum, a count; and which words do.

Names are told from common words by the passages at hand: a word that they also write without a
capital is no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from weft.language.hangul import SYLLABLES
from weft.language.months import MONTHS, WEEKDAYS
from weft.language.numerals import HOURS_PATTERN
from weft.language.surnames import SURE
from weft.language.terms import STOP_WORDS, plain, words
from weft.offline.question.measures import gives_measure
from weft.offline.question.question import Question, QuestionKind, holds_answer, holds_kind


class Want(StrEnum):
    """What kind of thing an answer must hold."""

    PERSON = "person"
    NAME = "name"
    PLACE = "place"
    DATE = "date"
    FIGURE = "figure"
    CONTACT = "contact"
    ANYTHING = "anything"


_NAME = re.compile(
    r"\bnames? of\b|이름(?:은|이|을)|^(?:(?:in|from|to|at|for|by|with) )?(?:which|what) (?:\w+ )?"
    r"(?:company|companies|firm|bank|business|organi[sz]ation|investor|supplier|provider|customer|"
    r"carrier|agency|university|college|school|hospital|partner|colleague|engineer|person|people|"
    r"railway|airline|hotel|shop|vendor|auditor|client)s?\b",
    re.IGNORECASE,
)
# "Who is Ann Oak?" gives the name, and asks what there is to say.
_WHO_IS = re.compile(
    rf"^[Ww]ho(?:[’']s| is| was| are| were) [A-ZÀ-Þ]|[{SYLLABLES}]{{2,4}}[은는이가] 누구"
)
_PLACE = re.compile(
    r"\b(?:which|what) (?:city|cities|town|country|countries|place|port|harbou?r|site|building|"
    r"street|address|village|island|region|state)s?\b|\b(?:the|an?) address(?:es)? of\b|^where\b",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"\b(?:phone|telephone|extension|e-?mail|mail address|mobile number|fax)\b"
    r"|번호(?:는|가|를)|전화번호|내선|연락처|메일[^.?]{0,12}주소|주소[^.?]{0,12}메일",
    re.IGNORECASE,
)
_HELD_CONTACT = re.compile(
    r"\S@\S|\+\d[\d -]{6,}|(?<![\w.,-])(?!(?:19|20)\d\d\b)\d{3,5}(?![\w.,-])"
)
# Code has capitals of its own.
_CODE = re.compile(r"^\s*(?:def|class|import|from|return|@\w+|async|const|let|var|function)\b")
_TITLES = (
    "팀장|님|씨|매니저|대표|이사|선임|책임|수석|사원|대리|과장|차장|부장|본부장|실장|원장|사장|회장|박사|"
    "교수|기자|위원|담당|엔지니어|디자이너|개발자|회계사|변호사|최고"
)
_KOREAN_PERSON = re.compile(
    rf"(?<![{SYLLABLES}])([{SURE}][{SYLLABLES}]{{2}})"
    rf"(?=\s?(?:{_TITLES})|(?:이|가|은|는|을|를|의|에게|와|과|께서|도|입니다|이다|이며|이고)(?![{SYLLABLES}])"
    rf"|\(|\s?[,/|·]|\s*$|\*)"
)
# "When" is answered by an hour in words and by a condition as well.
_TIMED = re.compile(
    rf"\bat (?:{HOURS_PATTERN})\b"
    r"|\b(?:when|until|once|as soon as|every|daily|weekly|monthly|yearly|tomorrow|"
    r"dawn|dusk|sunrise|sunset|noon|midnight|"
    r"mornings?|afternoons?|evenings?|nights?|tide|spring|summer|autumn|winter|christmas|easter)\b"
    r"|새벽|아침|오전|오후|저녁|밤|봄|여름|가을|겨울|매일|매주|매달|매월|매년|때",
    re.IGNORECASE,
)
_LEADING = re.compile(r"(?:[.!?:|·(]\s+|\*\*|\n[-*]\s+)$")
_PREPOSED = re.compile(r"\b(?:in|at|from|near|to|via|through) $", re.IGNORECASE)
_TOLD = re.compile(r"\b(?:is|was|are|were|by|named|called|ask|tell|call) $", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<![\w’'.-])[A-ZÀ-Þ][\w’'-]*[a-z0-9à-ÿ][\w’'-]*")
# Titles and days have capitals, and name nobody.
_TITLES_OF_WORK = frozenset(
    """chief officer executive financial technology operating head director manager lead leader team
    senior junior engineer software counsel legal vice president department minutes""".split()
)
_RUN = re.compile(
    rf"{_CAPITAL.pattern}(?:(?:\s|\s?&\s|\s(?:de|van|von|der|la|le|di|da)\s(?:(?:der|la)\s)?){_CAPITAL.pattern})*"
)
_DAYS = frozenset({*MONTHS, *WEEKDAYS})
_PLACED = re.compile(
    rf"\d+\s?층|[{SYLLABLES}]{{2,}}(?:시|구|동|로|길|항|역|군|읍|창고|사무소|센터|공원|산책로|건물)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Words that the passages at hand write without a capital, and parts of longer names."""

    common: frozenset[str]
    parts: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """A name: its words, plain; whether one alone begins a sentence; whether it is a place's.

    `told` when what stands before says that it answers who: "is Omar", "by Omar".
    """

    words: tuple[str, ...]
    leads: bool
    placed: bool
    told: bool


def read_words(texts: Iterable[str]) -> Words:
    """Return what some passages tell of words and names."""
    common: set[str] = set()
    parts: set[str] = set()
    for text in texts:
        common.update(plain(word) for word in words(text) if word[0].islower())
        for run in _runs(text):
            if len(run.words) > 1:
                parts.update(run.words)
    return Words(common=frozenset(common), parts=frozenset(parts - common))


def want_of(question: Question) -> Want:
    """Return what an answer to a question must hold."""
    text = question.asks
    if _CONTACT.search(text):
        return Want.CONTACT
    if question.kind in (QuestionKind.NUMBER, QuestionKind.DATE):
        return Want.FIGURE if question.kind is QuestionKind.NUMBER else Want.DATE
    if gives_measure(text, "") is not None:
        return Want.FIGURE
    if question.kind is QuestionKind.PERSON:
        return Want.ANYTHING if _WHO_IS.match(text) else Want.PERSON
    if _NAME.search(text):
        return Want.NAME
    if question.kind is QuestionKind.PLACE or _PLACE.search(text):
        return Want.PLACE
    return Want.ANYTHING


def gives(question: Question, sentence: str, *, known: Words) -> float:
    """Return how surely, 0 to 1, a sentence holds what is asked for and not in the question."""
    want = want_of(question)
    if want is Want.ANYTHING:
        return 0.5
    if want is Want.CONTACT:
        return float(_HELD_CONTACT.search(sentence) is not None)
    if want is Want.DATE:
        return float(holds_kind(QuestionKind.DATE, sentence) or _TIMED.search(sentence) is not None)
    if want is Want.FIGURE:
        measured = gives_measure(question.asks, sentence)
        if measured is None:
            return float(holds_answer(question, sentence))
        return 1.0 if measured else 0.4 * float(holds_answer(question, sentence))
    return _gives_name(question, sentence, known=known, want=want)


def _gives_name(question: Question, sentence: str, *, known: Words, want: Want) -> float:
    if _CODE.match(sentence):
        return 0.0
    if want is Want.PLACE and question.is_korean and _PLACED.search(sentence):
        return 1.0
    korean = {name for name in _KOREAN_PERSON.findall(sentence) if name not in question.text}
    if korean and want is not Want.PLACE:
        return 1.0
    own = frozenset(plain(word) for word in words(question.text))
    common = known.common | _TITLES_OF_WORK | own
    return max((_weight(run, common, known, want=want) for run in _runs(sentence)), default=0.0)


def _weight(run: _Run, common: frozenset[str], known: Words, *, want: Want) -> float:
    """Return how surely a name is one that is wanted: a place's is no person's."""
    new = [word for word in run.words if word not in common]
    if not new:
        is_title = len(run.words) > 1 and not set(run.words) - _TITLES_OF_WORK
        return 0.6 if is_title else 0.0  # "the Chief Financial Officer" says who, and names nobody
    is_part = bool(known.parts.intersection(new))
    if run.leads and not is_part:
        return 0.0
    if want is Want.PLACE or is_part or (not run.placed and (want is Want.NAME or len(new) > 1)):
        return 1.0
    return 1.0 if run.told else 0.4


def _runs(text: str) -> Iterator[_Run]:
    """Yield names: capitalised words that stand together, without days and titles."""
    at = 0
    for match in _RUN.finditer(text):
        found = [plain(word.group()) for word in _CAPITAL.finditer(match.group())]
        kept = tuple(word for word in found if word not in _DAYS | STOP_WORDS)
        before = text[at : match.start()]
        begins = not before.strip() or _LEADING.search(before) is not None
        alone = len(found) < 2 and text[match.end() : match.end() + 1] != ","
        at = match.end()
        if kept:
            said = f"{before}{found[0]} " if found[0] in STOP_WORDS else before
            placed = _PREPOSED.search(said) is not None
            told = _TOLD.search(before) is not None
            yield _Run(words=kept, leads=begins and alone, placed=placed, told=told)
