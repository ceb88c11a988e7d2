"""What speaks in a question for each column of a table: its name, its size, what is alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.language.terms import stem
from weft.offline.plans.asking import (
    AskedFor,
    Extreme,
    cues,
    extremes,
    groups,
    negations,
    operator_spans,
    without_preamble,
)
from weft.offline.plans.comparing import CellComparison, compared
from weft.offline.plans.sketch import QuestionLink, Sketch, SketchColumn
from weft.offline.plans.words import SizeWords, asked_names, is_source, light_words, measures
from weft.retrieval.tables.cells import unit_of
from weft.retrieval.tables.links import QuestionWord, is_small, words_of
from weft.retrieval.tables.naming import name_meanings, name_words
from weft.retrieval.tables.table import ColumnKind

_WORDS = {
    # Behind another such word it only tells more of a noun: "the fee of courses whose level is …".
    "who": pattern(
        r"^(?:(?!\b(?:what|which|how|where|when)\b).)*?\b(?:who|whom|whose)\b|누구|누가", 2
    ),
    "where": pattern(r"\bwhere\b|어디", 2),
    "when": pattern(r"\bwhen\b|\bwhat (?:date|day|year|time)\b|언제", 2),
    "why": pattern(r"\bwhy\b|\bhow come\b|왜", 2),
    "cost": pattern(r"\bhow much\b|\bcosts?\b|얼마", 2),
    "many": pattern(r"\bhow (?!come\b)\w+\b|몇|얼마", 2),
}
_ASKING = frozenset({"where", "when", "who", "whom", "whose", "which", "what", "how"})
_LABELS = frozenset(
    {"id", "no", "nr", "number", "code", "tag", "rank", "index", "ref", "serial"}
    | {"번호", "순위", "#"}
)
_SHARES = frozenset({"share", "percentage", "percent", "proportion", "비율"})
_PARTS_OF_DAYS = frozenset(
    {"year", "yr", "month", "mon", "week", "day", "weekday", "quarter", "date", "decade", "hour"}
)
_IN_YEAR = pattern(
    r"(?:\b(?:in|of|for|during|from)(?: the year)?\s+)?\b(?P<year>\d{4})(?:년에?)?(?!\d)", 2
)
_NAME_PART = pattern(r"[^\W_]+")
# "The last name of the oldest": of a column's name, and not the last of rows.
_OF_NAME = pattern(r"(?:first|last)\s+\w", 2)
_FIRST_OF = pattern(r"(?P<first>first|last)\s+(?P<of>[^\W\d_]+)", 2)
_PARTS_OF_YEARS = frozenset({"half", "quarter", "term", "semester", "trimester"})
_LOW = frozenset({"min", "minimum", "low", "lowest", "least"})
_HIGH = frozenset({"max", "maximum", "high", "highest", "most"})
_SHORTENED, _SURELY = 4, 0.9
_ROOT, _ROOTED = 2, 4
_KIN = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSigns:
    """How surely a question speaks of a column, each from 0 to 1, and where it does.

    `name`: words of its name; `kin`: words that mean it; `alike`: words that are like it; `size`:
    an adjective of what it measures; `unit`: the unit of its numbers; `asked`: what the question
    word asks for.
    """

    name: float = 0.0
    name_at: tuple[int, int] | None = None
    kin: float = 0.0
    kin_at: tuple[int, int] | None = None
    alike: float = 0.0
    alike_at: tuple[int, int] | None = None
    size: float = 0.0
    unit: float = 0.0
    asked: float = 0.0

    @property
    def all(self) -> float:
        """Return how surely it is spoken of at all."""
        own = max(self.name, _KIN * self.kin, (self.alike - 0.2) * 1.2, 0.0)
        return own + 0.6 * self.size + 0.4 * self.unit + 0.4 * self.asked

    @property
    def at(self) -> tuple[int, int] | None:
        """Return where it is spoken of: by name, else by words that mean it or are like it."""
        if self.name >= 0.5 and self.name_at is not None:
            return self.name_at
        if self.kin >= 0.5:
            return self.kin_at
        return self.name_at if self.alike_at is None else self.alike_at


@dataclass(frozen=True, kw_only=True)
class QuestionSigns:
    """A question over a table: its words, what they ask for, and what speaks for each column."""

    text: str
    sketch: Sketch
    words: tuple[QuestionWord, ...]
    asked: Mapping[AskedFor, list[tuple[int, int]]]
    extremes: tuple[Extreme, ...]
    compared: tuple[CellComparison, ...]
    groups: tuple[tuple[int, int], ...]
    negated: tuple[int, ...]
    sizes: tuple[SizeWords, ...]
    question_words: frozenset[str]
    signs: Mapping[str, ColumnSigns] = field(default_factory=dict)

    def says(self, word: QuestionWord) -> bool:
        """Tell whether a word says something, and not only what is asked for or of."""
        return not (is_light(word) or is_operator(self, word) or is_source(word.text))


def signs_of(text: str, sketch: Sketch) -> QuestionSigns:
    """Return what speaks in a question for the columns of a table."""
    text = _without_own_year(without_preamble(text), sketch)
    words = tuple(words_of(text))
    said = {word.text.casefold() for word in words}
    found = QuestionSigns(
        text=text,
        sketch=sketch,
        words=words,
        asked=cues(text),
        extremes=tuple(_extremes(text, sketch)),
        compared=tuple(compared(text, sketch.as_of)),
        groups=tuple(groups(text)),
        negated=tuple(negations(text)),
        sizes=tuple(
            one
            for one in measures()
            if said & (one.more | one.less) or {unit_of(word) or word for word in said} & one.units
        ),
        question_words=frozenset(what for what, sign in _WORDS.items() if sign.search(text)),
    )
    return replace(found, signs={one.name: _signs(found, one) for one in sketch.columns.values()})


def _without_own_year(text: str, sketch: Sketch) -> str:
    """Return a question, blanks in place of a year that all of a table is of.

    Where a table tells days or years of its rows, or is asked for one by name, it may part them.
    """
    if any(one.is_dated or one.is_year for one in sketch.columns.values()):
        return text
    for match in _IN_YEAR.finditer(text):
        start, end = match.span("year")
        is_said = any(one.start < end and start < one.end for one in sketch.said)
        if start in sketch.own and not is_said:
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text


def _extremes(text: str, sketch: Sketch) -> Iterable[Extreme]:
    """Return the words for the most and the least that are no part of a comparison or a name."""
    spans = [(one.start, one.end) for one in compared(text, sketch.as_of)]
    spans += [
        (one.start, one.end)
        for one in sketch.said
        if len(one.values) != 1  # of a name, or of several months
        and not (one.alike or one.kin)
        and one.score >= _SURELY
        and _OF_NAME.match(text, one.start, one.end)
    ]
    names = {tuple(name_words(one))[:2] for one in sketch.columns}
    for match in _FIRST_OF.finditer(text):
        said = (match["first"].casefold(), match["of"].casefold())
        if said[1] in _PARTS_OF_YEARS or said in names:  # "the first term", "a first aid course"
            spans.append(match.span())
    return [one for one in extremes(text) if not any(a <= one.start < b for a, b in spans)]


def _signs(found: QuestionSigns, column: SketchColumn) -> ColumnSigns:
    links = [one for one in found.sketch.said if one.column == column.name and not one.values]
    told = [one for one in links if not one.alike and not one.kin]
    named = max(told, key=_surest, default=None)
    meant = [one for one in links if one.kin and not _names_another(found.sketch, one)]
    kin = max(meant, key=_surest, default=None)
    near = [
        one
        for one in found.sketch.nearest
        if one.column == column.name and not _names_another(found.sketch, one)
    ]
    alike = max((*near, *(one for one in links if one.alike)), key=_surest, default=None)
    return ColumnSigns(
        name=named.score if named else _rooted(found, column),
        name_at=(named.start, named.end) if named else None,
        kin=kin.score if kin else 0.0,
        kin_at=(kin.start, kin.end) if kin else None,
        alike=alike.score if alike else 0.0,
        alike_at=(alike.start, alike.end) if alike else None,
        size=_size(found, column),
        unit=_unit(found, column),
        asked=_asked(found, column),
    )


def _names_another(sketch: Sketch, alike: QuestionLink) -> bool:
    """Tell whether words that are like a column's name are those of another column's."""
    return any(
        not one.alike
        and not one.kin
        and not one.values
        and one.column != alike.column
        and one.score >= _SURELY
        and one.start <= alike.start < one.end
        for one in sketch.said
    )


def _surest(one: QuestionLink) -> tuple[float, int]:
    return one.score, one.end - one.start


def _rooted(found: QuestionSigns, column: SketchColumn) -> float:
    """Return a half where a word has the root of a name: 입사한 of 입사일, drives of driver."""
    name = column.name
    if name.isascii():
        parts = [part for part in name_words(name) if len(part) >= _ROOTED]
        said = [word.text.casefold() for word in found.words]
        return 0.6 if any(_of_root(one, part) for one in said for part in parts) else 0.0
    roots = [w.text for w in found.words if len(w.text) > _ROOT and not w.text.isascii()]
    return 0.5 if any(name.startswith(one[:_ROOT]) for one in roots) else 0.0


def _of_root(word: str, part: str) -> bool:
    """Tell whether two words begin alike for most of both."""
    same = next(
        (at for at, (a, b) in enumerate(zip(word, part, strict=False)) if a != b),
        min(len(word), len(part)),
    )
    return same >= _ROOTED and same * 5 >= max(len(word), len(part)) * 3


def _size(found: QuestionSigns, column: SketchColumn) -> float:
    if column.kind not in (ColumnKind.NUMBER, ColumnKind.DATE):
        return 0.0
    said = {word.text.casefold() for word in found.words}
    best = 0.0
    for size in found.sizes:
        if _is_called(column, size.names):
            ends = _LOW if said & size.less else _HIGH
            both = {part.casefold() for part in _NAME_PART.findall(column.name)}
            best = max(best, 0.5 if both & (_LOW | _HIGH) and not both & ends else 1.0)
        elif size.dated and (column.kind is ColumnKind.DATE or column.is_year):
            best = max(best, 0.7)
    return best


def _is_called(column: SketchColumn, names: Iterable[str]) -> bool:
    words = {word for part in name_meanings(column.name) for word in part}
    return any(
        name == word or (len(word) >= _SHORTENED and word.isascii() and name.startswith(word))
        for name in names
        for word in words
    )


def _unit(found: QuestionSigns, column: SketchColumn) -> float:
    parts = [unit_of(part) for part in _NAME_PART.findall(column.name)[1:]]
    units = {one for one in (*parts, column.unit) if one}
    return float(any(unit_of(word.text.casefold()) in units for word in found.words))


def _asked(found: QuestionSigns, column: SketchColumn) -> float:
    """Return how well a column is what the question word asks for."""
    words = {stem(word) for word in name_words(column.name)}
    asked = found.question_words
    best = 0.0
    if "when" in asked:
        best = 1.0 if column.kind is ColumnKind.DATE or column.is_year else 0.0
    for what in ("where", "who", "why", "cost"):
        if what in asked and words & {stem(name) for name in asked_names(what)}:
            best = max(best, 0.9)
    if "who" in asked and column.is_of_people:
        best = max(best, 0.7)
    if asked & {"many", "cost"} and column.kind is ColumnKind.NUMBER:
        best = max(best, 0.3)
    return best


def names_share(found: QuestionSigns) -> bool:
    """Tell whether a share that is asked for is what a column has: "Share organic"."""
    said = {stem(word.text.casefold()) for word in found.words}
    return any(
        column.kind is ColumnKind.NUMBER
        and _SHARES & set(parts := name_words(column.name))
        and {stem(part) for part in parts} <= said
        for column in found.sketch.columns.values()
    )


def is_label(column: SketchColumn) -> bool:
    """Tell whether a column's numbers only tell things apart: an id, a number, a code."""
    return bool(set(name_words(column.name)) & _LABELS)


def is_label_word(word: str) -> bool:
    """Tell whether a word asks for a label: "number", "ids"."""
    return word.casefold().removesuffix("s") in _LABELS


def is_part_of_day(column: SketchColumn) -> bool:
    """Tell whether a column's numbers are parts of a day or a date: a month, an hour."""
    return bool(set(name_words(column.name)) & _PARTS_OF_DAYS)


def is_light(word: QuestionWord) -> bool:
    """Tell whether a word is one that any question may have."""
    said = word.text.casefold()
    light = light_words()
    if is_small(word) or said in _ASKING or said in light:
        return True
    return any(key in light for key in word.keys)


def is_operator(found: QuestionSigns, word: QuestionWord) -> bool:
    """Tell whether a word is a part of what is asked for: "how many", "on average"."""
    places = [*operator_spans(found.text), *((one.start, one.end) for one in found.extremes)]
    return any(start < word.end and word.start < end for start, end in places)
