"""A knowledge base kept in step with its folder: made, brought in step, read anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from weft.cli.progress import ProgressBar
from weft.domain.display import harmless
from weft.domain.errors import BadInput

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope
    from weft.ingest.jobs.ingestion import IngestRequest
    from weft.ingest.progress import IngestProgress
    from weft.ports.store import Store


async def target(app: App, scope: Scope, path: Path, *, kb: str, quiet: bool) -> Store:
    """Return the knowledge base that a path goes into."""
    if kb:
        return await app.library.ensured(scope, kb)
    return await folders_own(app, scope, path, quiet=quiet)


async def folders_own(app: App, scope: Scope, path: Path, *, quiet: bool) -> Store:
    """Return the knowledge base of a folder or file; it is there to be asked with all there is.

    One that was read without vectors is read anew where these can be made by now.
    """
    from weft.bases.library import NO_EMBEDDER

    store = await app.library.for_folder(scope, path)
    if app.embedder is None or store.made_with.get("embedder") != NO_EMBEDDER:
        return store
    app.library.check(store, writing=False)
    if not quiet:
        said = f"weft: {store.title} was read without vectors; it is read anew with them."
        sys.stderr.write(f"{harmless(said)}\n")
    return (await read_anew(app, scope, store, quiet=quiet))[0]


async def read_anew(
    app: App, scope: Scope, store: Store, *, quiet: bool, ontology: str = ""
) -> tuple[Store, int]:
    """Make a knowledge base anew from its files, by the settings of now.

    It keeps its ontology where no other is named.

    Returns it and the number of its chunks; raises `BadInput` where a file's folder is gone.
    """
    from weft.ingest.jobs.ingestion import IngestRequest

    sources = await store.ledger.sources(scope)
    missing = [source.root for source in sources if not Path(source.root).exists()]  # noqa: ASYNC240  # nothing else runs
    if missing:
        raise BadInput(
            f"{', '.join(missing)} is gone: what was read from there could not be read again.",
            missing=missing,
        )
    store = await app.library.emptied(scope, store, ontology=ontology)
    chunks = 0
    for source in sources:
        request = IngestRequest(path=Path(source.root), prune=True)
        report = await bring_in(app, scope, store=store, request=request, quiet=quiet)
        chunks += report.chunks
    return store, chunks


async def bring_in(
    app: App, scope: Scope, *, store: Store, request: IngestRequest, quiet: bool
) -> IngestProgress:
    """Bring a knowledge base in step with a path, with a bar while it takes long."""
    with ProgressBar(request.path.name or str(request.path), quiet=quiet) as bar:
        return await app.ingest.bring_in(scope, store, request=request, watch=bar.show)
