"""The table tools at work: which tables there are for a question, and plans over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.agents.evidence import EvidenceBook, evidence_item
from weft.agents.tools.library import RunLibrary, RunReader
from weft.agents.tools.manifests import DESCRIBE_TABLES, TABLE_QUERY
from weft.agents.tools.passing import Passing
from weft.domain.errors import BadInput
from weft.domain.outside.limits import checked
from weft.platform.manifest import Handler, Summary
from weft.retrieval.tables.plan import TablePlan, said
from weft.retrieval.tables.shelf import TablesWanted

if TYPE_CHECKING:
    from weft.retrieval.tables.desk import WorkedPlan
    from weft.retrieval.tables.table import TypedTable

# Of a table of more documents only those are taken down that a reply shows something of.
_MOST_SOURCES = 1_000
_BLOCK = 200


class TableTools:
    """The handlers of one run's table tools."""

    def __init__(self, library: RunLibrary, reader: RunReader, *, book: EvidenceBook) -> None:
        """Take what is read, who reads, and what the run was given so far."""
        self._library = library
        self._reader = reader
        self._book = book
        self._passing = Passing(library, reader)
        self._passed: dict[int, tuple[TypedTable, bool]] = {}
        self._told: str | None = None

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by tool name."""
        return {DESCRIBE_TABLES: self.describe_tables, TABLE_QUERY: self.table_query}

    def summaries(self) -> Mapping[str, Summary]:
        """Return what tells of the readable tables beside a tool's description."""
        return {TABLE_QUERY: self.summary}

    async def summary(self) -> str:
        """Return the readable tables in a few lines, the same all through a run."""
        if self._told is None:
            library, reader = self._library, self._reader
            found = await library.tables.outlines(library.bases, reader.scope, reader.within)
            # Here, because only a model is told of all tables.
            from weft.retrieval.tables.outlines import outlined

            passed = [one for one in found if await self._may_pass(one.table)]
            self._told, told = outlined(passed)
            for one in told:
                await self._note(one.table)
        return f"The tables:\n{self._told}" if self._told else ""

    async def describe_tables(self, args: Mapping[str, Any]) -> object:
        """Return the tables beside passages found before, and those that some stems name."""
        library, scope = self._library, self._reader.scope
        wanted = TablesWanted(
            evidence=self._book.evidence(args.get("ids", ())),
            stems=frozenset(args.get("stems", ())),
            within=self._reader.within,
        )
        found = await library.tables.tables(library.bases, scope, wanted)
        open_ones = [table for table in found if await self._may_pass(table)]
        items = await library.tables.described(args["query"], open_ones, embedder=library.embedder)
        by_name = {(one.knowledge_base, one.name): one for one in open_ones}
        for item in items:
            await self._note(by_name[item["knowledge_base"], item["name"]])
        return {"tables": items}

    async def table_query(self, args: Mapping[str, Any]) -> object:
        """Return what a plan gives, and the passages of the rows that it stands on."""
        plan = checked(TablePlan, args, wrong=_wrong)
        library, scope = self._library, self._reader.scope
        within = TablesWanted(within=self._reader.within)
        worked = await library.tables.worked(library.bases, scope, plan, within=within)
        for table in worked.tables:
            if not await self._may_pass(table):
                raise BadInput(f"There is no table '{table.name[:200]}'.")
            await self._note(table)
        return await self._reply(plan, worked)

    async def _reply(self, plan: TablePlan, worked: WorkedPlan) -> dict[str, object]:
        result = worked.result
        passed = {
            hit.evidence.id: hit for hit in await self._passing.let_pass(h for h, _ in worked.rows)
        }
        items: dict[str, dict[str, Any]] = {}
        cites: list[dict[str, object]] = []
        for hit, place in worked.rows:
            if hit.evidence.id not in passed:
                continue
            name = self._book.id_of(hit.evidence.knowledge_base, hit.evidence.chunk_id)
            items.setdefault(name, {**evidence_item(hit.evidence, name), **_UNSEARCHED})
            cites.append({"id": name, "start": place.start, "end": place.end})
        return {
            "plan": said(plan, [one.title for one in worked.tables]),
            "columns": [
                {"name": name, "unit": unit, "kind": kind}
                for name, unit, kind in zip(result.columns, result.units, result.kinds, strict=True)
            ],
            "rows": [list(row) for row in result.rows],
            "figures": [list(row) for row in result.figures],
            "total": result.total,
            "counted": result.counted,
            "dirty": result.dirty,
            "bare": result.bare,
            "whole": sum(map(_written_rows, worked.tables)),
            "cites": cites,
            "evidence": list(items.values()),
        }

    async def _may_pass(self, table: TypedTable) -> bool:
        """Tell whether the policy lets all of a table pass; what it would change is left out."""
        known = self._passed.get(id(table))
        if known is None or known[0] is not table:
            may = await self._passing.is_open(_blocks(table))
            known = self._passed[id(table)] = (table, may)
        return known[1]

    async def _note(self, table: TypedTable) -> None:
        """Take down which documents the run was told something of."""
        documents = dict.fromkeys(row.place.document_id for row in table.rows)
        if len(documents) <= _MOST_SOURCES:
            await self._passing.read((table.knowledge_base, one) for one in documents)


_UNSEARCHED: dict[str, Any] = {"score": 0.0, "cosine": 0.0, "cosines": []}


def _written_rows(table: TypedTable) -> int:
    """Return how many rows stand in the documents: a row of months is one, not one a month."""
    if table.rows_of == table.name:
        return len(table.rows)
    return len({(row.place.chunk_id, row.place.start) for row in table.rows})


def _blocks(table: TypedTable) -> Iterator[str]:
    """Yield a table's text in blocks of rows."""
    for at in range(0, len(table.rows), _BLOCK):
        rows: Sequence[Any] = table.rows[at : at + _BLOCK]
        yield "\n".join(" | ".join(row.cells) for row in rows)


def _wrong(place: str, said: str) -> BadInput:
    return BadInput(f"The plan is wrong at '{place[:100]}': {said}.")
