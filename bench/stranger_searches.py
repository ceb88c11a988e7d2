"""What the product's search finds for questions on a stranger's folder, kept for the next run."""

from __future__ import annotations

import pickle
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from strangers_base import StrangerQuestion, Strangers

from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.knowledge import bases_of
from weft.platform.identity import local_owner
from weft.retrieval.hits import Found, Query
from weft.retrieval.search import search

# As the rules ask (`offline/answerer.py`).
PASSAGES = 16
PER_DOCUMENT = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A question and what was found for it."""

    question: StrangerQuestion
    found: Found


async def searched(made: Strangers, wanted: Sequence[StrangerQuestion]) -> list[Searched]:
    """Return what is found for each question, from the file where it was searched before."""
    kept = sqlite3.connect(made.home / "searches.db", isolation_level=None)
    kept.execute("CREATE TABLE IF NOT EXISTS kept (id TEXT PRIMARY KEY, value BLOB)")
    app = await open_app(load_settings(made.home))
    results: list[Searched] = []
    try:
        owner = local_owner()
        bases = bases_of([await app.library.of_folder(owner, made.folder)])
        for question in wanted:
            row = kept.execute("SELECT value FROM kept WHERE id = ?", [question.id]).fetchone()
            if row is None:
                query = Query(text=question.text, top_k=PASSAGES, per_document=PER_DOCUMENT)
                found = await search(bases, app.embedder, owner, query=query)
                row = (pickle.dumps(found),)
                kept.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", [question.id, row[0]])
            results.append(Searched(question=question, found=pickle.loads(row[0])))
            if len(results) % 200 == 0:
                print(f"{len(results)} of {len(wanted)} questions", file=sys.stderr)
    finally:
        await app.close()
        kept.close()
    return results
