"""Records on a server that hangs, is gone and comes back: an error in time, and it goes on."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url

from contract.records_world import database_url
from weft.adapters.sql.database.connection import SqlDatabase
from weft.domain.errors import StoreUnavailable

pytestmark = [pytest.mark.anyio, pytest.mark.fault, pytest.mark.server("postgres")]

# What is promised, and what a machine that does much else may add to it.
_IN_TIME = 2.0 + 3.0


class Wire:
    """What lies between a program and its server: nothing passes while it is cut."""

    def __init__(self, host: str, port: int) -> None:
        """Lead to a server."""
        self._server = (host, port)
        self._passes = asyncio.Event()
        self._passes.set()
        self._ends: list[asyncio.StreamWriter] = []

    def cut(self) -> None:
        """Let nothing pass; connections stay open, and new ones are taken."""
        self._passes.clear()

    def mend(self) -> None:
        """Let everything pass again, what was held back too."""
        self._passes.set()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end."""
        self._ends.append(writer)
        await self._passes.wait()
        there, back = await asyncio.open_connection(*self._server)
        self._ends.append(back)
        await asyncio.gather(self._pass_on(reader, back), self._pass_on(there, writer))

    async def close(self) -> None:
        """End every connection."""
        self.mend()
        for end in self._ends:
            end.close()
            with suppress(OSError):
                await end.wait_closed()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._passes.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def _wired(folder: Path) -> AsyncIterator[tuple[SqlDatabase, Wire]]:
    """Yield a database with a table `t` of one row, and the wire to it."""
    with database_url("postgres", folder) as url:
        address = make_url(url)
        wire = Wire(address.host or "127.0.0.1", address.port or 5432)
        server = await asyncio.start_server(wire.take, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        through = address.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
        database = SqlDatabase(through)
        try:
            await database.write(
                lambda c: (
                    c.execute(text("CREATE TABLE t (x INTEGER PRIMARY KEY)")),
                    c.execute(text("INSERT INTO t VALUES (1)")),
                )
            )
            yield database, wire
        finally:
            wire.mend()
            await database.close()
            server.close()
            await wire.close()


async def _rows(database: SqlDatabase) -> int:
    return await database.read(lambda c: len(c.execute(text("SELECT x FROM t")).all()))


async def _fails_in_time(database: SqlDatabase, calls: int) -> None:
    began = time.monotonic()
    found = await asyncio.gather(*(_rows(database) for _ in range(calls)), return_exceptions=True)
    assert time.monotonic() - began < _IN_TIME
    assert all(isinstance(one, StoreUnavailable) for one in found), found


async def test_a_server_that_hangs_is_an_error_in_time_and_used_again(tmp_path: Path) -> None:
    async with _wired(tmp_path) as (database, wire):
        assert await _rows(database) == 1
        wire.cut()
        await _fails_in_time(database, 12)
        with pytest.raises(StoreUnavailable) as refused:
            await database.write(lambda c: c.execute(text("INSERT INTO t VALUES (2)")))
        address = os.environ["WEFT_TEST_DATABASE_URL"]
        assert str(make_url(address).password) not in refused.value.message
        wire.mend()
        await asyncio.sleep(1.1)
        assert await _rows(database) == 1


async def test_a_server_that_hangs_within_a_transaction_is_an_error_in_time(
    tmp_path: Path,
) -> None:
    async with _wired(tmp_path) as (database, wire):
        loop = asyncio.get_running_loop()

        def work(connection: Connection) -> None:
            connection.execute(text("INSERT INTO t VALUES (3)"))
            loop.call_soon_threadsafe(wire.cut)
            time.sleep(0.2)
            connection.execute(text("INSERT INTO t VALUES (4)"))

        began = time.monotonic()
        with pytest.raises(StoreUnavailable):
            await database.write(work)
        assert time.monotonic() - began < _IN_TIME
        wire.mend()
        await asyncio.sleep(1.1)
        assert await _rows(database) == 1


async def test_a_server_that_is_at_work_is_waited_for(tmp_path: Path) -> None:
    async with _wired(tmp_path) as (database, _):
        await database.read(lambda c: c.execute(text("SELECT pg_sleep(3)")).all())
        assert await _rows(database) == 1
