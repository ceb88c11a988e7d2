"""Which knowledge base a verb means: a name, a title, a folder, or the default one."""

from __future__ import annotations

import os.path
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weft.cli.ingest import bring_in, folders_own
from weft.domain.errors import BadInput, UnknownKnowledgeBase

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope
    from weft.ports.records.bases import RegisteredBase
    from weft.ports.store import Store


async def chosen(app: App, scope: Scope, given: str) -> Store:
    """Return the knowledge base that is meant, opened: a name, a unique title or a folder.

    Without any of them it is the default one.
    """
    return await app.library.named(scope, (await meant(app, scope, given)).name)


async def meant(app: App, scope: Scope, given: str) -> RegisteredBase:
    """Return the knowledge base that is meant, as `chosen` does, without opening it."""
    from weft.bases.finding import find
    from weft.bases.library import DEFAULT
    from weft.bases.naming import as_argument, path_of

    try:
        return await find(app.records.bases, scope, given or DEFAULT)
    except UnknownKnowledgeBase:
        if not given:
            raise UnknownKnowledgeBase(
                'There is no default knowledge base yet. Ask a folder (weft ask FOLDER "..."), '
                f"name one (--kb NAME), or fill the default one (weft ingest PATH --kb {DEFAULT})."
            ) from None
        # Of `os.path`, because a name that is too long for a file is then just not there.
        if os.path.exists(path_of(given)):  # noqa: ASYNC240  # nothing else runs on this loop
            said = f"Nothing was read from '{given}' yet; run: weft ingest {as_argument(given)}"
        else:
            said = f"There is no knowledge base '{given}', and no folder of that name"
            said += "; weft kb list shows what there is."
        raise UnknownKnowledgeBase(said, name=given) from None


async def _each(app: App, scope: Scope, given: str) -> list[Store]:
    """Return the knowledge bases that are named with commas; a title may have one in it."""
    names = [name.strip() for name in given.split(",") if name.strip()] or [""]
    if len(names) > 1:
        from weft.bases.finding import find

        with suppress(UnknownKnowledgeBase):
            whole = await find(app.records.bases, scope, given.strip())
            return [await app.library.named(scope, whole.name)]
    return [await chosen(app, scope, name) for name in names]


async def stores_for(
    app: App, scope: Scope, path: Path | None, *, kb: str, quiet: bool
) -> list[Store]:
    """Return the knowledge bases that a call means; a path is brought in step first."""
    if path is None:
        stores = await _each(app, scope, kb)
    else:
        if kb:
            raise BadInput("Give a path or --kb, not both: a path has a knowledge base of its own.")
        from weft.ingest.jobs.ingestion import IngestRequest

        store = await folders_own(app, scope, path, quiet=quiet)
        request = IngestRequest(path=path, prune=True)
        await bring_in(app, scope, store=store, request=request, quiet=quiet)
        stores = [store]
    for store in stores:
        app.library.check(store, writing=False)
    return stores
