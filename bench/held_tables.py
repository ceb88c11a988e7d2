"""All tables of a folder, read by the product without vectors, for questions that name theirs."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench_tables import Question
from plan_cases import PlanCase

from weft.bootstrap.app import load_settings, open_app
from weft.platform.identity import local_owner
from weft.ports.store import Base
from weft.retrieval.tables.describing import Describer
from weft.retrieval.tables.places import Place, TableKind, place_of
from weft.retrieval.tables.shelf import TableShelf, documents_of_view
from weft.retrieval.tables.table import TypedTable
from weft.sdk.weft import Weft

MOST_LOOKED_AT = 5


def tables_in(folder: Path) -> list[TypedTable]:
    """Return every table of a folder's files."""
    os.environ["WEFT_EMBEDDER"] = "none"
    try:
        with tempfile.TemporaryDirectory(prefix="weft-held-") as made:
            home = Path(made)
            with Weft.open(folder, home=home) as weft:
                weft.sync()
            return asyncio.run(_read(folder, home))
    finally:
        del os.environ["WEFT_EMBEDDER"]


async def _read(folder: Path, home: Path) -> list[TypedTable]:
    app = await open_app(load_settings(home))
    try:
        owner = local_owner()
        store = await app.library.of_folder(owner, folder)
        base = Base(name=store.name, knowledge=store.knowledge)
        view = await base.knowledge.view(owner)
        places: dict[Place, list[int]] = {}
        for document, slots in documents_of_view(view):
            place = place_of(document)
            if place is not None and place[0] is TableKind.RECORDS:
                places.setdefault(place, []).extend(slots)
            else:
                places[TableKind.WRITTEN, document] = list(slots)
        shelf, found = TableShelf(), []
        for place, slots in places.items():
            ordered = sorted(slots, key=view.order)
            found += await shelf._of(base, owner, view=view, place=place, slots=ordered)
        return found
    finally:
        await app.close()


def file_of(table: TypedTable) -> str:
    """Return the name of the file that a table stands in."""
    return table.name.partition("#")[0].rpartition("/")[2]


def cases_of(
    questions: Sequence[Question], tables: Sequence[TypedTable], files: Mapping[str, str]
) -> list[PlanCase]:
    """Return questions with their table and those that share most words with them besides.

    `files` says in which file the table of a question is.
    """
    found: list[PlanCase] = []
    describer = Describer()
    for one in questions:
        own = [table for table in tables if file_of(table) == files[one.table]]
        told = asyncio.run(describer.described(one.question, tables, embedder=None))
        by_name = {table.name: table for table in tables}
        near = [by_name[item["name"]] for item in told]
        kept = dict.fromkeys([*own[:MOST_LOOKED_AT], *near])
        chosen = sorted(list(kept)[:MOST_LOOKED_AT], key=tables.index)
        found.append(PlanCase(question=one, text=one.question, tables=tuple(chosen)))
    return found
