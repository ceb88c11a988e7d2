"""A database that is opened twice in one process keeps its locks against other processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sqlalchemy import text

from weft.adapters.sql.database.dialect import open_engine, use_write_ahead_log

# What the last connection to a database does as it closes: it takes the log in and removes it.
_COMES_AND_GOES = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("select count(*) from words").fetchone()
connection.close()
"""


def test_another_process_does_not_remove_the_log_of_an_open_database(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    first = open_engine(f"sqlite:///{path}", connections=1)
    use_write_ahead_log(first)
    with first.begin() as connection:
        connection.execute(text("create table words (word text)"))
        connection.execute(text("insert into words values ('kept')"))
    log = path.with_name("records.db-wal")
    assert log.stat().st_size
    open_engine(f"sqlite:///{path}", connections=1).dispose()
    subprocess.run([sys.executable, "-c", _COMES_AND_GOES, str(path)], check=True)
    assert log.stat().st_size
    with first.begin() as connection:
        assert connection.execute(text("select word from words")).scalars().all() == ["kept"]
    first.dispose()
