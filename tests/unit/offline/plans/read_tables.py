"""Tables at hand for the rule that plans over them, with the tools that it asks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from weft.agents.answering import Caution
from weft.agents.tools.manifests import TABLE_QUERY
from weft.domain.outside.limits import reader_of
from weft.offline.answerer import LEAST
from weft.offline.plans.answers.answering import TableAnswer, answer_from_tables
from weft.offline.plans.candidates import plan_candidates
from weft.offline.plans.sketch import sketch_of
from weft.offline.plans.ways import PlanCandidate
from weft.retrieval.tables.describing import Describer
from weft.retrieval.tables.engine import TableDatabase
from weft.retrieval.tables.plan import TablePlan, said
from weft.retrieval.tables.table import TypedTable


class ReadTables:
    """Answers the two table tools over some tables; each row is its own piece of evidence."""

    def __init__(self, tables: Sequence[TypedTable]) -> None:
        """Take the tables."""
        self._tables = {one.name: one for one in tables}

    async def use(self, tool: str, **args: object) -> Mapping[str, Any]:
        """Return what a tool would."""
        assert tool == TABLE_QUERY
        return self._worked(reader_of(TablePlan).validate_python(args))

    def _worked(self, plan: TablePlan) -> Mapping[str, Any]:
        tables = [self._tables[name] for name in plan.tables]
        result = TableDatabase(tables).run(plan)
        rows = [
            " · ".join(table.rows[number].cells)
            for kept in result.kept
            for table, number in zip(tables, kept, strict=True)
        ]
        columns = zip(result.columns, result.units, result.kinds, strict=True)
        return {
            "plan": said(plan, [one.title for one in tables]),
            "columns": [{"name": name, "unit": unit, "kind": kind} for name, unit, kind in columns],
            "rows": [list(row) for row in result.rows],
            "figures": [list(row) for row in result.figures],
            "total": result.total,
            "counted": result.counted,
            "dirty": result.dirty,
            "bare": result.bare,
            "whole": sum(len(one.rows) for one in tables),
            "cites": [{"id": f"e{at}", "start": 0, "end": len(row)} for at, row in enumerate(rows)],
            "evidence": [{"id": f"e{at}", "text": row} for at, row in enumerate(rows)],
        }


def answered(
    question: str, *tables: TypedTable, caution: Caution = Caution.ANSWERING
) -> TableAnswer | None:
    """Return what some tables answer."""
    found = likeliest(question, *tables)
    return found if found is not None and found.chance >= LEAST[caution] else None


def likeliest(question: str, *tables: TypedTable) -> TableAnswer | None:
    """Return what some tables most likely answer, however sure that is."""

    async def run() -> TableAnswer | None:
        told = await Describer().described(question, tables, embedder=None)
        return await answer_from_tables(question, ReadTables(tables), told=told)

    return asyncio.run(run())


def plans_of(question: str, table: TypedTable) -> Sequence[PlanCandidate]:
    """Return the plans that a question may mean over a table."""
    told = asyncio.run(Describer().described(question, [table], embedder=None))
    return plan_candidates(question, sketch_of(told[0]))[1]
