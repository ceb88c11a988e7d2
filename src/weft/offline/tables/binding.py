"""Conditions and what is asked: which value belongs to which field of a question's table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.offline.evidence.values import Date, dates
from weft.offline.tables.accounting import Account
from weft.offline.tables.records import Table, TableRecord, amount
from weft.offline.tables.spots import Spot, Use

_LATIN = pattern("[A-Za-z]")
_TOWARDS = frozenset({"to", "by"})
_TOWARDS_KOREAN = pattern("(?:에게|한테|께)$")
_OWNS = pattern(r"['’]s?$|의$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A question's conditions over a table: the records left, the fields they go by, what is asked.

    `asked` are the spots of fields that no condition took; `by_name` when a record is named.
    """

    account: Account
    rows: tuple[TableRecord, ...]
    conditions: frozenset[str]
    asked: tuple[Spot, ...]
    values: tuple[Spot, ...]
    by_name: bool


def bind(account: Account) -> Bound | None:
    """Return the conditions of an account, None where it is not clear what belongs to what."""
    used: set[Spot] = set()
    chosen = _chosen(account, used)
    if chosen is None:
        return None
    free = [spot for spot in account.of(Use.FIELD) if spot not in used]
    for spot in (*account.of(Use.DATE), *account.of(Use.FIGURE)):
        name = _measured_by(account, spot, free)
        if name is None:
            return None
        rows = account.table.records
        chosen[name] = {at for at, row in enumerate(rows) if _fits(row.value(name), spot)}
        free = [one for one in free if name not in one.fields]
    if any(_is_torn(account, spot) for spot in free) or not _is_told(account, set(chosen)):
        return None
    kept = set(range(len(account.table.records))).intersection(*chosen.values())
    return Bound(
        account=account,
        rows=tuple(account.table.records[at] for at in sorted(kept)),
        conditions=frozenset(chosen),
        asked=tuple(free),
        values=account.of(Use.VALUE),
        by_name=account.table.key_field in chosen,
    )


def _chosen(account: Account, used: set[Spot]) -> dict[str, set[int]] | None:
    """Return for each field that a value is meant in the numbers of the records that have it.

    Of several values of one field any will do. The spots of fields that say so are put in `used`.
    """
    chosen: dict[str, set[int]] = {}
    for spot in account.of(Use.VALUE):
        rows: dict[str, set[int]] = {}
        for name, row in spot.places:
            rows.setdefault(name, set()).add(row)
        found = _field_of(account, spot, used, rows)
        if found is None:
            return None
        chosen[found] = chosen.get(found, set()) | rows[found]
    return chosen


def _field_of(
    account: Account, spot: Spot, used: set[Spot], rows: Mapping[str, set[int]]
) -> str | None:
    """Return the field that a value is meant in: one that is named beside it, or the only one."""
    key = account.table.key_field
    for other in account.of(Use.FIELD):
        own = next((name for name in other.fields if name in rows), None)
        if account.between(other, spot):
            if own is not None:
                used.add(other)
                return own
            if _TOWARDS & {word.key for word in account.words[other.last + 1 : spot.first]}:
                return None  # "reports to X": X is not one that anybody reports to here
        elif own is not None and _names_it(account, spot, other):
            towards = _TOWARDS_KOREAN.search(account.words[spot.last].surface)
            if key in rows and own != key and not towards:
                return key  # "does X report": X is who reports
            used.add(other)
            return own
    return _only_field(account, rows)


def _only_field(account: Account, rows: Mapping[str, set[int]]) -> str | None:
    """Return the one field that a value can be meant in; what records are called comes first."""
    key = account.table.key_field
    sets = list(rows.values())
    if all(one == sets[0] for one in sets):
        return key if key in rows else next(iter(rows))
    named = [spot for spot in account.of(Use.FIELD) if set(spot.fields) & (set(rows) - {key})]
    return key if key in rows and not named else None


def _names_it(account: Account, value: Spot, field: Spot) -> bool:
    """Tell whether a field stands behind its value: "the platform team"."""
    return _follows(account, value, field) and not _is_owner(account, value, field)


def _follows(account: Account, value: Spot, field: Spot) -> bool:
    return value.last + 1 == field.first


def _is_owner(account: Account, value: Spot, field: Spot) -> bool:
    """Tell whether a value has what follows: "Marek's team" asks for the team."""
    said = account.words[value.last].surface
    return _follows(account, value, field) and bool(_OWNS.search(said))


def _is_torn(account: Account, field: Spot) -> bool:
    """Tell whether a field stands behind a value of another one: "the Busan team".

    Behind what a record is called, it is asked of that: "the Busan office's manager".
    """
    key = account.table.key_field
    return any(
        _names_it(account, value, field) and not any(name == key for name, _ in value.places)
        for value in account.of(Use.VALUE)
    )


def _measured_by(account: Account, spot: Spot, free: Sequence[Spot]) -> str | None:
    """Return the field that a date or a figure is said of: that which the question names."""
    table = account.table
    fits = _is_date if spot.use is Use.DATE else _is_amount
    named = [name for one in free for name in one.fields if _all_fit(table, name, fits)]
    return named[0] if len(set(named)) == 1 else None


def _all_fit(table: Table, name: str, fits: Callable[[str], bool]) -> bool:
    values = [row.value(name) for row in table.records]
    return all(values) and all(fits(value) for value in values)


def _is_date(value: str) -> bool:
    found = dates(value)
    return len(found) == 1 and found[0].text == value.strip()


def _is_amount(value: str) -> bool:
    return amount(value) is not None


def _fits(value: str, spot: Spot) -> bool:
    if spot.date is not None:
        found = dates(value)
        return bool(found) and _in_time(found[0].date, spot.date, spot.sign)
    held = amount(value)
    if held is None:
        return False
    if held[0] == spot.figure:
        return "=" in spot.sign
    return (held[0] > spot.figure) is (">" in spot.sign)


def _in_time(held: Date, wanted: Date, sign: str) -> bool:
    said = tuple(part for part in wanted if part)
    own = held[: len(said)]
    if 0 in own:
        return False
    return {"before": own < said, "after": own > said, "since": own >= said}.get(sign, own == said)


def _is_told(account: Account, conditions: set[str]) -> bool:
    """Tell whether every record says what the conditions go by, in the question's own script.

    A page that lacks the field, or has its value in other letters, may meet the condition as well.
    """
    table = account.table
    values = " ".join(
        account.words[at].surface for one in account.of(Use.VALUE) for at in _run(one)
    )
    for name in conditions - {table.key_field}:
        held = [one for row in table.records for one in row.fields if one.name == name]
        if len(held) < len(table.records) and not _may_lack(table):
            return False
        if any(_other_script(one.value, values) for one in held):
            return False
    return True


def _run(spot: Spot) -> range:
    return range(spot.first, spot.last + 1)


def _may_lack(table: Table) -> bool:
    """Tell whether an empty field means that there is none, as in the rows of one file."""
    return bool(table.records) and all(
        len(row.quotes) == 1 and not row.name for row in table.records
    )


def _other_script(value: str, said: str) -> bool:
    def scripts(text: str) -> tuple[bool, bool]:
        return bool(_LATIN.search(text)), has_hangul(text)

    (latin, hangul), (said_latin, said_hangul) = scripts(value), scripts(said)
    if not (latin or hangul) or not (said_latin or said_hangul):
        return False
    return not ((latin and said_latin) or (hangul and said_hangul))
