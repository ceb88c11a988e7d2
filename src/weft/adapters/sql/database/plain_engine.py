"""Statements with names, run through an engine: in memory, on a server, or beside other changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, text

from weft.adapters.sql.database import dialect
from weft.adapters.sql.database.plain import Values
from weft.adapters.sql.database.statements import statement


class PlainEngine:
    """The transaction of an engine's connection, as `Plain` has it."""

    def __init__(self, connection: Connection) -> None:
        """Take the connection."""
        self._connection = connection
        self._is_file = connection.dialect.name == "sqlite"

    def rows(self, name: str, values: Values) -> list[dict[str, Any]]:
        """Return what a query finds."""
        found = self._connection.execute(self._text(name), dict(values))
        return [dict(row) for row in found.mappings()]

    def run(self, name: str, values: Values) -> int:
        """Run a statement and return how many rows it changed."""
        return self._connection.execute(self._text(name), dict(values)).rowcount

    def run_each(self, name: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Run a statement once for each row."""
        self._connection.execute(self._text(name), [dict(row) for row in rows])

    def lock(self, name: str) -> None:
        """Wait until no other writer holds `name`, and hold it to the end of the transaction."""
        dialect.lock(self._connection, name)

    def _text(self, name: str) -> Any:
        return text(statement(name, is_file=self._is_file))
