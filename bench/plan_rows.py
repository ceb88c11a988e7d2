"""Plans that questions may mean, as rows of features, and which of them give what is expected."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import numpy.typing as npt
from bench_tables import Question
from plan_cases import PlanCase
from table_scoring import Told, Worth, worth

from weft.domain.errors import WeftError
from weft.language.hangul import has_hangul
from weft.offline.plans.answers.answering import looks_of
from weft.offline.plans.answers.short import short_of
from weft.offline.plans.candidates import plan_candidates
from weft.offline.plans.choosing import RankedPlan, every_plan
from weft.offline.plans.reading import in_words
from weft.offline.plans.sketch import sketch_of
from weft.ports.embedder import Embedder
from weft.retrieval.tables.describing import Describer
from weft.retrieval.tables.engine import TableDatabase
from weft.retrieval.tables.table import TypedTable

Doubles = npt.NDArray[np.float64]
_LONGEST = 300
# Of the other tables so many stay.
_KEPT = 0.5
_OF_ROWS = frozenset({"count", "list", "cells", "any"})
# What no table names: for questions about something that is not there.
NAMES = (
    "Zanzibar", "Quellenhof", "Marlborough", "Thorvaldsen", "Okonkwo", "Pemberton", "Yamagata",
    "Brightwater", "Castellano", "Vorarlberg",
)  # fmt: skip
# What makes another thing of what a column is called.
QUALIFIERS = (
    "wholesale", "female", "foreign", "estimated", "nuclear", "former", "hidden", "wooden",
    "overnight", "second-hand",
)  # fmt: skip
# What no table tells of, behind a question: then what is left of the question is not its answer.
CLAUSES = (
    "with a telescope", "that have a chaperone", "under renovation", "with a balcony",
    "that speak Latin", "with solar panels", "that survived the flood", "with a pilot licence",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PlanRows:
    """The plans of one question: float64[plans + 1, features].

    The last row is no plan at all. `worth` says of each plan what its answer is worth, `told` what
    it is, and `in_words` the same as the reader reads it. `lesser` are questions made of this one
    that have no answer, `thinned` is this one where columns and tables are not there that its
    answer does not need.
    """

    case: PlanCase
    rows: Doubles
    shorts: tuple[str, ...]
    worth: tuple[Worth, ...]
    told: tuple[str, ...]
    in_words: tuple[str, ...]
    lesser: tuple[PlanCase, ...] = ()
    thinned: tuple[PlanCase, ...] = ()

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        """Return bool[plans + 1]: which are right; no plan is where none is."""
        has_answer = self.case.question.answer is not None
        good = [has_answer and one is Worth.RIGHT for one in self.worth]
        return np.array([*good, not any(good)])


class Databases:
    """The tables that were loaded."""

    def __init__(self) -> None:
        """Begin with none."""
        self._held: dict[tuple[int, ...], tuple[tuple[TypedTable, ...], TableDatabase]] = {}

    def of(self, tables: tuple[TypedTable, ...]) -> TableDatabase:
        """Return the database of some tables."""
        key = tuple(map(id, tables))
        if key not in self._held:
            self._held[key] = (tables, TableDatabase(tables))
        return self._held[key][1]


def rows_of(cases: Sequence[PlanCase], embedder: Embedder | None) -> Iterator[PlanRows]:
    """Yield the plans of each question with what they are worth."""
    bases, describer = Databases(), Describer()
    for case in cases:
        told = describer.described(case.text, list(case.tables), embedder=embedder)
        found = every_plan(case.text, [sketch_of(item) for item in asyncio.run(told)])
        tables = {one.name: one for one in case.tables}
        kept: list[tuple[RankedPlan, str, Doubles]] = []
        for one in found.plans:
            reply = _reply(tuple(tables[name] for name in one.planned.plan.tables), one, bases)
            short = short_of(one.planned, reply, language=_language(case)) if reply else ""
            short = short if len(short) <= _LONGEST else ""
            looks = looks_of(one, reply, short=short) if short else 0.0
            kept.append((one, short, one.features + looks))
        values = tuple(_value(case, short) if short else Worth.REFUSED for _, short, _ in kept)
        made = PlanRows(
            case=case,
            rows=np.stack([*(row for _, _, row in kept), found.none]),
            shorts=tuple(short for _, short, _ in kept),
            worth=values,
            told=tuple(_line(one) for one, _, _ in kept),
            in_words=tuple(in_words(one, short) for one, short, _ in kept),
        )
        right = [k[0] for k, v in zip(kept, values, strict=True) if v is Worth.RIGHT]
        lesser = tuple(_lesser(case, right[0], tables)) if right else ()
        thinned = tuple(_thinned(case, right, tables)) if right else ()
        yield replace(made, lesser=lesser, thinned=thinned)


def _language(case: PlanCase) -> str:
    return "ko" if has_hangul(case.text) else "en"


def _line(one: RankedPlan) -> str:
    return f"{one.candidate.way}: {one.planned.plan}"


def _reply(
    tables: tuple[TypedTable, ...], one: RankedPlan, bases: Databases
) -> Mapping[str, object]:
    """Return what the tool would of a plan's result; nothing where it stands on no row."""
    try:
        result = bases.of(tables).run(one.planned.plan)
    except WeftError:
        return {}
    columns = zip(result.columns, result.units, result.kinds, strict=True)
    reply: dict[str, object] = {
        "columns": [{"name": name, "unit": unit, "kind": kind} for name, unit, kind in columns],
        "rows": [list(row) for row in result.rows],
        "figures": [list(row) for row in result.figures],
        "total": result.total,
        "counted": result.counted,
    }
    return reply if result.counted else {}


def _lesser(
    case: PlanCase, right: RankedPlan, tables: Mapping[str, TypedTable]
) -> Iterator[PlanCase]:
    """Yield the question where what its answer needs is not there: a column, or a name."""
    if case.question.answer is None:
        return
    plan, sketch = right.candidate, right.planned.sketch
    column = plan.measure or plan.shown
    filtered = any(one.column == column for one in plan.plan.filters)
    if column and not filtered and column != sketch.key:
        less = _without(tables[sketch.name], column)
        if less is not None:
            kept = tuple(less if one.name == sketch.name else one for one in case.tables)
            yield replace(case, question=_less(case.question), tables=kept)
    named = plan_candidates(case.text, sketch)[0].signs.get(column)
    drawn = len(case.text) % 3 == 0  # of some: that a word is unknown is not always a lack
    if drawn and named is not None and named.name_at is not None and not has_hangul(case.text):
        at = named.name_at[0]
        word = QUALIFIERS[len(case.text) % len(QUALIFIERS)]
        yield replace(
            case, question=_less(case.question), text=f"{case.text[:at]}{word} {case.text[at:]}"
        )
    if (plan.way in _OF_ROWS or drawn) and not has_hangul(case.text):
        clause = CLAUSES[len(case.text) % len(CLAUSES)]
        text = f"{case.text.rstrip(' ?.')} {clause}?"
        yield replace(case, question=_less(case.question), text=text)
    exact = [one for one in plan.conditions.parts if one.kind == "exact"]
    if exact and not has_hangul(case.text):
        text, start = case.text, exact[0].start
        name = NAMES[len(text) % len(NAMES)]
        name = name if text[start].isupper() else name.lower()
        text = f"{text[:start]}{name}{text[exact[0].end :]}"
        yield replace(case, question=_less(case.question), text=text)


def _thinned(
    case: PlanCase, right: Sequence[RankedPlan], tables: Mapping[str, TypedTable]
) -> Iterator[PlanCase]:
    """Yield the question without half of the columns and tables that no right plan uses."""
    if case.question.answer is None:
        return
    drawn, name = Random(case.question.id), right[0].planned.plan.tables[0]
    used: set[str] = set()
    for one in right:
        plan, sketch = one.candidate, one.planned.sketch
        if name in one.planned.plan.tables:
            used |= {plan.measure, plan.shown, plan.group, *plan.conditions.columns, *plan.across}
            used |= {sketch.key, sketch.called, sketch.counts}
    table = tables[name]
    free = [one.name for one in table.columns if one.name not in used]
    left_out = drawn.sample(free, (len(free) + 1) // 2)
    for column in left_out:
        table = _without(table, column) or table
    others = [one for one in case.tables if one.name != name]
    kept = [one.name for one in others if drawn.random() < _KEPT]
    if left_out or len(kept) < len(others):
        every = (table if one.name == name else one for one in case.tables)
        yield replace(case, tables=tuple(one for one in every if one.name in (name, *kept)))


def _without(table: TypedTable, column: str) -> TypedTable | None:
    """Return a table without a column; None where nothing would be left of it."""
    kept = [at for at, one in enumerate(table.columns) if one.name != column]
    if not 1 < len(kept) < len(table.columns):
        return None
    return replace(
        table,
        columns=tuple(table.columns[at] for at in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[at] for at in kept)) for row in table.rows),
    )


def _less(question: Question) -> Question:
    return replace(question, id=f"{question.id} (less)", answer=None, kind="none")


def _value(case: PlanCase, short: str) -> Worth:
    answer = case.question.answer
    if case.question.kind == "prose" and isinstance(answer, list):
        held = any(one.casefold() in short.casefold() for one in answer)
        return Worth.RIGHT if held else Worth.WRONG
    if case.question.kind == "rows" and isinstance(answer, list):
        return _rows_value(answer, short)
    told = Told(short=short, sentences=(short,), refused=False)
    return worth(told, answer, is_computed=case.question.computed)


def _rows_value(expected: Sequence[str], short: str) -> Worth:
    """Return whether a short answer has just the rows that are expected: names and figures."""
    said = re.findall(r"[+-]?\d[\d,]*(?:\.\d+)?", short)
    numbers = [float(one.replace(",", "")) for one in said]

    def is_said(cell: str) -> bool:
        try:
            figure = float(cell)
        except ValueError:
            return cell in short
        return any(abs(figure - one) <= 0.001 * max(1.0, abs(figure)) for one in numbers)

    every = all(is_said(cell) for row in expected for cell in row.split("\t"))
    return Worth.RIGHT if every and short.count(":") <= len(expected) else Worth.WRONG
