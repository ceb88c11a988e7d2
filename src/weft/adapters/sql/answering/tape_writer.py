"""The tape as a run writes it: its replies, and the documents that it read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.adapters.sql.answering.own_run import of_run, require_own
from weft.adapters.sql.database.columns import as_json
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.plain import Plain
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.tape import RunSource, TapeEntry


class TapeWriter:
    """The part of the port `Tape` that a run itself writes."""

    def __init__(self, database: SqlDatabase) -> None:
        """Take the database."""
        self._database = database

    async def put(self, scope: Scope, run_id: RunId, entry: TapeEntry) -> None:
        """Keep a reply in place of an earlier one of the same key; its sources become the run's."""

        def work(plain: Plain) -> None:
            run = require_own(plain, scope, run_id)
            key = {**of_run(scope, run_id), "key": entry.key}
            plain.run("drop_reply", key)
            sources = [[s.knowledge_base, s.document] for s in sorted(entry.sources)]
            row = {
                **key,
                "kind": entry.kind.value,
                "request_hash": entry.request_hash,
                "reply": as_json(None if run.source_deleted else entry.reply),
                "sources": as_json([] if run.source_deleted else sources),
            }
            plain.run("add_reply", row)
            _add_sources(plain, scope, run_id, sources=entry.sources)

        await self._database.plain(work, writes=True)

    async def add_sources(self, scope: Scope, run_id: RunId, sources: Sequence[RunSource]) -> None:
        """Say that a run read these documents; to be said before their text is used."""

        def work(plain: Plain) -> None:
            require_own(plain, scope, run_id)
            _add_sources(plain, scope, run_id, sources=sources)

        await self._database.plain(work, writes=True)


def _add_sources(
    plain: Plain, scope: Scope, run_id: RunId, *, sources: Iterable[RunSource]
) -> None:
    of_one = of_run(scope, run_id)
    rows = [
        {**of_one, "knowledge_base": source.knowledge_base, "document": source.document}
        for source in sorted(set(sources))
    ]
    if rows:
        plain.run_each("add_source", rows)
