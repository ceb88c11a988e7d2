"""The tape in tables, and the emptying of runs that read what is deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, delete, select, update

from weft.adapters.sql.answering.tape_writer import TapeWriter
from weft.adapters.sql.database.dialect import scrub
from weft.adapters.sql.database.schema import (
    conversation_runs,
    conversations,
    messages,
    run_events,
    run_sources,
    run_tape,
    runs,
    tool_runs,
)
from weft.adapters.sql.erasure import batches
from weft.adapters.sql.ownership import require_readable
from weft.domain.ids import DocumentId, RunId
from weft.domain.scope import Scope
from weft.ports.records.conversations import Speaker
from weft.ports.records.runs import KEEP_DATA, SOURCE_DELETED
from weft.ports.records.tape import RunSource, TapeEntry, TapeKind

# What a turn leaves to the next, when it leaves nothing.
_NOTHING_RETAINED: list[object] = [[], None]


class SqlTape(TapeWriter):
    """The port `Tape` on a `SqlDatabase`: what a run writes, and what is asked of it afterwards."""

    async def find(self, scope: Scope, run_id: RunId, key: str) -> TapeEntry | None:
        """Return the reply of that key; None when the run has none yet."""

        def work(connection: Connection) -> TapeEntry | None:
            emptied = require_readable(connection, scope, run_id)
            query = select(run_tape).where(_entry(scope, run_id, key))
            found = connection.execute(query).one_or_none()
            return None if found is None else _read(found, is_emptied=emptied)

        return await self._database.read(work)

    async def entries(self, scope: Scope, run_id: RunId) -> list[TapeEntry]:
        """Return all replies of a run, ordered by key."""

        def work(connection: Connection) -> list[TapeEntry]:
            emptied = require_readable(connection, scope, run_id)
            query = select(run_tape).where(_of_run(run_tape, scope, run_id))
            rows = connection.execute(query.order_by(run_tape.c.key))
            return [_read(row, is_emptied=emptied) for row in rows]

        return await self._database.read(work)

    async def sources(self, scope: Scope, run_id: RunId) -> list[RunSource]:
        """Return the documents that a run read and that were not deleted since, ordered."""

        def work(connection: Connection) -> list[RunSource]:
            require_readable(connection, scope, run_id)
            query = select(run_sources).where(_of_run(run_sources, scope, run_id))
            return sorted(
                RunSource(knowledge_base=row.knowledge_base, document=DocumentId(row.document))
                for row in connection.execute(query)
            )

        return await self._database.read(work)

    async def forget(
        self, scope: Scope, knowledge_base: str, *, documents: Sequence[DocumentId] | None
    ) -> int:
        """Empty every run of the tenant that read one of these documents (None: any of the base).

        Returns how many runs were emptied; again changes nothing.
        """

        def work(connection: Connection) -> int:
            of_base = and_(
                run_sources.c.tenant == scope.tenant,
                run_sources.c.knowledge_base == knowledge_base,
            )
            readers: set[str] = set()
            for chosen in _chosen(of_base, documents):
                readers.update(
                    connection.execute(select(run_sources.c.run_id).where(chosen)).scalars()
                )
                connection.execute(delete(run_sources).where(chosen))
            for some in batches(sorted(readers)):
                _empty(connection, scope, some)
            return len(readers)

        emptied = await self._database.write(work)
        if emptied:
            await self._database.in_writer(lambda: scrub(self._database.engine))
        return emptied


def _chosen(
    of_base: ColumnElement[bool], documents: Sequence[DocumentId] | None
) -> Iterator[ColumnElement[bool]]:
    if documents is None:
        yield of_base
        return
    for some in batches(documents):
        yield and_(of_base, run_sources.c.document.in_(some))


def _empty(connection: Connection, scope: Scope, run_ids: Sequence[str]) -> None:
    def among(table: Table) -> ColumnElement[bool]:
        return and_(table.c.tenant == scope.tenant, table.c.run_id.in_(run_ids))

    kept = [kind.value for kind in KEEP_DATA]
    connection.execute(
        update(runs)
        .where(among(runs))
        .values(summary=SOURCE_DELETED, frontier=None, source_deleted=True)
    )
    connection.execute(
        update(run_events)
        .where(among(run_events), run_events.c.type.not_in(kept))
        .values(data=SOURCE_DELETED)
    )
    connection.execute(update(run_tape).where(among(run_tape)).values(reply=None, sources=[]))
    connection.execute(update(tool_runs).where(among(tool_runs)).values(args={}, output=None))
    _empty_messages(connection, scope, among(messages), among(conversation_runs))


def _empty_messages(
    connection: Connection,
    scope: Scope,
    said: ColumnElement[bool],
    attached: ColumnElement[bool],
) -> None:
    """Empty what was answered in conversations; the questions are their askers' own words."""
    answered = and_(said, messages.c.role == Speaker.ASSISTANT.value)
    emptied: dict[str, object] = {
        "content": "",
        "sources": [],
        "answer": None,
        "source_deleted": True,
    }
    connection.execute(update(messages).where(answered).values(**emptied))
    talks = select(conversation_runs.c.conversation).where(attached)
    connection.execute(
        update(conversations)
        .where(conversations.c.tenant == scope.tenant, conversations.c.id.in_(talks))
        .values(retained=_NOTHING_RETAINED)
    )


def _of_run(table: Table, scope: Scope, run_id: RunId) -> ColumnElement[bool]:
    return and_(table.c.tenant == scope.tenant, table.c.run_id == run_id)


def _entry(scope: Scope, run_id: RunId, key: str) -> ColumnElement[bool]:
    return and_(_of_run(run_tape, scope, run_id), run_tape.c.key == key)


def _read(row: Row[Any], *, is_emptied: bool) -> TapeEntry:
    return TapeEntry(
        key=row.key,
        kind=TapeKind(row.kind),
        request_hash=row.request_hash,
        reply=row.reply,
        sources=frozenset(
            RunSource(knowledge_base=base, document=DocumentId(document))
            for base, document in row.sources
        ),
        source_deleted=is_emptied,
    )
