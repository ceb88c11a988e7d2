"""What the product's search finds for questions on a stranger's folder, kept for the next run."""

from __future__ import annotations

import pickle
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from folder_search import searching
from strangers_base import StrangerQuestion, Strangers

from weft.retrieval.hits import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """A question and what was found for it."""

    question: StrangerQuestion
    found: Found


async def searched(made: Strangers, wanted: Sequence[StrangerQuestion]) -> list[Searched]:
    """Return what is found for each question, from the file where it was searched before."""
    kept = sqlite3.connect(made.home / "searches.db", isolation_level=None)
    kept.execute("CREATE TABLE IF NOT EXISTS kept (id TEXT PRIMARY KEY, value BLOB)")
    results: list[Searched] = []
    async with searching(made.home, made.folder) as search:
        for question in wanted:
            row = kept.execute("SELECT value FROM kept WHERE id = ?", [question.id]).fetchone()
            if row is None:
                row = (pickle.dumps(await search(question.text)),)
                kept.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", [question.id, row[0]])
            results.append(Searched(question=question, found=pickle.loads(row[0])))
            if len(results) % 200 == 0:
                print(f"{len(results)} of {len(wanted)} questions", file=sys.stderr)
    kept.close()
    return results
