"""What rows of a random table are asked for: in words, in SQL and as the filters of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from random import Random

from flow.table_worlds import MONTHS, Column, MadeTable, english_day, korean_day

Filter = dict[str, object]
_ABOVE = {
    "en": ("with a {c} above {v}", "with a {c} of more than {v}", "whose {c} is over {v}"),
    "ko": ("{c}(이/가) {v}보다 큰", "{c}(이/가) {v}(을/를) 넘는", "{c} {v} 초과인"),
}
_BELOW = {
    "en": ("with a {c} below {v}", "with a {c} of less than {v}", "whose {c} is under {v}"),
    "ko": ("{c}(이/가) {v}보다 작은", "{c}(이/가) {v}에 못 미치는", "{c} {v} 미만인"),
}
_BEFORE = {"en": ("{d} before {v}",), "ko": ("{v} 전에 {d}", "{v} 이전에 {d}")}
_AFTER = {"en": ("{d} after {v}", "{d} later than {v}"), "ko": ("{v} 후에 {d}", "{v} 이후에 {d}")}
_WITHIN = {"en": ("{d} in {v}",), "ko": ("{v}에 {d}",)}
_LAST_MONTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Which rows: as a question says it, as SQL, and as filters of a plan."""

    text: str
    sql: str
    filters: tuple[Filter, ...]


def any_of(random: Random, table: MadeTable) -> Condition:
    """Return a condition of any kind."""
    return random.choice((value_of, number_of, day_of))(random, table)


def value_of(random: Random, table: MadeTable) -> Condition:
    """Return that a category is one of its values."""
    column, value = _category(random, table)
    says = random.choice(column.says).replace("{v}", value)
    return Condition(
        text=says, sql=f"\"{column.name}\" = '{value}'", filters=(_filter(column, "=", value),)
    )


def negated(random: Random, table: MadeTable) -> Condition:
    """Return that a category is any other than a value."""
    column, value = _category(random, table)
    return Condition(
        text=column.denies.replace("{v}", value),
        sql=f"\"{column.name}\" != '{value}'",
        filters=(_filter(column, "!=", value),),
    )


def number_of(random: Random, table: MadeTable) -> Condition:
    """Return that a number is above or below one that stands in no row."""
    column = random.choice(table.kind.of_kind("number"))
    step = max(10, column.most // 20)
    border = random.randrange(step, column.most, step)
    sign, wordings = random.choice(((">", _ABOVE), ("<", _BELOW)))
    said = f"{border:,} {column.unit}" if random.random() < 0.5 else f"{border} {column.unit}"
    text = random.choice(wordings[table.kind.language])
    return Condition(
        text=text.replace("{c}", column.name).replace("{v}", said.strip()),
        sql=f'"{column.name}" {sign} {border}',
        filters=(_filter(column, sign, border),),
    )


def day_of(random: Random, table: MadeTable) -> Condition:
    """Return that a day is within a month or a year, before one or after one."""
    column = table.kind.of_kind("date")[0]
    language = table.kind.language
    days = [cell for row in table.rows for cell in row if isinstance(cell, date)]
    day = random.choice(days)
    kind = random.choice(("year", "month", "before", "after"))
    if kind in ("before", "after"):
        wording = random.choice((_BEFORE if kind == "before" else _AFTER)[language])
        said = english_day(day) if language == "en" else korean_day(day)
        # In Korean the day itself may be meant by either word: one on which nothing was done.
        if language == "ko" and days.count(day):
            day = _free_day(days, day)
            said = korean_day(day)
        sign = "<" if kind == "before" else ">"
        sql = f"\"{column.name}\" {sign} '{day.isoformat()}'"
        filters: tuple[Filter, ...] = (_filter(column, sign, day.isoformat()),)
    else:
        first, after, said = _period(day, kind, language)
        wording = random.choice(_WITHIN[language])
        sql = f"\"{column.name}\" >= '{first}' and \"{column.name}\" < '{after}'"
        filters = (_filter(column, ">=", first), _filter(column, "<", after))
    text = wording.replace("{d}", column.dated).replace("{v}", said)
    return Condition(text=text, sql=sql, filters=filters)


def _free_day(days: list[date], day: date) -> date:
    """Return the next day that stands in no row."""
    while day in days:
        day = date.fromordinal(day.toordinal() + 1)
    return day


def _period(day: date, kind: str, language: str) -> tuple[str, str, str]:
    """Return the first day of a month or year, that after its last one, and how it is called."""
    if kind == "year":
        said = f"{day.year}" if language == "en" else f"{day.year}년"
        return f"{day.year}-01-01", f"{day.year + 1}-01-01", said
    is_last = day.month == _LAST_MONTH
    after = date(day.year + is_last, 1 if is_last else day.month + 1, 1)
    english = f"{MONTHS[day.month - 1]} {day.year}"
    said = english if language == "en" else f"{day.year}년 {day.month}월"
    return day.replace(day=1).isoformat(), after.isoformat(), said


def _category(random: Random, table: MadeTable) -> tuple[Column, str]:
    """Return a category and a value that some row has."""
    column = random.choice(table.kind.of_kind("category"))
    at = table.kind.columns.index(column)
    return column, str(random.choice(table.rows)[at])


def _filter(column: Column, op: str, value: object) -> Filter:
    return {"column": column.name, "op": op, "value": value}
