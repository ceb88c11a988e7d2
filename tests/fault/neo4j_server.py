"""A Neo4j process of a test's own, that it may freeze and kill, and knowledge bases on it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fault.workshop import WallClock
from weft.adapters.neo4j.database import Address, Neo4jDatabase
from weft.adapters.neo4j.servers import Credentials, Neo4jServers
from weft.adapters.neo4j.stores import Neo4jStores
from weft.adapters.sql.records import open_records
from weft.adapters.sqlite.stores import SqliteStores
from weft.bases.backends import Backends, ServerBackend
from weft.bases.library import Library
from weft.domain.errors import StoreUnavailable
from weft.domain.target import ServerTarget
from weft.ports.store import Recipe
from worlds import DIMENSIONS, WRITER

TOOL = Path(__file__).parents[2] / "tools" / "servers" / "neo4j.sh"
RECIPE = Recipe(settings={"embedder": "test"}, dimensions=DIMENSIONS)


@dataclass(frozen=True, kw_only=True)
class PrivateServer:
    """A server in a folder; it has the same address and data when it is started once more."""

    folder: Path

    def start(self) -> None:
        """Start it and wait until it listens."""
        subprocess.run([TOOL, "start", self.folder], check=True, capture_output=True, timeout=180)

    def stop(self) -> None:
        """Stop it, frozen or not."""
        subprocess.run([TOOL, "stop", self.folder], check=False, capture_output=True, timeout=60)

    def freeze(self) -> None:
        """Stop its clock: it keeps its connections and answers nothing."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kill it and wait until it is gone."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        for _ in range(500):
            if not _runs(pid):
                return
            time.sleep(0.02)
        raise TimeoutError("the killed server does not go")

    @property
    def pid(self) -> int:
        """Return its process."""
        return int((self.folder / "run" / "neo4j.pid").read_text())

    @property
    def target(self) -> str:
        """Return where it is."""
        return self._said["NEO4J_URI"]

    @property
    def credentials(self) -> Credentials:
        """Return who opens it."""
        said = self._said
        return Credentials(
            user=said["NEO4J_USER"], password=said["NEO4J_PASSWORD"], secret=lambda name: name
        )

    @property
    def address(self) -> Address:
        """Return how its one database is reached."""
        return self.credentials.address(ServerTarget.parse(self.target))

    @property
    def _said(self) -> dict[str, str]:
        lines = (self.folder / "server.env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)


def _runs(pid: int) -> bool:
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    return False


async def wipe(server: PrivateServer) -> None:
    """Take everything out of its database, once it is warm enough to answer."""
    servers = Neo4jServers(server.credentials)
    for _ in range(9):
        with suppress(StoreUnavailable):
            await servers.databases(WRITER, server.target)
            break
    database = Neo4jDatabase(server.address)
    try:
        gone = "MATCH (n) DETACH DELETE n"
        await database.write(lambda t: t.run_text(gone, None, name="wipe"), seconds=60)
    finally:
        await database.close()


@asynccontextmanager
async def library_of(server: PrivateServer, home: Path) -> AsyncIterator[Library]:
    """Open a library that keeps knowledge bases in `home` and on the server."""
    records = open_records(
        f"sqlite:///{home / 'records.db'}", audit_key=b"k" * 32, clock=WallClock()
    )
    credentials = server.credentials
    backend = ServerBackend(stores=Neo4jStores(credentials), servers=Neo4jServers(credentials))
    backends = Backends(SqliteStores(home), lambda: backend)
    library = Library(records.bases, backends, recipe=RECIPE, audit=records.audit)
    try:
        yield library
    finally:
        await library.close()
        await records.close()
