"""The product's own search of a folder that was read in, as the rules ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.knowledge import bases_of
from weft.platform.identity import local_owner
from weft.retrieval.hits import Found, Query
from weft.retrieval.search import search

# As the rules ask (`offline/answerer.py`).
PASSAGES = 16
PER_DOCUMENT = 6

Search = Callable[[str], Awaitable[Found]]


@asynccontextmanager
async def searching(home: Path, folder: Path) -> AsyncIterator[Search]:
    """Give what searches a folder of a workspace for a question, as its owner."""
    app = await open_app(load_settings(home))
    try:
        owner = local_owner()
        bases = bases_of([await app.library.of_folder(owner, folder)])

        async def searched(text: str) -> Found:
            query = Query(text=text, top_k=PASSAGES, per_document=PER_DOCUMENT)
            return await search(bases, app.embedder, owner, query=query)

        yield searched
    finally:
        await app.close()
