"""Which knowledge base a verb means: a name, a folder, or the default one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weft.cli.ingest import bring_in
from weft.domain.errors import BadInput, UnknownKnowledgeBase

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope
    from weft.ports.store import Store


async def chosen(app: App, scope: Scope, given: str) -> Store:
    """Return the knowledge base that a name or a folder means; without either the default one."""
    from weft.bases.library import DEFAULT

    if not given:
        return await _default(app, scope, DEFAULT)
    try:
        return await app.library.named(scope, given)
    except UnknownKnowledgeBase:
        folder = _there(given)
        if folder is None:
            raise UnknownKnowledgeBase(
                f"There is no knowledge base '{given}', and no folder of that name.", name=given
            ) from None
        try:
            return await app.library.of_folder(scope, folder)
        except UnknownKnowledgeBase:
            raise UnknownKnowledgeBase(
                f"Nothing was read from '{given}' yet; run: weft ingest {given}", name=given
            ) from None


def _there(given: str) -> Path | None:
    folder = Path(given).expanduser()
    return folder if folder.exists() else None


async def stores_for(
    app: App, scope: Scope, path: Path | None, *, kb: str, quiet: bool
) -> list[Store]:
    """Return the knowledge bases that a call means; a path is brought in step first."""
    if path is None:
        names = [name.strip() for name in kb.split(",") if name.strip()] or [""]
        stores = [await chosen(app, scope, name) for name in names]
    else:
        if kb:
            raise BadInput("Give a path or --kb, not both: a path has a knowledge base of its own.")
        from weft.ingest.jobs.ingestion import IngestRequest

        store = await app.library.for_folder(scope, path)
        request = IngestRequest(path=path, prune=True)
        await bring_in(app, scope, store=store, request=request, quiet=quiet)
        stores = [store]
    for store in stores:
        app.library.check(store, writing=False)
    return stores


async def _default(app: App, scope: Scope, name: str) -> Store:
    try:
        return await app.library.named(scope, name)
    except UnknownKnowledgeBase:
        raise UnknownKnowledgeBase(
            'There is no default knowledge base yet. Ask a folder (weft ask FOLDER "..."), name '
            f"one (--kb NAME), or fill the default one (weft ingest PATH --kb {name})."
        ) from None
