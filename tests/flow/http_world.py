"""A service over a workspace with one small knowledge base, and a client that may do everything."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from fastapi.testclient import TestClient

from patience import eventually
from weft.api.app import build
from weft.config import load_settings
from weft.sdk.weft import Weft

APOLLO = "# Apollo\n\nApollo was founded by Li Wei in Seoul. See [Borealis](borealis.md).\n"
# A question for each outcome, of these documents.
OUTCOMES = {
    "answered": "Who founded Apollo?",
    "nearest": "Who financed Apollo?",
    "nothing": "Who is the king of Atlantis?",
}
BOREALIS = "# Borealis\n\nBorealis was launched in 2021 by the north team.\n"


def workspace(folder: Path, settings: str = "embedder: none\n") -> Path:
    """Make a workspace whose base `notes` has two documents; return it."""
    (folder / "weft.yaml").write_text(settings)
    notes = folder / "notes"
    notes.mkdir()
    (notes / "apollo.md").write_text(APOLLO)
    (notes / "borealis.md").write_text(BOREALIS)
    with Weft.open(notes, home=folder) as weft:
        weft.sync()
    return folder


def bearer(home: Path) -> dict[str, str]:
    """Return the headers of a caller that has the workspace's token."""
    return {"Authorization": f"Bearer {(home / 'token').read_text()}"}


@contextmanager
def served(home: Path) -> Iterator[TestClient]:
    """Serve a workspace in this process; the client sends the token."""
    with TestClient(build(load_settings(home)), raise_server_exceptions=False) as client:
        client.headers.update(bearer(home))
        yield client


@contextmanager
def running(home: Path) -> Iterator[str]:
    """Run the service on a free port of this machine; give its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(build(load_settings(home)), log_level="error", ws="none")
        server = uvicorn.Server(config)

        def serve() -> None:
            asyncio.run(server.serve(sockets=[listening]))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


def ended(
    client: httpx2.Client, run_id: str, *, under_way: Collection[str] = ("queued", "running")
) -> dict[str, Any]:
    """Wait until a run is in none of the states `under_way`, and return it."""
    return over(lambda: client.get(f"/v1/runs/{run_id}").json(), under_way=under_way)


def over(
    look: Callable[[], dict[str, Any]], *, under_way: Collection[str] = ("queued", "running")
) -> dict[str, Any]:
    """Look at a run until it is in none of the states `under_way`, and return it."""

    def once_over() -> dict[str, Any]:
        found = look()
        return {} if found["status"] in under_way else found

    return eventually(once_over, what="the end of a run")
