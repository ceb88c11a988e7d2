"""A server that is not there, hangs or loses its word: every call fails in time, and says why."""

from __future__ import annotations

import asyncio
import gc
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import anyio
import neo4j
import pytest
from neo4j.exceptions import AuthError, ClientError, IncompleteCommit, Neo4jError, TransientError

from patience import SOON
from weft.adapters.neo4j.database import Address, Neo4jDatabase, Transaction
from weft.adapters.neo4j.store import open_store
from weft.adapters.neo4j.vocabulary import vocabulary
from weft.domain.errors import StoreUnavailable
from weft.ontology.catalog import load_baseline

pytestmark = pytest.mark.anyio


@pytest.fixture
def silent() -> Iterator[int]:
    """Yield the port of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@asynccontextmanager
async def database(
    port: int, scheme: str = "neo4j", *, patience: float = 1.0
) -> AsyncIterator[Neo4jDatabase]:
    uri = f"{scheme}://127.0.0.1:{port}"
    place = Address(uri=uri, user="neo4j", password="secret", patience=patience)
    opened = Neo4jDatabase(place)
    try:
        yield opened
    finally:
        await opened.close()


async def failure(opened: Neo4jDatabase) -> StoreUnavailable:
    begun = time.monotonic()
    with pytest.raises(StoreUnavailable) as caught:
        await opened.read("version")
    assert time.monotonic() - begun < SOON
    assert "secret" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
async def test_a_server_that_says_nothing_is_given_up_in_time(silent: int, scheme: str) -> None:
    async with database(silent, scheme) as opened:
        assert (await failure(opened)).fields["reason"] in {"timeout", "unreachable"}


async def test_a_server_that_is_not_there_is_told_as_such(silent: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    async with database(port, patience=10) as opened:
        with pytest.raises(StoreUnavailable) as caught:
            await opened.read("version")
        assert caught.value.fields["reason"] == "unreachable"


async def test_a_base_whose_opening_is_given_up_holds_no_connection(
    silent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Neo4jDatabase] = []
    close = Neo4jDatabase.close

    async def closing(self: Neo4jDatabase) -> None:
        await close(self)
        closed.append(self)

    monkeypatch.setattr(Neo4jDatabase, "close", closing)
    place = Address(uri=f"neo4j://127.0.0.1:{silent}", user="neo4j", password="secret", patience=60)
    with anyio.move_on_after(0.1) as given_up:
        await open_store(place, lambda _: vocabulary(load_baseline()), tenant="t", made=None)
    assert given_up.cancelled_caught
    assert len(closed) == 1


class Session:
    """A session whose transactions end as it is told."""

    def __init__(self, ends: list[Exception | None]) -> None:
        self._ends = ends

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, *raised: object) -> None:
        return None

    async def execute_write(
        self, work: Callable[[neo4j.AsyncManagedTransaction], Awaitable[int]]
    ) -> int:
        found = await work(None)  # type: ignore[arg-type]  # the work here runs no query
        end = self._ends.pop(0)
        if end is not None:
            raise end
        return found


async def written(
    monkeypatch: pytest.MonkeyPatch, ends: list[Exception | None]
) -> tuple[int, list[int]]:
    attempts: list[int] = []

    async def work(transaction: Transaction) -> int:
        attempts.append(len(attempts))
        return attempts[-1]

    async with database(1, "bolt") as opened:
        with monkeypatch.context() as patch:
            patch.setattr(neo4j.AsyncDriver, "session", lambda *_, **__: Session(ends))
            return await opened.write(work), attempts


async def test_a_commit_of_unknown_outcome_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, attempts = await written(monkeypatch, [IncompleteCommit(), None])
    assert (found, attempts) == (1, [0, 1])


async def test_a_commit_that_is_lost_again_and_again_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(StoreUnavailable):
        await written(monkeypatch, [IncompleteCommit() for _ in range(3)])


def server_error(kind: type[Neo4jError], code: str) -> Neo4jError:
    error = Neo4jError._hydrate_neo4j(code=code, message="no")
    assert isinstance(error, kind)
    return error


@pytest.mark.parametrize(
    ("kind", "code", "reason"),
    [
        (AuthError, "Neo.ClientError.Security.Unauthorized", "credentials"),
        (ClientError, "Neo.ClientError.Database.DatabaseNotFound", "database"),
        (TransientError, "Neo.TransientError.General.MemoryPoolOutOfMemoryError", "busy"),
        (ClientError, "Neo.ClientError.Transaction.TransactionTimedOut", "timeout"),
        (ClientError, "Neo.ClientError.Statement.SyntaxError", "refused"),
    ],
)
async def test_what_the_server_says_is_told_by_its_reason(
    monkeypatch: pytest.MonkeyPatch, kind: type[Neo4jError], code: str, reason: str
) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        await written(monkeypatch, [server_error(kind, code)])
    assert caught.value.fields["reason"] == reason


async def test_a_closed_database_says_so() -> None:
    async with database(1) as opened:
        pass
    with pytest.raises(StoreUnavailable):
        await opened.read("version")


async def test_a_call_that_is_cancelled_while_it_connects_leaves_no_socket_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]

    async def given_up(seconds: float) -> None:
        async with database(port) as opened:
            with anyio.move_on_after(seconds) as waited:
                await opened.read("version")
            assert waited.cancelled_caught

    # What is left open is told when it is collected, and that fails a test here.
    await asyncio.gather(*(given_up(step / 2000) for step in range(24)))
    gc.collect()


async def test_a_call_that_is_cancelled_is_cancelled(silent: int) -> None:
    async with database(silent) as opened:
        task = asyncio.create_task(opened.read("version"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
