"""Values, figures and fields of a table in a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.language.patterns import pattern
from weft.offline.question.names import without_particle
from weft.offline.tables.records import Table, name_words
from weft.offline.tables.spots import Reading, Spot, Use
from weft.offline.tables.words import asked_forms, is_small, table_words
from weft.retrieval.tables.naming import singular

_MOST = 8
_BEYOND = pattern(
    r"\b(?P<more>more than|over|above|at least|greater than|larger than|higher than)\s+"
    r"(?P<m>\d[\d,.]*)"
    r"|\b(?P<less>fewer than|less than|under|below|at most|up to|smaller than|lower than)\s+"
    r"(?P<l>\d[\d,.]*)",
    re.IGNORECASE,
)
_ROLES = frozenset({"title", "role", "position", "type", "kind"})
_HEAD = pattern(
    r"\b(?:how many|number of|which|what|all|the)\s+(?:of\s+)?(?:the\s+|our\s+|all\s+)?$", re.I
)


def take_values(reading: Reading) -> None:
    """Take the longest runs of words that are values, and single ones that are nothing else."""
    for size in range(min(_MOST, len(reading.words)), 0, -1):
        for first in range(len(reading.words) - size + 1):
            last = first + size - 1
            if not reading.open(first, last):
                continue
            places = _places(reading, first, last)
            if places and (size > 1 or _is_value(reading, first, places)):
                reading.take(Spot(use=Use.VALUE, first=first, last=last, places=places))


def _places(reading: Reading, first: int, last: int) -> tuple[tuple[str, int], ...]:
    run = [word.key for word in reading.words[first : last + 1]]
    stems = [singular(key) for key in run]
    bare = [*stems[:-1], singular(without_particle(run[-1].removesuffix("보다")))]
    held = reading.table.values
    found = held.get(tuple(stems)) or held.get(tuple(bare)) or ()
    wider = _kind_of(reading.table, tuple(stems)) if _is_head(reading, first) else ()
    if found and wider:  # ferries alone, or fast ferries as well?
        return ()
    found = found or wider
    own = len(run) == 1 and (run[0].isdigit() or is_small(run[0]))
    return () if own and not _is_spelt_so(reading, first, found) else found


def _kind_of(table: Table, stems: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Return who has a title that ends with the words: an engineer may be a backend engineer."""
    roles = {name for name in table.fields if name.casefold() in _ROLES}
    return tuple(
        place
        for key, places in table.values.items()
        if len(key) > len(stems) and key[-len(stems) :] == stems
        for place in places
        if place[0] in roles
    )


def _is_head(reading: Reading, first: int) -> bool:
    return bool(_HEAD.search(reading.text[: reading.words[first].start]))


def _is_spelt_so(reading: Reading, at: int, places: Sequence[tuple[str, int]]) -> bool:
    """Tell whether one word stands in a value as it stands in the question, a capital included."""
    said = without_particle(reading.words[at].surface)
    if said.isdigit() or said.islower():
        return False
    return any(said in reading.table.records[row].value(name) for name, row in places)


def _is_value(reading: Reading, at: int, places: Sequence[tuple[str, int]]) -> bool:
    """Tell whether a single word is meant as a value, where it may also name table or field."""
    forms = reading.forms[at]
    key = reading.words[at].key
    other = not forms.isdisjoint(reading.table.names) or key in table_words().persons
    other = other or any(_stands_for(forms, name) for name in reading.table.fields)
    if not other:
        return True
    behind = reading.forms[at + 1] if at + 1 < len(reading.words) else frozenset[str]()
    if any(name and _stands_for(behind, name) for name, _ in places):
        return True  # "the data team"
    return at > 0 and _is_spelt_so(reading, at, places)


def _stands_for(forms: frozenset[str], name: str) -> bool:
    return bool(name) and all(not forms.isdisjoint(word) for word in name_words(name))


def beyond(text: str) -> list[re.Match[str]]:
    """Return where a text says "more than 50" and the like."""
    return list(_BEYOND.finditer(text))


def take_figures(reading: Reading) -> None:
    """Take "more than 50" and the like."""
    for match in beyond(reading.text):
        said = match["m"] or match["l"]
        inside = [
            at for at in reading.free() if match.start() <= reading.words[at].start < match.end()
        ]
        if inside:
            sign = ">" if match["more"] else "<"
            if (match["more"] or match["less"]).casefold() in {"at least", "at most", "up to"}:
                sign += "="
            figure = float(said.rstrip(".,").replace(",", ""))
            reading.take(
                Spot(use=Use.FIGURE, first=inside[0], last=inside[-1], figure=figure, sign=sign)
            )


def take_fields(reading: Reading) -> None:
    """Take the words that name fields: all words of a field's name, side by side, few joined."""
    table = reading.table
    for size in range(4, 0, -1):
        for first in range(len(reading.words) - size + 1):
            last = first + size - 1
            if not reading.open(first, last):
                continue
            named = tuple(n for n in table.fields if n and _is_named(reading, n, first, last))
            if named:
                kind = [reading.forms[at] for at in range(first, last + 1)]
                own = named == (table.key_field,) and are_named(kind, table.names)
                use = Use.TABLE if own else Use.FIELD
                reading.take(Spot(use=use, first=first, last=last, fields=named))


def take_levels(reading: Reading) -> None:
    """Take a number beside a field that has it as a value: "tier 1"."""
    for field_ in [spot for spot in reading.spots if spot.use is Use.FIELD]:
        at = field_.last + 1
        if at >= len(reading.words) or at in reading.taken:
            continue
        key = (reading.words[at].key,)
        places = [place for place in reading.table.values.get(key, ()) if place[0] in field_.fields]
        if key[0].isdigit() and places:
            reading.take(Spot(use=Use.VALUE, first=at, last=at, places=tuple(places)))


def _is_named(reading: Reading, name: str, first: int, last: int) -> bool:
    """Tell whether a run of words names a field; what the table is called may be left out."""
    needed = name_words(name)
    own = [word for word in needed if word.isdisjoint(reading.table.names)] or list(needed)
    run = [at for at in range(first, last + 1) if not is_small(reading.words[at].key)]
    ends = {first, last} - set(run)
    if (ends and last > first) or (not run and not _may_ask(reading, first, name)):
        return False
    run = run or [first]
    said = [reading.forms[at] for at in run]
    known = (*needed, *optional(name))
    return all(any(not forms.isdisjoint(w) for forms in said) for w in own) and all(
        any(not forms.isdisjoint(w) for w in known) for forms in said
    )


def are_named(words: Sequence[frozenset[str]], names: frozenset[str]) -> bool:
    """Tell whether each of some words is among some names, all as forms."""
    return all(not forms.isdisjoint(names) for forms in words)


def _may_ask(reading: Reading, at: int, name: str) -> bool:
    """Tell whether a small word names a field itself: "where" a field `Where`, "name" `name`."""
    return reading.words[at].key in {"where", "어디"} and _stands_for(reading.forms[at], name)


def optional(name: str) -> tuple[frozenset[str], ...]:
    """Return all words of a field's name as forms, those that need not be said among them."""
    words = re.findall(r"[^\W_]+", name.replace("_", " "))
    return tuple(asked_forms(word.casefold()) for word in words)
