"""A question read against a table: what each of its words stands for there, or that one does not.

Nothing is computed unless every word is a field, a value, the table's own name, a date, a
comparison, or narrows nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.offline.evidence.values import dates
from weft.offline.question.names import NameToken, tokens, without_particle
from weft.offline.tables.name_spots import (
    RANGE,
    THAN,
    is_organisation,
    take_comparisons,
    take_dates,
    take_names,
    take_small,
)
from weft.offline.tables.records import Table
from weft.offline.tables.spots import Reading, Spot, Use
from weft.offline.tables.value_spots import (
    beyond,
    take_fields,
    take_figures,
    take_levels,
    take_values,
)
from weft.offline.tables.words import asked_forms, comparing, is_small, table_words
from weft.retrieval.tables.naming import singular

_JOINTS = frozenset("to by the of is are in for as a an at was were has with on".split())
_WHEN_WORD = pattern(r"before|after|since")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A question all of whose words stand for something in a table: its spots in order."""

    table: Table
    words: tuple[NameToken, ...]
    spots: tuple[Spot, ...]

    def of(self, use: Use) -> tuple[Spot, ...]:
        """Return the spots of one use."""
        return tuple(spot for spot in self.spots if spot.use is use)

    def between(self, left: Spot, right: Spot) -> bool:
        """Tell whether nothing but joining words stands between two spots, left before right."""
        gap = self.words[left.last + 1 : right.first]
        return left.last < right.first and all(word.key in _JOINTS for word in gap)


_STEPS = (
    take_values,
    take_figures,
    take_fields,
    take_levels,
    take_comparisons,
    take_dates,
    take_names,
    take_small,
)


def account(text: str, table: Table, *, organisation: Callable[[str], bool]) -> Account | None:
    """Return what the words of a question stand for in a table; None where one stands for nothing.

    `organisation` tells whether a word names whoever wrote the documents.
    """
    words = tokens(text)
    reading = Reading(
        text=text,
        table=table,
        words=words,
        forms=tuple(asked_forms(word.key) for word in words),
        organisation=organisation,
    )
    if not all(_may_stand(reading, at) for at in range(len(words))):
        return None
    for step in _STEPS:
        step(reading)
    if any(True for _ in reading.free()):
        return None
    spots = tuple(sorted(reading.spots, key=lambda spot: spot.first))
    return Account(table=table, words=words, spots=spots)


def _may_stand(reading: Reading, at: int) -> bool:
    """Tell whether a word may stand for something at all: quickly, since most tables are others."""
    key, forms, table = reading.words[at].key, reading.forms[at], reading.table
    if is_small(key) or key.isdigit() or comparing(key) is not None or key in THAN:
        return True
    bare = without_particle(key).removesuffix("보다")
    if {singular(key), singular(bare)} & table.vocabulary or not forms.isdisjoint(table.forms):
        return True
    known = table_words()
    if {key, bare, key.rstrip("s")} & (known.classes | known.persons) or RANGE.fullmatch(key):
        return True
    month = any(said.start <= reading.words[at].start < said.end for said in dates(reading.text))
    figure = any(m.start() <= reading.words[at].start < m.end() for m in beyond(reading.text))
    return month or figure or bool(_WHEN_WORD.fullmatch(key)) or is_organisation(reading, at)
