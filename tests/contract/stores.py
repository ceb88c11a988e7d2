"""Every knowledge backend, opened the same way for the contract suite: a new one is one line."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from weft.adapters.sqlite.store import open_store
from weft.ports.documents import Documents
from weft.ports.holdings import Holdings
from weft.ports.knowledge import Knowledge
from weft.ports.ledger import Ledger
from weft.ports.links import Links
from weft.ports.publishing import Publishing
from worlds import DIMENSIONS


@dataclass(frozen=True, kw_only=True)
class Store:
    """The ports of one empty knowledge base."""

    knowledge: Knowledge
    publishing: Publishing
    holdings: Holdings
    ledger: Ledger
    links: Links
    documents: Documents


@contextlib.asynccontextmanager
async def sqlite() -> AsyncIterator[Store]:
    """Yield an empty SQLite knowledge base."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "base.db"
        store = await open_store(
            path, tenant="local", settings={"embedder": "test"}, dimensions=DIMENSIONS
        )
        try:
            yield Store(
                knowledge=store.knowledge,
                publishing=store.publishing,
                holdings=store.holdings,
                ledger=store.ledger,
                links=store.links,
                documents=store.documents,
            )
        finally:
            await store.close()


Opener = Callable[[], AbstractAsyncContextManager[Store]]
BACKENDS: dict[str, Opener] = {"sqlite": sqlite}
