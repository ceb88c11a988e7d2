"""A service over a workspace with one small knowledge base, and a client that may do everything."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from fastapi.testclient import TestClient

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


def ended(client: httpx2.Client, run_id: str) -> dict[str, Any]:
    """Wait for an ingestion to end and return it."""
    found: dict[str, Any] = {}
    for _ in range(1500):
        found = client.get(f"/v1/runs/{run_id}").json()
        if found["status"] not in {"queued", "running"}:
            return found
        time.sleep(0.05)
    raise AssertionError(f"the run {run_id} does not end: {found}")
