"""Records: what rows of tables, heads of pages and labelled sentences say, field by field."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.offline.question.names import bare_title, tokens
from weft.offline.tables.words import field_forms, table_words
from weft.retrieval.tables.naming import singular

_JOINED = pattern(r"\s*(?:,|;|/(?=\s)|、)\s*|\s+(?:and|und|및|·)\s+")
_MOST_WORDS = 8
_MOST_ITEMS = 12
_WORD = pattern(r"[^\W_]+")
_FIGURE = pattern(r"[+-]?\d[\d,]*(?:\.\d+)?")
_MAGNITUDES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "천": 1e3, "만": 1e4, "억": 1e8}
_FREE = pattern(r"^(?:about|around|some|at most|at least|up to|eur|usd|gbp|krw|[€$£₩])?\s*", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words as they stand in the evidence of that id."""

    evidence_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a record: its name and value, and the words that say it."""

    name: str
    value: str
    quote: Quote


@dataclass(frozen=True, kw_only=True)
class TableRecord:
    """One thing that a table lists: what it is called, and its fields."""

    name: str
    fields: tuple[Field, ...]
    aliases: tuple[str, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """Return the fields by their names, the first of two of one name."""
        return {one.name: one for one in reversed(self.fields)}

    def value(self, name: str) -> str:
        """Return the value of a field, empty where the record has none."""
        held = self.by_name.get(name)
        return held.value if held else ""

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """Return the words that the record stands on, each once."""
        return tuple(dict.fromkeys(one.quote for one in self.fields))


@dataclass(frozen=True, kw_only=True)
class Table:
    """Records of one kind.

    `names` are the forms of what the table is called itself, `near` those of what stands around
    it (folder, title, section); `title` is how a note calls it. `is_partial` when some of what
    it may list could not be read as records. With `announced`, the text before
    says how many there are, and `lead` are the forms of that text.
    """

    title: str
    names: frozenset[str]
    near: frozenset[str]
    records: tuple[TableRecord, ...]
    lead: frozenset[str] = frozenset()
    is_labelled: bool = False
    announced: bool = False
    is_partial: bool = False

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Return the names of the fields in order."""
        return tuple(dict.fromkeys(one.name for row in self.records for one in row.fields))

    @cached_property
    def key_field(self) -> str:
        """Return the field that says what a record is called; empty where none does."""
        return _key_field(self)

    @cached_property
    def ranges(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of fields that are the two ends of something, the lower one first."""
        found: list[tuple[str, str]] = []
        for low, high in table_words().ranges:
            for name in self.fields:
                other = re.sub(rf"(?<![^\W_]){low}(?![^\W_])", high, name.casefold())
                found += [(name, n) for n in self.fields if n != name and n.casefold() == other]
        return tuple(found)

    @cached_property
    def is_personal(self) -> bool:
        """Tell whether the records are of people."""
        words = [set(map(str.casefold, _WORD.findall(name))) for name in self.fields]
        personal = [own & table_words().personal for own in words]
        named = any("name" in own or "이름" in own for own in words)
        return named and sum(map(bool, personal)) > 2

    @cached_property
    def values(self) -> dict[tuple[str, ...], tuple[tuple[str, int], ...]]:
        """Return every value as words, with the fields and the records (by number) that have it.

        What a record is called without having a field for it is under the field "".
        """
        found: dict[tuple[str, ...], dict[tuple[str, int], None]] = {}
        for number, row in enumerate(self.records):
            for one in row.fields:
                for said in spellings(one.value):
                    found.setdefault(said, {})[one.name, number] = None
            for name in (row.name, *row.aliases):
                for said in spellings(name):
                    found.setdefault(said, {})[self.key_field, number] = None
        return {key: tuple(places) for key, places in found.items() if key}

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Return all words of the values."""
        return frozenset(word for value in self.values for word in value)

    @cached_property
    def forms(self) -> frozenset[str]:
        """Return the forms of all words around the values: of fields, names and what is near."""
        words = (forms_of(name) for name in self.fields)
        joined = (form for name in self.fields for word in name_words(name) for form in word)
        units = (amount(one.value) for row in self.records for one in row.fields)
        own = frozenset(form for held in units if held for form in field_forms(held[1]))
        return self.names | self.near | self.lead | own | frozenset(joined).union(*words)

    def display(self, row: TableRecord) -> str:
        """Return what a record is called."""
        return (row.value(self.key_field) if self.key_field else "") or row.name


@lru_cache(maxsize=16384)
def words_of_value(value: str) -> tuple[str, ...]:
    """Return the words of a value in order, by which it is found in a question."""
    return tuple(singular(token.key) for token in tokens(value))


@lru_cache(maxsize=8192)
def spellings(value: str) -> tuple[tuple[str, ...], ...]:
    """Return how a value may be said: whole, without what is in parentheses, each of several."""
    bare = bare_title(value)
    items = items_of(value)
    said = (words_of_value(one) for one in dict.fromkeys((value, bare, *items)))
    return tuple(words for words in said if 0 < len(words) <= _MOST_WORDS)


@lru_cache(maxsize=8192)
def items_of(value: str) -> tuple[str, ...]:
    """Return the items of a value that lists several, else the value alone, brackets left out."""
    items = [one.strip() for one in _JOINED.split(bare_title(value)) if one.strip()]
    short = all(len(one.split()) <= _MOST_WORDS // 2 for one in items)
    if _FIGURE.search(value) or not 1 < len(items) <= _MOST_ITEMS or not short:
        return (bare_title(value),)
    return tuple(items)


@lru_cache(maxsize=4096)
def name_words(name: str) -> tuple[frozenset[str], ...]:
    """Return the words of a field's name as forms, those a question must say; never none."""
    words = [word.casefold() for word in _WORD.findall(name.replace("_", " "))]
    needed = [w for w in words if w not in table_words().optional and not w.isdigit()]
    joined = "".join(words)
    whole = table_words().groups.get(joined) if len(words) > 1 else None
    if whole:  # "담당 팀" is one word of meaning
        return (whole | {f"={joined}"},)
    return tuple(field_forms(word) for word in needed or words)


def forms_of(text: str) -> frozenset[str]:
    """Return the forms of all words of a text."""
    return frozenset(
        form for token in tokens(text.replace("_", " ")) for form in field_forms(token.key)
    )


def amount(value: str) -> tuple[float, str] | None:
    """Return the figure that a value begins with and its unit; None where it begins with none."""
    text = value.strip()
    lead = _FREE.match(text)
    at = lead.end() if lead else 0
    match = _FIGURE.match(text, at)
    if match is None:
        return None
    rest = text[match.end() :].strip()
    if rest[:1] in {"-", "–", ":"}:  # a range, a date or a time of day
        return None
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+|%", rest)]
    size = 1.0
    while words and words[0] in _MAGNITUDES:
        size *= _MAGNITUDES[words.pop(0)]
    unit = (text[:at].strip().casefold() or (words[0] if words else "")).rstrip("s")
    return float(match.group().replace(",", "")) * size, unit


def _key_field(table: Table) -> str:
    rows = table.records
    if all(row.name for row in rows) and table.is_labelled:
        return ""
    names = [name for name in table.fields if name.casefold() != "id"]
    for wanted in ("name", "이름", "issue_key"):
        for name in names:
            if name.casefold() == wanted:
                return name
    if all(row.name for row in rows):
        return ""
    own = [name for name in names if not table.names.isdisjoint(field_forms(name.casefold()))]
    for name in (*own, *names):
        values = [row.value(name) for row in rows]
        if all(values) and len(set(values)) == len(values) and amount(values[0]) is None:
            return name
    return ""
