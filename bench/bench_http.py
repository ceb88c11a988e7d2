"""The service under load: open streams, throughput beside a bare route, memory over time.

Usage: python bench/bench_http.py [--streams 200] [--seconds 10] [--minutes 0] [--documents 200]

The service and a bare FastAPI application run as processes of their own on this machine, and so
does this client: on two cores all three share them. Prints one table; `--minutes 10` also keeps
the streams coming for that long and prints the service's memory each minute.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import quantiles

import httpx2

QUESTION = "Who founded Apollo 7?"
BARE = """
from fastapi import FastAPI
app = FastAPI()
@app.get("/bare")
async def bare() -> dict[str, str]:
    return {"status": "ok"}
"""
_AT_ONCE = 8
# Less than the five seconds after which the service closes a connection that nobody uses.
_IDLE_SECONDS = 2.0


def main() -> None:
    """Make a workspace, start both applications, measure, print."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _fill(home, asked.documents)
        (home / "bare.py").write_text(BARE)
        with (
            _served("weft.api.app:create", home, factory=True) as (address, pid),
            _served("bare:app", home, factory=False) as (bare, _),
        ):
            token = (home / "token").read_text()
            asyncio.run(_measure(asked, address, bare, token=token, pid=pid))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--documents", type=int, default=200)
    return parser.parse_args()


def _fill(home: Path, documents: int) -> None:
    from weft.sdk.weft import Weft

    (home / "weft.yaml").write_text(f"embedder: {os.environ.get('WEFT_EMBEDDER', 'none')}\n")
    notes = home / "notes"
    notes.mkdir()
    for number in range(documents):
        text = f"# Apollo {number}\n\nApollo {number} was founded by Li Wei {number} in Seoul.\n"
        (notes / f"apollo{number}.md").write_text(text)
    with Weft.open(notes, home=home) as weft:
        weft.sync()


@contextmanager
def _served(app: str, home: Path, *, factory: bool) -> Iterator[tuple[str, int]]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", app, "--port", str(port)]
    command += ["--log-level", "warning", "--no-access-log", *(["--factory"] if factory else [])]
    places = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH", ""), str(home))))
    environment = {**os.environ, "WEFT_HOME": str(home), "PYTHONPATH": places}
    process = subprocess.Popen(command, env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(10)


async def _measure(
    asked: argparse.Namespace, address: str, bare: str, *, token: str, pid: int
) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with _client(address, headers) as weft, _client(bare, {}) as plain:
        question = {"question": QUESTION}
        search = {"query": QUESTION, "top_k": 5}
        await weft.post("/ask", json=question)
        before = _memory(pid)
        print(f"{'':28}{'per s':>9}{'p50 ms':>9}{'p95 ms':>9}")
        rows: list[tuple[str, Callable[[], Awaitable[httpx2.Response]]]] = [
            ("bare route", lambda: plain.get("/bare")),
            ("GET /health/live", lambda: weft.get("/health/live")),
            ("POST /v1/search", lambda: weft.post("/v1/search", json=search)),
            ("POST /ask (offline)", lambda: weft.post("/ask", json=question)),
        ]
        for name, call in rows:
            took, whole = await _throughput(call, asked.seconds)
            p50, p95 = _percentile(took, 50), _percentile(took, 95)
            print(f"{name:28}{len(took) / whole:9.1f}{p50 * 1000:9.1f}{p95 * 1000:9.1f}")
        first, lasted = await _streams(weft, asked.streams)
        print(
            f"\n{asked.streams} streams at once: first byte p50 {_percentile(first, 50):.2f} s, "
            f"p99 {_percentile(first, 99):.2f} s; whole answer p99 {_percentile(lasted, 99):.2f} s"
        )
        print(f"memory: {before:.0f} MB before, {_memory(pid):.0f} MB after")
        await _keep_on(weft, asked.streams, asked.minutes, pid=pid)


@asynccontextmanager
async def _client(address: str, headers: dict[str, str]) -> AsyncIterator[httpx2.AsyncClient]:
    limits = httpx2.Limits(max_connections=1000, keepalive_expiry=_IDLE_SECONDS)
    async with httpx2.AsyncClient(
        base_url=address, headers=headers, timeout=120, limits=limits
    ) as opened:
        yield opened


async def _throughput(
    call: Callable[[], Awaitable[httpx2.Response]], seconds: float
) -> tuple[list[float], float]:
    """Return how long each call took, eight at once, and how long all of them did."""
    took: list[float] = []
    began = time.perf_counter()

    async def work() -> None:
        while time.perf_counter() - began < seconds:
            start = time.perf_counter()
            (await call()).raise_for_status()
            took.append(time.perf_counter() - start)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
    return took, time.perf_counter() - began


async def _streams(client: httpx2.AsyncClient, count: int) -> tuple[list[float], list[float]]:
    """Open streams all at once; return the seconds to each one's first byte and to its end."""
    first: list[float] = []
    lasted: list[float] = []

    async def one() -> None:
        began = time.perf_counter()
        body = {"question": QUESTION, "stream": True}
        async with client.stream("POST", "/ask", json=body) as reply:
            reply.raise_for_status()
            is_first = True
            async for _ in reply.aiter_bytes():
                if is_first:
                    first.append(time.perf_counter() - began)
                    is_first = False
        lasted.append(time.perf_counter() - began)

    await asyncio.gather(*(one() for _ in range(count)))
    return first, lasted


async def _keep_on(client: httpx2.AsyncClient, count: int, minutes: float, *, pid: int) -> None:
    """Keep streams coming; print the memory at the start, each minute, and at the end."""
    if not minutes:
        return
    began, shown, ended = time.perf_counter(), 0, 0
    print(f"\n{count} streams at once, again and again:\n{0:5.1f} min {_memory(pid):7.1f} MB")
    while (passed := (time.perf_counter() - began) / 60) < minutes:
        if passed >= shown + 1:
            shown = int(passed)
            print(f"{passed:5.1f} min {_memory(pid):7.1f} MB", flush=True)
        await _streams(client, count)
        ended += count
    print(f"{passed:5.1f} min {_memory(pid):7.1f} MB after {ended} streams", flush=True)


def _memory(pid: int) -> float:
    """Return the resident memory of a process in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = [each for each in status.splitlines() if each.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def _percentile(values: list[float], percent: int) -> float:
    return values[0] if len(values) < 2 else quantiles(values, n=100)[percent - 1]


if __name__ == "__main__":
    main()
