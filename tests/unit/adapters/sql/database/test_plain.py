"""Statements with names: on a file's driver and through an engine they do the same."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from weft.adapters.sql.database.connection import MEMORY, SqlDatabase
from weft.adapters.sql.database.migration import prepare
from weft.adapters.sql.database.plain import Plain, translated
from weft.adapters.sql.database.statements import statement
from weft.domain.errors import StoreUnavailable

_HEAD = {"tenant": "acme", "seq": 1, "mac": "m", "seal": "s"}
_TENANT = {"tenant": "acme"}


@pytest.fixture(params=["file", "memory"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> SqlDatabase:
    url = MEMORY if request.param == "memory" else f"sqlite:///{tmp_path / 'records.db'}"
    made = SqlDatabase(url)
    prepare(made)
    return made


def test_what_is_written_is_read_again(database: SqlDatabase) -> None:
    database.plain_now(lambda plain: plain.run("add_audit_head", _HEAD), writes=True)
    moved = {"whose": "acme", "former": 1, "seq": 2, "mac": "n", "seal": "t"}
    assert database.plain_now(lambda p: p.run("move_audit_head", moved), writes=True) == 1
    assert database.plain_now(lambda p: p.run("move_audit_head", moved), writes=True) == 0
    rows = database.plain_now(lambda plain: plain.rows("audit_head", _TENANT), writes=False)
    assert rows == [{"seq": 2, "mac": "n", "seal": "t"}]
    database.close_now()


def test_an_error_undoes_all_of_it(database: SqlDatabase) -> None:
    def half(plain: Plain) -> None:
        plain.run("add_audit_head", _HEAD)
        raise KeyError("half way")

    with pytest.raises(KeyError):
        database.plain_now(half, writes=True)
    assert not database.plain_now(lambda plain: plain.rows("audit_head", _TENANT), writes=False)
    database.close_now()


def test_what_the_tables_refuse_is_an_error_of_weft(database: SqlDatabase) -> None:
    def twice(plain: Plain) -> None:
        plain.run_each("add_audit_head", [_HEAD, _HEAD])

    with pytest.raises(StoreUnavailable, match="refuse"):
        database.plain_now(twice, writes=True)
    database.close_now()


def test_a_table_that_is_not_there_is_told(tmp_path: Path) -> None:
    database = SqlDatabase(f"sqlite:///{tmp_path / 'records.db'}")
    with pytest.raises(StoreUnavailable, match="no such table"):
        database.plain_now(lambda plain: plain.rows("audit_head", _TENANT), writes=False)
    database.close_now()


def test_a_writer_waits_for_the_engine_and_both_see_the_same(tmp_path: Path) -> None:
    database = SqlDatabase(f"sqlite:///{tmp_path / 'records.db'}")
    prepare(database)
    database.write_now(
        lambda c: c.exec_driver_sql("INSERT INTO audit_heads VALUES ('acme', 7, 'm', 's')")
    )
    rows = database.plain_now(lambda plain: plain.rows("audit_head", _TENANT), writes=False)
    assert rows[0]["seq"] == 7
    database.close_now()
    with sqlite3.connect(tmp_path / "records.db") as file:
        assert file.execute("SELECT count(*) FROM audit_heads").fetchone() == (1,)
    file.close()


def test_rows_are_held_on_a_server_alone() -> None:
    assert statement("own_run", is_file=False).endswith("FOR UPDATE")
    assert "FOR UPDATE" not in statement("own_run", is_file=True)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            'connection failed: connection to server at "10.2.0.9", port 5432 failed: Connection '
            "refused\n\tIs the server running on that host and accepting TCP/IP connections?",
            "The records do not answer: Connection refused.",
        ),
        (
            'connection failed: connection to server at "db.internal" (10.2.0.9), port 5432 '
            'failed: FATAL:  password authentication failed for user "weft"',
            "The records do not answer: password authentication failed.",
        ),
        ("database or disk is full", "The records do not answer: database or disk is full."),
    ],
)
def test_a_servers_words_tell_why_and_not_where_it_is_or_who_opened_it(
    said: str, shown: str
) -> None:
    assert translated(OSError(said), refuses=False).message == shown


def test_the_values_of_a_row_that_is_refused_stay_unsaid() -> None:
    said = 'duplicate key value violates unique constraint "u"\nDETAIL:  Key (name)=(ann) exists.'
    assert "ann" not in translated(OSError(said), refuses=True).message
