"""A table that was described is not looked for again by each plan, and stays the reader's own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from weft.bases.library import Library
from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.knowledge import bases_of
from weft.domain.scope import Scope
from weft.ingest.jobs.ingestion import IngestRequest
from weft.platform.identity import LOCAL_TENANT, OWNER_PERMISSIONS, principal_scope
from weft.ports.store import Base
from weft.retrieval.tables import shelf
from weft.retrieval.tables.shelf import TableShelf, TablesWanted

ROWS = "id,ship,acl\n1,Kittiwake,tenant:*\n2,Gannet,group:blue\n10,Puffin,tenant:*\n"
NAME = "ships/ships.csv"
NAMED = TablesWanted(names=frozenset({NAME}))


def of(name: str, *groups: str) -> Scope:
    return principal_scope(
        tenant=LOCAL_TENANT, actor=f"user:{name}", groups=groups, permissions=OWNER_PERMISSIONS
    )


ANN, BLUE = of("ann"), of("bo", "group:blue")


async def brought_in(app: App, folder: Path, text: str) -> Base:
    """Read a folder's one table, and return the knowledge base that it is in."""
    await asyncio.to_thread((folder / "ships.csv").write_text, text)
    library: Library = app.library
    known = {one.name for one in await library.listed(BLUE)}
    store = await (library.named if "Ships" in known else library.create)(BLUE, "Ships")
    await app.ingest.bring_in(BLUE, store, request=IngestRequest(path=folder), watch=lambda _: None)
    return bases_of([store])[0]


async def ships(held: TableShelf, base: Base, scope: Scope, wanted: TablesWanted) -> list[str]:
    found = await held.tables([base], scope, wanted)
    return [row.cells[1] for table in found for row in table.rows]


async def test_what_is_named_again_is_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("home", "ships"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / "weft.yaml").write_text("embedder: none\n")
    app = await open_app(load_settings(tmp_path / "home"))
    looked: list[object] = []
    find = shelf._places

    def noting(*args: Any, **given: Any) -> Any:
        looked.append(given)
        return find(*args, **given)

    monkeypatch.setattr(shelf, "_places", noting)
    try:
        base, held = await brought_in(app, tmp_path / "ships", ROWS), TableShelf()
        by_stem = TablesWanted(stems=frozenset({"ship"}))
        assert await ships(held, base, ANN, by_stem) == ["Kittiwake", "Puffin"]
        assert len(looked) == 1
        assert await ships(held, base, ANN, NAMED) == ["Kittiwake", "Puffin"]
        assert await ships(held, base, ANN, NAMED) == ["Kittiwake", "Puffin"]
        assert len(looked) == 1
        assert await ships(held, base, BLUE, NAMED) == ["Kittiwake", "Gannet", "Puffin"]
        assert await ships(held, base, ANN, NAMED) == ["Kittiwake", "Puffin"]
        nothing = TablesWanted(names=frozenset({"ships/none.csv"}))
        looked.clear()
        for _ in range(2):
            assert await ships(held, base, ANN, nothing) == []
        assert len(looked) == 1
        base = await brought_in(app, tmp_path / "ships", ROWS.replace("Puffin", "Skua"))
        assert await ships(held, base, ANN, NAMED) == ["Kittiwake", "Skua"]
        one = TablesWanted(names=NAMED.names, stems=frozenset({"ship"}))
        assert await ships(held, base, BLUE, one) == ["Kittiwake", "Gannet", "Skua"]
    finally:
        await app.close()
