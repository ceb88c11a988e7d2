"""What one may not read changes nothing that one is answered from a server either."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from contract.stores import PATIENCE, address, wipe
from flow.test_access_differential import checked
from weft.adapters.neo4j.database import Neo4jDatabase
from weft.adapters.neo4j.servers import Credentials

WORLDS, CHAOS = 1, 20


async def _emptied() -> None:
    database = Neo4jDatabase(address(""))
    try:
        await wipe(database)
    finally:
        await database.close()


@pytest.fixture
def emptied() -> Iterator[None]:
    """Take out of the server's one database what another test left there, and what this one did."""
    asyncio.run(_emptied())
    yield
    asyncio.run(_emptied())


@pytest.mark.server("neo4j")
@pytest.mark.usefixtures("emptied")
@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_what_one_may_not_read_changes_nothing_on_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _compare(tmp_path, monkeypatch, WORLDS)


@pytest.mark.chaos
@pytest.mark.server("neo4j")
@pytest.mark.usefixtures("emptied")
@pytest.mark.timeout(3600)
def test_twenty_worlds_on_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _compare(tmp_path, monkeypatch, CHAOS)


def _compare(home: Path, monkeypatch: pytest.MonkeyPatch, worlds: int) -> None:
    reached = Credentials.address
    # What is compared is what is answered, however busy the machine is meanwhile.
    monkeypatch.setattr(
        Credentials, "address", lambda *of: replace(reached(*of), patience=PATIENCE)
    )
    monkeypatch.setenv("GRAPH_SECRET", os.environ.get("NEO4J_PASSWORD", ""))
    store = f"{os.environ['NEO4J_URI']}?password=env:GRAPH_SECRET"
    checked(home, range(5000, 5000 + worlds), store=store, shelves=1)
