"""A server freezes or is killed: every call ends in time, nothing is wrong, nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from time import monotonic

import pytest

from fault.neo4j_load import (
    READ_LIMIT,
    READER,
    WRITE_LIMIT,
    Load,
    Under,
    fill,
    refusals_unheard,
    settle,
)
from fault.neo4j_server import PrivateServer, library_of, wipe
from weft.bases.readiness import readiness
from weft.domain.errors import BadInput, KnowledgeBaseExists, StoreUnavailable
from weft.domain.readiness import State
from worlds import WRITER

pytestmark = [
    pytest.mark.fault,
    pytest.mark.server("neo4j"),
    pytest.mark.anyio,
    # The driver leaves a socket that it connects to the collector when its call is cancelled.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]
RECOVERY_SECONDS = 60.0
Act = Callable[[], Awaitable[None]]


@pytest.fixture(autouse=True)
async def _unheard() -> AsyncIterator[None]:
    with refusals_unheard():
        yield


async def trouble(
    server: PrivateServer, home: Path, act: Act, *, quiet: float = 1.5
) -> tuple[Load, float, float, str]:
    """Do something to a server under load; return the load, when it was well again, the counts."""
    await asyncio.to_thread(home.mkdir)
    await wipe(server)
    async with library_of(server, home) as library:
        store = await library.create(WRITER, "Graph", store=server.target)
        await library.create(WRITER, "Plain")
        await fill(store)
        load = Load()
        # Warm: what a server that has just started takes for its first answers is no promise.
        await store.knowledge.view(READER)
        async with Under(load, library, store):
            await asyncio.sleep(quiet)
            began = monotonic()
            await act()
            ended = monotonic()
            well = ended
            for kind in ("view", "find", "publish"):
                well = max(well, await _well(load, kind, ended))
            await asyncio.sleep(0.5)
        counted = await settle(store, load)
    assert counted["lost"] == 0
    assert not load.wrong, load.wrong[:5]
    assert load.states[-1][1] is State.READY
    told = ", ".join(f"{name} {n}" for name, n in sorted(counted.items()))
    return load, began, ended, f"recovered in {well - ended:.1f} s; documents: {told}"


async def _well(load: Load, kind: str, since: float) -> float:
    for _ in range(int(RECOVERY_SECONDS / 0.05)):
        if load.first_success(kind, since) < float("inf"):
            break
        await asyncio.sleep(0.05)
    well = load.first_success(kind, since)
    assert well < float("inf"), f"no {kind} went well within {RECOVERY_SECONDS:g} s"
    return well


def check(load: Load, began: float, ended: float) -> None:
    """Check that every call ended in time, and that meanwhile it was blocked and said why."""
    check_limits(load, began)
    during = [each for each in load.states if began + 2.5 < each[0] < ended]
    assert during
    assert {state for _, state, _ in during} == {State.BLOCKED}
    assert all(reason for _, _, reason in during)
    # Nothing answered that began while there was nothing to answer.
    answered = [c for c in load.between(began, ended) if not c.failed and c.kind != "readiness"]
    early = [c for c in answered if c.began > began + 0.1 and c.began + c.seconds < ended - 0.1]
    assert not early, early[:3]


def check_limits(load: Load, began: float) -> None:
    """Check that every call ended in time; what is late is told by when it began."""
    # A writer asks for versions, all at once, and waits as long as it does for publishing.
    limits = dict.fromkeys(("publish", "fence", "versions"), WRITE_LIMIT)
    limits["readiness"] = READ_LIMIT + 0.3
    late = [
        f"{call.kind} at {call.began - began:+.2f} s took {call.seconds:.2f} s {call.failed}"
        for call in load.calls
        if call.seconds - call.starved > limits.get(call.kind, READ_LIMIT)
    ]
    assert not late, late


async def frozen(server: PrivateServer, home: Path, seconds: float) -> list[str]:
    """Freeze a server under load for a while, and return what to report."""

    async def freeze() -> None:
        server.freeze()
        try:
            await asyncio.sleep(seconds)
        finally:
            server.thaw()

    load, began, ended, told = await trouble(server, home, freeze)
    check(load, began, ended)
    return report_of(f"neo4j frozen for {seconds:g} s", load, told)


async def killed(server: PrivateServer, home: Path) -> list[str]:
    """Kill a server under load and start it once more, and return what to report."""

    async def kill() -> None:
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(3.0)
        await asyncio.to_thread(server.start)

    load, began, ended, told = await trouble(server, home, kill)
    lines = report_of(f"neo4j killed, started again after {ended - began:.1f} s", load, told)
    check_limits(load, began)
    blocked = [each for each in load.states if each[1] is State.BLOCKED]
    assert blocked
    assert all(reason for _, _, reason in blocked)
    return lines


def report_of(title: str, load: Load, told: str) -> list[str]:
    """Return what happened in lines."""
    slowest = ", ".join(f"{kind} {s:.2f} s" for kind, s in sorted(load.slowest().items()))
    return [title, f"  {load.counts()}", f"  slowest: {slowest}", f"  {told}"]


async def test_frozen_for_5_seconds(
    neo4j_server: PrivateServer, tmp_path: Path, report: list[str]
) -> None:
    report += await frozen(neo4j_server, tmp_path / "home", 5.0)


async def test_killed_and_started_again(
    neo4j_server: PrivateServer, tmp_path: Path, report: list[str]
) -> None:
    report += await killed(neo4j_server, tmp_path / "home")


@pytest.mark.chaos
async def test_frozen_for_30_seconds(
    neo4j_server: PrivateServer, tmp_path: Path, report: list[str]
) -> None:
    report += await frozen(neo4j_server, tmp_path / "home", 30.0)


@pytest.mark.chaos
@pytest.mark.parametrize("turn", range(5))
async def test_killed_again_and_again(
    neo4j_server: PrivateServer, tmp_path: Path, report: list[str], turn: int
) -> None:
    report += await killed(neo4j_server, tmp_path / f"home{turn}")


async def test_a_database_holds_one_knowledge_base(
    neo4j_server: PrivateServer, tmp_path: Path
) -> None:
    await wipe(neo4j_server)
    async with library_of(neo4j_server, tmp_path) as library:
        store = await library.create(WRITER, "Graph", store=neo4j_server.target)
        assert (await library.listed(WRITER))[0].target == f"{neo4j_server.target}/neo4j"
        with pytest.raises(KnowledgeBaseExists, match="'Graph'"):
            await library.create(WRITER, "Second", store=f"{neo4j_server.target}/neo4j")
        with pytest.raises(BadInput, match="can make no other: start a server for each"):
            await library.create(WRITER, "Second", store=f"{neo4j_server.target}/second")
        assert [each.name for each in await library.listed(WRITER)] == ["Graph"]
        await fill(store)
    async with library_of(neo4j_server, tmp_path) as library:
        again = await library.named(WRITER, "Graph")
        assert (await again.holdings.counts(WRITER)).documents == 8


async def test_a_server_that_is_gone_blocks_its_own_knowledge_base_alone(
    neo4j_server: PrivateServer, tmp_path: Path
) -> None:
    await wipe(neo4j_server)
    async with library_of(neo4j_server, tmp_path) as library:
        await library.create(WRITER, "Graph", store=neo4j_server.target)
        await library.create(WRITER, "Plain")
    await asyncio.to_thread(neo4j_server.stop)
    try:
        async with library_of(neo4j_server, tmp_path) as library:
            began = monotonic()
            graph, plain = await readiness(library, WRITER)
            assert monotonic() - began < READ_LIMIT + 3
            assert (graph.state, plain.state) == (State.BLOCKED, State.READY)
            assert neo4j_server.target in graph.reasons[0]
            with pytest.raises(StoreUnavailable):
                await library.named(WRITER, "Graph")
            await asyncio.to_thread(neo4j_server.start)
            for _ in range(int(RECOVERY_SECONDS / 0.2)):
                graph, _ = await readiness(library, WRITER)
                if graph.state is State.READY:
                    break
                await asyncio.sleep(0.2)
            assert graph.state is State.READY
    finally:
        await asyncio.to_thread(neo4j_server.start)
