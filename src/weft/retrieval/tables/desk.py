"""Tables at work: which there are for a question, and what a plan over them gives."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId
from weft.domain.scope import Scope
from weft.index.view import PassagePlace
from weft.ports.embedder import Embedder
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.hits import Hit
from weft.retrieval.ranking import ScoredSlot
from weft.retrieval.search import evidence_of
from weft.retrieval.tables.plan import TablePlan
from weft.retrieval.tables.shelf import TableOutline, TableShelf, TablesWanted

if TYPE_CHECKING:  # what reads tables is loaded with the first of them
    from weft.retrieval.tables.describing import Describer
    from weft.retrieval.tables.engine import TableDatabase, TableResult
    from weft.retrieval.tables.table import RowPlace, TypedTable

_MOST_JOINED = 500_000
_MOST_OPEN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedPlan:
    """What a plan gave over some tables, and the rows that it stands on: passage and place each."""

    tables: tuple[TypedTable, ...]
    result: TableResult
    rows: tuple[tuple[Hit, RowPlace], ...]


class TableDesk:
    """One a process: the tables that were read last, and those that are ready for plans."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self.shelf = TableShelf()
        self._describer: Describer | None = None
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[int, ...], TableDatabase] = OrderedDict()

    async def tables(
        self, bases: Sequence[Base], scope: Scope, wanted: TablesWanted
    ) -> tuple[TypedTable, ...]:
        """Return the readable tables that are wanted."""
        return await self.shelf.tables(bases, scope, wanted)

    async def outlines(
        self, bases: Sequence[Base], scope: Scope, within: DocumentFilter
    ) -> tuple[TableOutline, ...]:
        """Return the first readable tables of some bases, of large ones only the first rows."""
        return await self.shelf.outlines(bases, scope, within)

    async def described(
        self, question: str, tables: Sequence[TypedTable], *, embedder: Embedder | None
    ) -> list[dict[str, Any]]:
        """Return the tables that share most words with a question, those first, as plain data."""
        if not tables:
            return []
        if self._describer is None:
            from weft.retrieval.tables.describing import Describer

            self._describer = Describer()
        return await self._describer.described(question, tables, embedder=embedder)

    async def worked(
        self, bases: Sequence[Base], scope: Scope, plan: TablePlan, *, within: TablesWanted
    ) -> WorkedPlan:
        """Return what a plan gives of the tables that it names.

        Raises `BadInput` for a table or column that is not there for the caller, and
        `BudgetExceeded` for a plan that takes too long.
        """
        wanted = replace(within, names=frozenset(plan.tables))
        found = {one.name: one for one in await self.shelf.tables(bases, scope, wanted)}
        for name in plan.tables:
            if name not in found:
                raise BadInput(f"There is no table '{name[:200]}'.")
        tables = tuple(found[name] for name in dict.fromkeys(plan.tables))
        if len(tables) > 1 and sum(len(one.rows) for one in tables) > _MOST_JOINED:
            raise BadInput(f"Tables of more than {_MOST_JOINED} rows in all are not joined.")
        result = await asyncio.to_thread(self._run, tables, plan)
        return WorkedPlan(
            tables=tables, result=result, rows=await _rows(bases, scope, tables, result)
        )

    def _run(self, tables: tuple[TypedTable, ...], plan: TablePlan) -> TableResult:
        from weft.retrieval.tables.engine import TableDatabase

        with self._lock:
            for key, one in list(self._open.items()):
                if not all(map(self.shelf.holds, one.tables)):
                    del self._open[key]  # what it was made of may be deleted
            key = tuple(map(id, tables))
            held = self._open.pop(key, None) or TableDatabase(tables)
            self._open[key] = held
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return held.run(plan)


async def _rows(
    bases: Sequence[Base], scope: Scope, tables: Sequence[TypedTable], result: TableResult
) -> tuple[tuple[Hit, RowPlace], ...]:
    """Return the rows that a result stands on as they are stored now, in order."""
    wanted: dict[tuple[str, ChunkId, int], RowPlace] = {}
    for row in result.kept:
        for table, number in zip(tables, row, strict=True):
            place = table.rows[number].place
            wanted.setdefault((table.knowledge_base, place.chunk_id, place.start), place)
    found: list[tuple[Hit, RowPlace]] = []
    for base in bases:
        own = [(chunk, place) for (name, chunk, _), place in wanted.items() if name == base.name]
        stored = await base.knowledge.chunks(scope, list(dict.fromkeys(one for one, _ in own)))
        by_id = {one.chunk.id: one for one in stored}
        for chunk, place in own:
            if chunk in by_id:
                one = by_id[chunk]
                at = PassagePlace(
                    document_id=one.document.id,
                    chunk_index=one.chunk.chunk_index,
                    chunk_id=one.chunk.id,
                )
                slot = ScoredSlot(place=at, score=0.0, cosine=0.0, cosines=(), path=("table",))
                evidence = evidence_of(base.name, one, candidate=slot)
                found.append((Hit(evidence=evidence, score=0.0, cosine=0.0, cosines=()), place))
    return tuple(found)
