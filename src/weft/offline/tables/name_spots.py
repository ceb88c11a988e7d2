"""Comparisons, dates and the names of table, people and organisation in a question."""

from __future__ import annotations

import re

from weft.language.hangul import SYLLABLES
from weft.language.patterns import pattern
from weft.offline.evidence.values import dates
from weft.offline.question.names import without_particle
from weft.offline.tables.records import Table, amount, name_words
from weft.offline.tables.spots import Reading, Spot, Use
from weft.offline.tables.value_spots import are_named, optional
from weft.offline.tables.words import asked_forms, comparing, is_small, table_words

_WHEN = pattern(r"\b(before|after|since)\s+$", re.IGNORECASE)
RANGE = pattern(rf"ranges?|bands?|범위[{SYLLABLES}]?")
THAN = frozenset({"than", "보다"})


def take_comparisons(reading: Reading) -> None:
    """Take the words that compare; with an adjective, the fields that it may mean."""
    for at in list(reading.free()):
        found = comparing(reading.words[at].key)
        if found is None or at in reading.taken:
            continue
        named = tuple(
            name
            for name in reading.table.fields
            if name and any(not found.fields.isdisjoint(word) for word in name_words(name))
        )
        if not found.fields or named:
            reading.take(Spot(use=Use.COMPARING, first=at, last=at, fields=named, comparing=found))
    if any(spot.use is Use.COMPARING for spot in reading.spots):
        for at in [at for at in reading.free() if reading.words[at].key in THAN]:
            reading.take(Spot(use=Use.SMALL, first=at, last=at))


def take_dates(reading: Reading) -> None:
    """Take the dates; a year that the table or one of its fields has in its name is none."""
    own = reading.table.names | reading.table.near | reading.table.lead
    for name in reading.table.fields:
        own |= frozenset(form for word in optional(name) for form in word)
    for said in dates(reading.text):
        inside = [at for at in reading.free() if said.start <= reading.words[at].start < said.end]
        if not inside:
            continue
        first, last = inside[0], inside[-1]
        if are_named([reading.forms[at] for at in inside], own):
            reading.take(Spot(use=Use.SMALL, first=first, last=last))
            continue
        before = _WHEN.search(reading.text[: said.start])
        if before and first and first - 1 not in reading.taken:
            first -= 1
        sign = before[1].casefold() if before else ""
        reading.take(Spot(use=Use.DATE, first=first, last=last, date=said.date, sign=sign))


def take_names(reading: Reading) -> None:
    """Take the words that name the table, people, a class beside a value, or the organisation."""
    for at in list(reading.free()):
        use = _name_use(reading, at)
        if use is not None:
            reading.take(Spot(use=use, first=at, last=at))


def _name_use(reading: Reading, at: int) -> Use | None:
    forms, key, table = reading.forms[at], reading.words[at].key, reading.table
    if RANGE.fullmatch(key) and table.ranges:
        return Use.RANGE
    if not forms.isdisjoint(table.names):
        return Use.TABLE
    if key in table_words().persons and (table.is_personal or _speaks_of_people(table)):
        return Use.PERSON
    if _beside_value(reading, at):
        return Use.CLASS
    small = is_small(key)
    around = table.near | table.lead
    if not small and (not forms.isdisjoint(around) or is_organisation(reading, at)):
        return Use.SMALL
    return Use.SMALL if _is_unit(reading, at) else None


def is_organisation(reading: Reading, at: int) -> bool:
    """Tell whether a word names whoever wrote the documents; a name has a capital."""
    said = reading.words[at].surface
    return not said.islower() and reading.organisation(said)


def _is_unit(reading: Reading, at: int) -> bool:
    """Tell whether a word behind a figure is the unit of a field: "more than 50 euro"."""
    if not any(spot.use is Use.FIGURE and spot.last + 1 == at for spot in reading.spots):
        return False
    table = reading.table
    values = (amount(one.value) for row in table.records for one in row.fields)
    units = {form for held in values if held for form in asked_forms(held[1])}
    units |= {form for name in table.fields for word in optional(name) for form in word}
    return not reading.forms[at].isdisjoint(units)


def _speaks_of_people(table: Table) -> bool:
    persons = (asked_forms(word) for word in table_words().persons)
    return any(not forms.isdisjoint(table.lead) for forms in persons)


def _beside_value(reading: Reading, at: int) -> bool:
    """Tell whether a word but says of what class the value beside it is."""
    key = reading.words[at].key
    bare = without_particle(key)
    if not {key, bare, key.rstrip("s")} & table_words().classes:
        return False
    sides = (spot for spot in reading.spots if spot.use is Use.VALUE)
    return any(spot.last + 1 == at or spot.first - 1 == at for spot in sides)


def take_small(reading: Reading) -> None:
    """Take the words that narrow nothing."""
    for at in list(reading.free()):
        if is_small(reading.words[at].key):
            reading.take(Spot(use=Use.SMALL, first=at, last=at))
