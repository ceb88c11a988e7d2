"""The tables: the scripts and the metadata tell the same, and opening is cheap."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, UniqueConstraint, text

from weft.adapters.sql.database.columns import REVISION
from weft.adapters.sql.database.connection import SqlDatabase
from weft.adapters.sql.database.migration import SCRIPTS, prepare, stored_revision, upgrade
from weft.adapters.sql.database.schema import METADATA
from weft.adapters.sql.records import open_records
from weft.domain.errors import StoreUnavailable

OPEN = """
import sys
from weft.adapters.sql.database.migration import prepare
from weft.adapters.sql.database.connection import SqlDatabase
database = SqlDatabase(sys.argv[1])
prepare(database)
database.close_now()
sys.exit("alembic" in sys.modules)
"""


class _Noon:
    def now(self) -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC)

    def elapsed(self) -> float:
        return 0.0


def _store(folder: Path, name: str = "records.db") -> SqlDatabase:
    return SqlDatabase(f"sqlite:///{folder / name}")


def _structure(connection: Connection) -> set[tuple[str, str]]:
    """Return each table's columns and keys, each index, in the database's own words."""
    found = set()
    names = connection.execute(text("SELECT name, type FROM sqlite_master")).all()
    for name, kind in names:
        if kind == "table":
            for pragma in ("table_info", "foreign_key_list"):
                rows = connection.exec_driver_sql(f"PRAGMA {pragma}({name})").all()
                found |= {(f"{pragma} {name}", repr(tuple(row))) for row in rows}
            indexes = connection.exec_driver_sql(f"PRAGMA index_list({name})").all()
            for _, index, unique, origin, *_ in indexes:
                columns = connection.exec_driver_sql(f"PRAGMA index_info({index})").all()
                told = (unique, origin, [column[2] for column in columns])
                found.add((f"index of {name}", repr(told)))
    return found


def test_the_scripts_make_the_tables_of_the_metadata(tmp_path: Path) -> None:
    made, migrated = _store(tmp_path, "made.db"), _store(tmp_path, "migrated.db")
    prepare(made)
    migrated.write_now(upgrade)
    structure = made.read_now(_structure)
    assert migrated.read_now(_structure) == structure
    assert len(structure) > 80

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), METADATA))

    assert migrated.read_now(differences) == []
    assert migrated.read_now(stored_revision) == made.read_now(stored_revision) == REVISION
    made.close_now()
    migrated.close_now()


def test_the_constant_is_the_head_of_the_scripts() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    assert ScriptDirectory.from_config(config).get_heads() == [REVISION]


def test_every_key_has_the_tenant_first() -> None:
    for table in METADATA.sorted_tables:
        keys = [list(table.primary_key.columns)]
        keys += [list(c.columns) for c in table.constraints if isinstance(c, UniqueConstraint)]
        keys += [list(index.columns) for index in table.indexes if index.unique]
        assert all(key[0].name == "tenant" for key in keys), table.name


def test_opening_does_not_load_the_migration_library(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'records.db'}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    for _ in ("first", "again"):
        ran = subprocess.run([sys.executable, "-c", OPEN, url], check=False, env=environment)
        assert ran.returncode == 0


def test_an_interrupted_first_start_leaves_nothing(tmp_path: Path) -> None:
    store = _store(tmp_path)

    def half(connection: Connection) -> None:
        METADATA.create_all(connection, checkfirst=False)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        store.write_now(half)
    prepare(store)
    assert store.read_now(stored_revision) == REVISION
    store.close_now()


def test_tables_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    store = _store(tmp_path)
    prepare(store)
    newer = text("UPDATE alembic_version SET version_num = '9999'")
    store.write_now(lambda connection: connection.execute(newer))
    with pytest.raises(StoreUnavailable, match="another version of Weft"):
        open_records(f"sqlite:///{tmp_path / 'records.db'}", audit_key=b"k" * 32, clock=_Noon())
    assert store.read_now(stored_revision) == "9999"
    store.close_now()
