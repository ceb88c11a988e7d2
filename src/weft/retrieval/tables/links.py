"""What words of a question stand in a table: names of columns, and values, whole or in part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.numerals import ORDINALS, UNITS, VALUES
from weft.language.particles import LONG, SHORT, nouns_of
from weft.language.patterns import pattern
from weft.language.sentences import ends_with_stop
from weft.language.terms import STOP_WORDS, plain, stem
from weft.retrieval.tables.cells import is_empty
from weft.retrieval.tables.naming import BRACKETS, name_meanings, name_words, singular
from weft.retrieval.tables.table import ColumnKind, TableColumn, TypedTable

MOST_VALUES = 20
_MOST_WORDS = 8
_MOST_DISTINCT = 50_000
_LONGEST = 80
_FEWEST_OF_SENTENCE = 4
_WORD = pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")
_NUMBER = pattern(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")
# From two on: "one" is as often no number.
_SPELT = pattern(rf"\b(?:{'|'.join(UNITS[2:13])})\b", 2)
# "2nd" and "second" are one word.
_ORDINALS = {
    f"{at}{'th' if 10 < at < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(at % 10, 'th')}": word
    for at, word in enumerate(ORDINALS, start=1)
}
_ITEMS = pattern(r"\s*[,;/、]\s*|\s+(?:and|und|및|·)\s+")
_MOST_ITEMS = 12
_MOST_CATEGORIES = 60
_FEWEST_LETTERS = 2
_SHORTEST = 4
_LONGEST_CODE = 4
_SHORT = 3
_SHORTENED = 0.9
_LEFT_OUT = 5
_BESIDE = ("보다", "별", "별로", "에서의", "이라는", "인")
_PARTICLES = tuple(sorted({*LONG, *SHORT, *_BESIDE}, key=len, reverse=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWord:
    """A word of a question where it stands, and the keys that it may be compared by."""

    start: int
    end: int
    text: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueLink:
    """Words of a question that are a value of a column, or a part of some (`exact` is not set).

    `values` are the cells' texts; `mixed` tells that some are lists of which it is an item, and
    others just it.
    """

    start: int
    end: int
    column: str
    values: tuple[str, ...]
    exact: bool
    mixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLink:
    """Words of a question that name a column; `score` is 1 where they are all of its name."""

    start: int
    end: int
    column: str
    score: float


def words_of(text: str) -> list[QuestionWord]:
    """Return the words of a question."""
    return [
        QuestionWord(start=m.start(), end=m.end(), text=m.group(), keys=keys_of(m.group()))
        for m in _WORD.finditer(text)
    ]


@lru_cache(maxsize=65536)
def keys_of(word: str) -> tuple[str, ...]:
    """Return what a word is compared by: as one of its kind, Korean bare of particles."""
    key = plain(word)
    if not has_hangul(key):
        return (_ORDINALS.get(key) or singular(key),)
    bare = [
        key.removesuffix(end) for end in _PARTICLES if key.endswith(end) and len(key) > len(end)
    ]
    return tuple(dict.fromkeys((key, *bare, *nouns_of(key))))


@lru_cache(maxsize=65536)
def value_words(text: str) -> tuple[str, ...]:
    """Return the words of a value as they are compared."""
    words = (plain(match.group()) for match in _WORD.finditer(text))
    return tuple(_ORDINALS.get(word) or singular(word) for word in words)


class ValueIndex:
    """The values of a table by their words."""

    def __init__(self, table: TypedTable) -> None:
        """Index the columns of words; long prose is no value."""
        self.whole: dict[tuple[str, ...], dict[tuple[int, str], None]] = {}
        self.parts: dict[str, dict[tuple[int, str], None]] = {}
        self.short: list[tuple[int, str]] = list(_short_categories(table))
        for at, column in enumerate(table.columns):
            if _has_values(column):
                for text in dict.fromkeys(row.cells[at] for row in table.rows):
                    self._add(at, text)

    def _add(self, at: int, text: str) -> None:
        if is_empty(text) or len(text) > _LONGEST:
            return
        for said in (text, BRACKETS.sub("", text), *items_of(text)):
            words = value_words(said)
            if 0 < len(words) <= _MOST_WORDS:
                self.whole.setdefault(words, {})[at, text] = None
        words = value_words(text)
        if len(words) >= _FEWEST_OF_SENTENCE and ends_with_stop(text):
            return  # a sentence that has a word is not what the word means
        for word in words:
            self.parts.setdefault(word, {})[at, text] = None

    def exact(self, run: Sequence[QuestionWord]) -> dict[tuple[int, str], None]:
        """Return the (column, text) of values that are these words."""
        lead = tuple(word.keys[0] for word in run[:-1])
        found: dict[tuple[int, str], None] = {}
        for key in run[-1].keys:
            found |= self.whole.get((*lead, key), {})
        if not found and len(run) == 1 and run[0].text[:1].isupper():
            for name in _of_people(run[0].keys[0]):
                found |= self.whole.get((name,), {})
        return found

    def partial(self, run: Sequence[QuestionWord]) -> dict[tuple[int, str], None]:
        """Return the (column, text) of values that have these words side by side."""
        lead = tuple(word.keys[0] for word in run[:-1])
        found: dict[tuple[int, str], None] = {}
        for key in run[-1].keys:
            wanted = (*lead, key)
            among = self.parts.get(wanted[0], {})
            found |= {one: None for one in among if _has_run(value_words(one[1]), wanted)}
        return found


def _short_categories(table: TypedTable) -> Iterator[tuple[int, str]]:
    """Yield the values of one word of columns that have few, with their column."""
    for at, column in enumerate(table.columns):
        if column.kind is ColumnKind.CATEGORY and column.distinct <= _MOST_CATEGORIES:
            for text in dict.fromkeys(row.cells[at].strip() for row in table.rows):
                if text.isalpha() and text.isascii() and len(text) >= _SHORTEST:
                    yield at, text


def _of_people(word: str) -> Iterator[str]:
    """Yield what an adjective of a place may be made of: Asian of Asia, Japanese of Japan."""
    for ending in ("n", "an", "ian", "ese", "ish", "i"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            yield word.removesuffix(ending)
            if ending in ("an", "ian"):
                yield word.removesuffix(ending) + "e"


def items_of(text: str) -> list[str]:
    """Return the items of a cell that lists several short ones, else none."""
    items = [one.strip() for one in _ITEMS.split(text) if one.strip()]
    short = all(len(one.split()) <= _MOST_WORDS // 2 for one in items)
    return items if 1 < len(items) <= _MOST_ITEMS and short else []


def value_links(
    words: Sequence[QuestionWord], table: TypedTable, *, index: ValueIndex
) -> Iterator[ValueLink]:
    """Yield the longest runs of words that are values, then what is left as parts of values."""
    taken: set[int] = set()
    for find, is_exact in ((index.exact, True), (index.partial, False)):
        for size in range(min(_MOST_WORDS, len(words)), 0, -1):
            for first in range(len(words) - size + 1):
                run = words[first : first + size]
                may_be = _may_be(run) or _is_numeral(words[:first], run, table)
                if not taken.isdisjoint(range(first, first + size)) or not may_be:
                    continue
                columns: dict[int, list[str]] = {}
                for at, text in _as_written(run, find(run), table=table):
                    columns.setdefault(at, []).append(text)
                for at, texts in columns.items():
                    if len(texts) <= MOST_VALUES:
                        taken.update(range(first, first + size))
                        yield ValueLink(
                            start=run[0].start,
                            end=run[-1].end,
                            column=table.columns[at].name,
                            values=tuple(texts),
                            exact=is_exact,
                            mixed=is_exact and len({bool(items_of(one)) for one in texts}) > 1,
                        )


def _as_written(
    run: Sequence[QuestionWord], found: dict[tuple[int, str], None], *, table: TypedTable
) -> list[tuple[int, str]]:
    """Return the values that are written as in the question, where some are: https, not http.

    Of a column that tells the rows apart "China" is not "Hong Kong, China" as well.
    """
    if len(run) == 1:
        found = {one: None for one in found if _is_same_case(run[0], one[1])}
    said = " ".join(plain(word.text) for word in run)
    just = [one for one in found if _spells(one[1], said)]
    named = {at for at, _ in just if at == table.key}
    listed = [one for one in found if any(_spells(each, said) for each in items_of(one[1]))]
    same = [*just, *(one for one in listed if one not in just and one[0] not in named)]
    whole = [one for one in same if one[1][:1].isalnum()] or same
    return whole or list(found)


def _spells(text: str, said: str) -> bool:
    return " ".join(map(plain, _WORD.findall(text))) == said


def number_links(text: str, table: TypedTable) -> Iterator[ValueLink]:
    """Yield the numbers of a question, spelt out or not, that stand in a column of numbers."""
    said = [
        (match.span(), float(match.group().replace(",", ""))) for match in _NUMBER.finditer(text)
    ]
    said += [
        (match.span(), float(VALUES[match.group().casefold()])) for match in _SPELT.finditer(text)
    ]
    for (start, end), value in said:
        for column in table.columns:
            if column.kind is ColumnKind.NUMBER and value * column.scale in column.values:
                yield ValueLink(
                    start=start,
                    end=end,
                    column=column.name,
                    values=(f"{value:g}" if value.is_integer() else str(value),),
                    exact=True,
                )


def column_links(words: Sequence[QuestionWord], table: TypedTable) -> Iterator[ColumnLink]:
    """Yield the runs of words that name a column, by all words of its name or by some."""
    for column in table.columns:
        every = [frozenset(map(stem, part)) for part in name_meanings(column.name)]
        name = [part for part in every if not part & STOP_WORDS] or every
        best = dict(_shortened(words, column.name)) if name else {}
        for run, score in _runs(words, name) if name else ():
            link = ColumnLink(start=run[0].start, end=run[-1].end, column=column.name, score=score)
            if run[0].start not in best or score > best[run[0].start].score:
                best[run[0].start] = link
        yield from best.values()


def _runs(
    words: Sequence[QuestionWord], name: Sequence[frozenset[str]]
) -> Iterator[tuple[Sequence[QuestionWord], float]]:
    """Yield the words that say a name or some of it, and how much of it they say."""
    is_whole = False
    for size in range(min(len(name) + 1, len(words)), 0, -1):
        for first in range(len(words) - size + 1):
            run = words[first : first + size]
            said = [{stem(key) for key in word.keys} for word in run if not is_small(word)]
            if not said or is_small(run[0]) or is_small(run[-1]):
                continue
            if all(any(part & keys for part in name) for keys in said):
                covered = sum(any(part & keys for keys in said) for part in name)
                is_whole = is_whole or covered == len(name)
                yield run, covered / len(name)
    if not is_whole and (pieces := _in_pieces(words, name)):
        yield pieces, 1.0


def _in_pieces(
    words: Sequence[QuestionWord], name: Sequence[frozenset[str]]
) -> Sequence[QuestionWord]:
    """Return the words that say all of a name in another order: "temperature of the main pool".

    Between them stand small words alone; none are returned where there are no such.
    """
    if len(name) < 2:
        return ()
    keys = [set() if is_small(word) else set(map(stem, word.keys)) for word in words]
    said = [{at for at, part in enumerate(name) if part & own} for own in keys]
    for first in (at for at, one in enumerate(said) if one):
        left, last = set(range(len(name))), first
        while left and last < len(words) and (said[last] or is_small(words[last])):
            left -= said[last]
            last += 1
        if not left:
            return words[first:last]
    return ()


def _shortened(words: Sequence[QuestionWord], name: str) -> Iterator[tuple[int, ColumnLink]]:
    """Yield the runs of words that a column's name shortens: `TZ`, `lifeExp`, `gdpPercap`, `pop`.

    Either the first letters of all words, or the beginnings of the words one after another.
    """
    letters = "".join(name_words(name))
    if not letters.isascii() or len(letters) < _FEWEST_LETTERS:
        return
    for size in range(1, min(_MOST_WORDS, len(words)) + 1):
        for first in range(len(words) - size + 1):
            run = words[first : first + size]
            if is_small(run[0]) or is_small(run[-1]):
                continue
            if _shortens([word.keys[0] for word in run], letters, name=name):
                link = ColumnLink(
                    start=run[0].start, end=run[-1].end, column=name, score=_SHORTENED
                )
                yield first, link


def _shortens(keys: Sequence[str], letters: str, *, name: str) -> bool:
    if len(keys) > 1:
        initials = "".join(key[0] for key in keys)
        return initials == letters or _begins_all(keys, letters)
    [key] = keys
    if len(key) >= _SHORT and key == "".join(word[0] for word in name_words(name)):
        return True  # the question's word is the short one: mpg
    # A word that goes on but little is another: agency is no age.
    return (
        len(letters) >= _SHORT and len(key) >= len(letters) + _LEFT_OUT and key.startswith(letters)
    )


def _begins_all(words: Sequence[str], letters: str) -> bool:
    """Tell whether letters are beginnings of all words, one after another."""
    if not words:
        return not letters
    return any(
        _begins_all(words[1:], letters[size:])
        for size in range(_FEWEST_LETTERS, min(len(words[0]), len(letters)) + 1)
        if words[0][:size] == letters[:size]
    )


def is_small(word: QuestionWord) -> bool:
    """Tell whether a word alone says nothing."""
    return plain(word.text) in STOP_WORDS


def _has_values(column: TableColumn) -> bool:
    worded = column.kind in (ColumnKind.CATEGORY, ColumnKind.TEXT)
    return worded and column.distinct <= _MOST_DISTINCT


def _may_be(run: Sequence[QuestionWord]) -> bool:
    """Tell whether words may be a value: not small ones alone, unless written large."""
    if len(run) > 1:
        return not all(map(is_small, run))
    word = run[0]
    if is_small(word):
        # "department A": inside a question one capital is a label, but for the one of who asks.
        return word.text.isupper() and (len(word.text) > 1 or (word.start > 0 and word.text != "I"))
    return len(word.text) >= _FEWEST_LETTERS or word.text.isupper() or has_hangul(word.text)


def _is_numeral(
    before: Sequence[QuestionWord], run: Sequence[QuestionWord], table: TypedTable
) -> bool:
    """Tell whether a single I is one behind what a column is called: "rank I"."""
    if len(run) > 1 or run[0].text != "I" or not before:
        return False
    said = set(before[-1].keys)
    return any(said & set(name_words(column.name)) for column in table.columns)


def _is_same_case(word: QuestionWord, value: str) -> bool:
    """Tell whether one word may be a value by its letters: `day` is not the code DAY."""
    is_code = value.isupper() and value.isascii() and len(value) <= _LONGEST_CODE
    return not (is_code and value.isalpha() and word.text.islower())


def _has_run(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    size = len(wanted)
    return any(words[at : at + size] == wanted for at in range(len(words) - size + 1))


def is_year(text: str) -> bool:
    """Tell whether a word is a year."""
    return len(text) == 4 and text.isdecimal() and text[:2] in ("18", "19", "20", "21")


def content_words(words: Sequence[QuestionWord]) -> list[QuestionWord]:
    """Return the words that say something."""
    return [word for word in words if not is_small(word) and not re.fullmatch(r"\d+", word.text)]
