"""Comparisons over the rows of tables: which of two, the greatest and the smallest, ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.language.patterns import pattern
from weft.offline.evidence.values import dates
from weft.offline.question.names import without_particle
from weft.offline.question.roles import language_of
from weft.offline.tables.accounting import Account
from weft.offline.tables.binding import Bound
from weft.offline.tables.findings import OPEN, THAN, Finding, finding, is_meant, is_whole
from weft.offline.tables.records import TableRecord, amount
from weft.offline.tables.spots import Spot, Use
from weft.offline.tables.words import Wins

_YES_NO = pattern(
    r"^\s*(?:is|are|was|were|do|does|did|has|have|had|can|will)\b|(?:습니까|나요|ㄴ가요)\?*$", re.I
)
_OR = pattern(r"\bor\b|아니면|또는|혹은|중", re.I)
_YES = {"en": ("yes", "no"), "ko": ("예", "아니요")}


def pair(text: str, bound: Bound) -> Finding | None:
    """Return which of two records wins, or whether the first one does."""
    account, rows = bound.account, [_row_of(bound, spot) for spot in bound.values]
    measured = _measured(bound, [row for row in rows if row is not None])
    if len(set(map(id, rows))) != 2 or measured is None or not bound.rows:
        return None
    name, wins, (left, right) = measured
    first = left > right if wins is Wins.MORE else left < right
    if THAN.search(text) and _YES_NO.search(text) and not OPEN.search(text):
        part = _YES[language_of(text)][0 if first and left != right else 1]
    elif left == right or not _OR.search(text):
        return None
    else:
        spot = bound.values[0 if first else 1]
        words = account.words[spot.first], account.words[spot.last]
        part = without_particle(text[words[0].start : words[1].end])
    both = tuple(row for row in rows if row is not None)
    return finding(bound, (part,), rows=both, names=(name,))


def winner(bound: Bound) -> Finding | None:
    """Return the one record with the greatest or smallest value, or another field of it."""
    measured = _measured(bound, bound.rows)
    if measured is None or len(bound.rows) < 2 or not is_whole(bound) or not is_meant(bound):
        return None
    name, wins, values = measured
    best = max(values) if wins is Wins.MORE else min(values)
    first = [row for row, value in zip(bound.rows, values, strict=True) if value == best]
    if len(first) != 1:
        return None
    table = bound.account.table
    other = [n for spot in bound.asked for n in spot.fields if n not in (name, table.key_field)]
    if len(other) > 1:
        return None
    part = first[0].value(other[0]) if other else table.display(first[0])
    rows = (first[0], *(row for row in bound.rows if row is not first[0]))
    return finding(bound, (part,), rows=rows, names=(name, *other)) if part else None


def ends(bound: Bound) -> Finding | None:
    """Return the two ends of a range of one record."""
    pairs = bound.account.table.ranges
    if len(bound.rows) != 1 or len(pairs) != 1 or bound.asked:
        return None
    low, high = (bound.rows[0].value(name) for name in pairs[0])
    part = f"{low} – {high}"
    return finding(bound, (part,), rows=bound.rows, names=pairs[0]) if low and high else None


def _row_of(bound: Bound, spot: Spot) -> TableRecord | None:
    """Return the one record that a value names, None where it names several."""
    table = bound.account.table
    own = {row for name, row in spot.places if name == table.key_field}
    own = own or {row for _, row in spot.places}
    return table.records[own.pop()] if len(own) == 1 else None


def _measured(
    bound: Bound, rows: Sequence[TableRecord]
) -> tuple[str, Wins, list[tuple[float, ...]]] | None:
    """Return the field compared, which value wins, and the records' values in one unit."""
    compared = _compared(bound.account)
    if compared is None or not rows:
        return None
    wins, fields = compared
    dated = any(s.comparing and s.comparing.dated for s in bound.account.of(Use.COMPARING))
    key = bound.account.table.key_field
    asked = [name for spot in bound.asked for name in spot.fields if name != key]
    for name in dict.fromkeys(fields or asked):
        values = [measure(row.value(name)) for row in rows]
        known = [value for value in values if value is not None]
        units = {unit for _, unit in known}
        if len(known) == len(rows) and len(units) == 1 and (not dated or units == {"date"}):
            return name, wins, [value for value, _ in known]
    return None


def _compared(account: Account) -> tuple[Wins, tuple[str, ...]] | None:
    """Return which value wins, and the fields meant; "least expensive" is the other way round."""
    spots = [spot for spot in account.of(Use.COMPARING) if spot.comparing is not None]
    told = [(spot.comparing.wins, spot.fields) for spot in spots if spot.comparing is not None]
    measures = [one for one in told if one[1]]
    plain = [wins for wins, fields in told if not fields]
    if len(told) == 1:
        return told[0]
    if len(measures) != 1 or len(plain) != 1:
        return None
    wins, fields = measures[0]
    if plain[0] is Wins.LESS:
        wins = Wins.MORE if wins is Wins.LESS else Wins.LESS
    return wins, fields


def measure(value: str) -> tuple[tuple[float, ...], str] | None:
    """Return a value as what it is ordered by, and its unit; a date has the unit of dates."""
    found = dates(value)
    if len(found) == 1 and found[0].text == value.strip():
        return tuple(map(float, found[0].date)), "date"
    held = amount(value)
    return ((held[0],), held[1]) if held else None
