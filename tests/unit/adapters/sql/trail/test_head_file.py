"""A head of the audit chain outside the database: what is gone as a whole is missed."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from weft.adapters.sql.records import Records, open_records
from weft.domain.errors import AuditBroken, StoreUnavailable
from weft.platform.audit import audited
from weft.platform.identity import local_owner
from weft.platform.time import SystemClock
from weft.ports.records.audit import Deed

KEY = b"k" * 32


def records(home: Path) -> Records:
    return open_records(
        f"sqlite:///{home / 'records.db'}",
        audit_key=KEY,
        clock=SystemClock(),
        audit_heads=home / "audit.heads",
    )


async def act(opened: Records, times: int = 1) -> None:
    for _ in range(times):
        async with audited(opened.audit, local_owner(), Deed(action="ask", target="kb:A")):
            pass


def change(home: Path, *statements: str) -> None:
    with sqlite3.connect(home / "records.db") as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


async def broken(home: Path) -> str:
    """Return what is wrong with the chain; nothing further may be done then."""
    opened = records(home)
    try:
        report = await opened.audit.verify(local_owner())
        if report.is_intact:
            await act(opened)
            return ""
        with pytest.raises(AuditBroken):
            await act(opened)
        return report.reason
    finally:
        await opened.close()


async def test_a_chain_that_was_emptied_with_its_head_is_missed(tmp_path: Path) -> None:
    opened = records(tmp_path)
    await act(opened, 3)
    await opened.close()
    assert await broken(tmp_path) == ""
    change(tmp_path, "DELETE FROM audit_logs", "DELETE FROM audit_heads")
    assert await broken(tmp_path) == "rows that were known are missing at the end"


async def test_a_tail_that_was_cut_off_with_its_head_put_back_is_missed(tmp_path: Path) -> None:
    opened = records(tmp_path)
    await act(opened)
    await opened.close()
    with sqlite3.connect(tmp_path / "records.db") as connection:
        (old,) = connection.execute("SELECT seq, mac, seal FROM audit_heads").fetchall()
    connection.close()
    opened = records(tmp_path)
    await act(opened, 2)
    await opened.close()
    with sqlite3.connect(tmp_path / "records.db") as connection:
        connection.execute("UPDATE audit_heads SET seq = ?, mac = ?, seal = ?", old)
        connection.execute("DELETE FROM audit_logs WHERE seq > ?", old[:1])
    connection.close()
    assert await broken(tmp_path) == "rows that were known are missing at the end"


async def test_the_file_is_the_owners_and_cannot_be_made_up(tmp_path: Path) -> None:
    opened = records(tmp_path)
    await act(opened)
    await opened.close()
    heads = tmp_path / "audit.heads"
    assert heads.stat().st_mode & 0o777 == 0o600
    heads.write_text(heads.read_text().replace('"seq": 2', '"seq": 1'))
    assert "beside the database" in await broken(tmp_path)
    heads.write_text("[")
    assert "beside the database" in await broken(tmp_path)


async def test_a_disk_that_is_full_is_a_clear_error_and_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = records(tmp_path)
    await act(opened)
    kept = (tmp_path / "audit.heads").read_text()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(StoreUnavailable, match="No space left") as refused:
            await act(opened)
    assert str(tmp_path) not in refused.value.message
    assert [name for name in os.listdir(tmp_path) if "heads" in name] == ["audit.heads"]
    assert (tmp_path / "audit.heads").read_text() == kept
    await act(opened)
    assert (await opened.audit.verify(local_owner())).is_intact
    await opened.close()
