"""The migration scripts make what the tables of the code are, on every database."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from contract.records_world import KEY, SetClock, database_url, each_database
from weft.adapters.sql.database.columns import REVISION
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.migration import stored_revision, upgrade
from weft.adapters.sql.database.schema import METADATA
from weft.adapters.sql.records import open_records


def differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), METADATA))


@each_database
def test_migrated_tables_are_those_of_the_code(database: str, tmp_path: Path) -> None:
    with database_url(database, tmp_path) as url:
        store = SqlDatabase(url)
        store.write_now(upgrade)
        assert store.read_now(differences) == []
        assert store.read_now(stored_revision) == REVISION
        store.close_now()


@each_database
def test_made_tables_are_those_of_the_code(database: str, tmp_path: Path) -> None:
    with database_url(database, tmp_path) as url:
        for _ in ("first", "again"):
            records = open_records(url, audit_key=KEY, clock=SetClock())
            assert records.database.read_now(differences) == []
            assert records.database.read_now(stored_revision) == REVISION
            records.database.close_now()


@each_database
def test_a_failed_upgrade_changes_nothing(database: str, tmp_path: Path) -> None:
    def half(connection: Connection) -> None:
        upgrade(connection)
        raise InterruptedError

    with database_url(database, tmp_path) as url:
        store = SqlDatabase(url)
        with pytest.raises(InterruptedError):
            store.write_now(half)
        assert store.read_now(stored_revision) is None
        store.close_now()
