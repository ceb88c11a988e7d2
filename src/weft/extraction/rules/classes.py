"""What class a name is of: the ontology's hints and the words around each place it stands."""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from weft.domain.frozen import dataclass
from weft.extraction.rules.spans import SpanCandidate
from weft.extraction.vocabulary import class_of
from weft.language.names import normalise
from weft.ontology.schema import Ontology

_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
_APPOSITION = re.compile(
    r"^,?\s(?:is|was|are|were|be|became|has been|,)?\s?(?:an?|the|one of the)\s"
    r"|^,\san?\s|^\s?\([^()]{0,80}\)\s(?:is|was)\s(?:an?|the)\s"
)
_AFTER_REACH, _BEFORE_REACH, _APPOSITION_REACH = 40, 32, 9
_SINGLE_PREPOSITIONS = frozenset({"in", "at", "from", "near", "across", "outside", "throughout"})
_SPEAKS = 2
_LIFE = re.compile(
    r"^,?\s\((?:[^()]{0,40},\s)?(?:born\b|b\.\s|[^()]{0,30}\b\d{4}\s?[–—-]\s?[^()]{0,24}\d{2})"
)
_THEN_PLACE = re.compile(r"^,\s([^\W\d_][\w.]+(?:\s[A-Z]\w+)?)")
_ACRONYM = re.compile(r"^[A-Z]{2,5}s?$")
_STOPS = frozenset(".;:!?),")
_ARTICLES = frozenset({"the", "a", "an"})
_CLAUSE_END = frozenset(
    {"that", "which", "who", "by", "from", "in", "at", "for", "and", "with", "of"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """The hints of all classes, turned round: from a word to the classes it speaks for."""

    members: Mapping[str, str]
    keywords: Mapping[str, str]
    endings: Mapping[str, str]
    beginnings: Mapping[str, str]
    before: Mapping[str, str]
    after: Mapping[str, str]


@functools.lru_cache(maxsize=16)
def hints(ontology: Ontology) -> Hints:
    """Return the hints of an ontology; where two classes share a word the first class has it."""
    tables: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for each in ontology.classes:
        for member in each.members:
            tables["members"].setdefault(normalise(member), each.name)
        for table in ("keywords", "endings", "beginnings", "before", "after"):
            for phrase in getattr(each, table):
                tables[table].setdefault(phrase, each.name)
    return Hints(
        members=tables["members"],
        keywords=tables["keywords"],
        endings=tables["keywords"] | tables["endings"],
        beginnings=tables["beginnings"],
        before=tables["before"],
        after=tables["after"],
    )


def clues(text: str, span: SpanCandidate, *, hints: Hints) -> Counter[str]:
    """Return how strongly each class is spoken for by one place where a name stands."""
    found: Counter[str] = Counter()
    surface = text[span.start : span.end]
    _from_itself(surface, hints, found)
    before = text[max(0, span.start - _BEFORE_REACH) : span.start]
    _from_before(before, hints, found, worded=surface.istitle())
    _from_after(text[span.end : span.end + 3 * _AFTER_REACH].lstrip('"”’»'), hints, found)
    if surface.startswith("The ") and " " in surface[4:]:
        found["work"] += 2
    if span.role:
        found["person"] += 3
    if span.quoted:
        found["work"] += 2
    return found


def shape(surface: str) -> Counter[str]:
    """Return the weak guess that a name's form alone gives, for when nothing else speaks."""
    words = surface.split()
    guess: Counter[str] = Counter()
    if _ACRONYM.match(surface):
        guess["organization"] += 2
    elif any(char.isdigit() for char in surface):
        guess["product"] += 2
    elif 2 <= len(words) <= 3 and all(word[0].isupper() for word in words):
        guess["person"] += 2
    else:
        guess["concept"] += 1
    return guess


def _from_itself(surface: str, hints: Hints, found: Counter[str]) -> None:
    member = hints.members.get(normalise(surface))
    if member:
        found[member] += 8
    words = [word.casefold().rstrip(".") for word in surface.split()]
    last = lookup(hints.endings, words[-1])
    if last and len(words) > 1:
        found[last] += 5
    elif last:
        found[last] += 1
    first = hints.beginnings.get(words[0])
    if first:
        found[first] += 3 if len(words) > 1 else 2
    for word in words[:-1]:
        kind = lookup(hints.keywords, word)
        if kind:
            found[kind] += 3 if word == words[0] else 2
            break


def _from_before(before: str, hints: Hints, found: Counter[str], *, worded: bool) -> None:
    """Weigh the words before a name; `in` makes a place only of what is written like one."""
    words = [match[0].casefold() for match in _WORD.finditer(before)]
    tail = before.rstrip(' "“‘(')
    if not words or tail[-1:] in _STOPS:
        return
    article = words[-1] in _ARTICLES
    if tail.endswith("the"):
        found["organization"] += 1
    words = words[:-1] if article else words
    for size in (3, 2, 1):
        phrase = " ".join(words[-size:])
        kind = hints.before.get(phrase) if len(words) >= size else None
        if kind and (worded or phrase not in _SINGLE_PREPOSITIONS):
            near = 2 if phrase in _SINGLE_PREPOSITIONS else 3
            found[kind] += 1 if article else near
            return
    kind = lookup(hints.keywords, words[-1]) if words else None
    if kind:
        found[kind] += 2


def _from_after(after: str, hints: Hints, found: Counter[str]) -> None:
    words = [match[0].casefold() for match in _WORD.finditer(after[:_AFTER_REACH])]
    for size in (2, 1):
        phrase = " ".join(words[:size])
        if len(words) >= size and phrase in hints.after and after[:1] in " (":
            found[hints.after[phrase]] += 3
            break
    if _LIFE.match(after):
        found["person"] += 4
    following = _THEN_PLACE.match(after)
    if following and hints.members.get(normalise(following[1])) == "place":
        found["place"] += 3
    described = _APPOSITION.match(after)
    if described:
        kind = _head(after[described.end() :], hints)
        if kind:
            found[kind] += 6
    elif words and after[:1] == " " and (near := hints.keywords.get(words[0])):
        found[near] += 2


def _head(description: str, hints: Hints) -> str | None:
    """Return the class of the noun that a description comes to: `a Korean film director`."""
    kind = None
    stop = re.search(r"[.;:(\n]", description)
    for match in list(_WORD.finditer(description[: stop.start() if stop else None]))[
        :_APPOSITION_REACH
    ]:
        word = match[0].casefold()
        if kind and word in _CLAUSE_END:
            break
        kind = lookup(hints.keywords, word) or kind
    return kind


def lookup(table: Mapping[str, str], word: str) -> str | None:
    """Return what a table says of a word or of its singular."""
    found = table.get(word)
    if found is None and word.endswith("s"):
        found = table.get(word[:-1])
    return found


def decide(weights: Counter[str], surface: str, *, ontology: Ontology) -> str:
    """Return the class with the greatest weight; a name's form decides where little else speaks.

    Classes that the ontology does not let in do not count; empty where none is left.
    """
    total = _let_in(weights, ontology)
    if not total or max(total.values()) < _SPEAKS:
        total += _let_in(shape(surface), ontology)
    return min(total, key=lambda each: (-total[each], each), default="")


def _let_in(weights: Counter[str], ontology: Ontology) -> Counter[str]:
    found: Counter[str] = Counter()
    for kind, weight in weights.items():
        own = _own_class(kind, ontology)
        if own:
            found[own] += weight
    return found


@functools.lru_cache(maxsize=4096)
def _own_class(name: str, ontology: Ontology) -> str | None:
    return class_of(name, ontology)
