"""`weft ingest`: files and folders into a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.invocation import run, show_json
from weft.cli.progress import ProgressBar
from weft.domain.display import harmless
from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.platform.identity import local_owner, readers

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.ingest.jobs.ingestion import IngestRequest
    from weft.ingest.progress import IngestProgress
    from weft.ports.store import Store

Paths = Annotated[list[Path], typer.Argument(help="Files and folders to read.", show_default=False)]
Kb = Annotated[
    str, typer.Option(help="Knowledge base by name or title; else each path has its own.")
]
Acl = Annotated[
    str,
    typer.Option(
        help="Who may read: user:NAME, group:NAME, with commas. Else as before, at first everyone."
    ),
]
Prune = Annotated[bool, typer.Option(help="Remove documents whose files are gone.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def ingest(
    paths: Paths, *, kb: Kb = "", acl: Acl = "", prune: Prune = False, as_json: Json = False
) -> None:
    """Read files and folders into a knowledge base; unchanged ones are left alone."""

    async def action(app: App) -> list[dict[str, object]]:
        from weft.ingest.jobs.ingestion import IngestRequest

        scope = local_owner()
        named = [part.strip() for part in acl.split(",") if part.strip()]
        allowed = readers(named, scope) if named else None
        done: list[dict[str, object]] = []
        for path in paths:
            store = await target(app, scope, path, kb=kb, quiet=as_json)
            request = IngestRequest(path=path, acl=allowed, prune=prune)
            report = await bring_in(app, scope, store=store, request=request, quiet=as_json)
            into = {"knowledge_base": store.name, "title": store.title}
            done.append({"path": str(path), **into, **asdict(report)})
        return done

    rows = run(action, as_json=as_json)
    if as_json:
        show_json(rows)
        return
    _report(rows, is_named=bool(kb))


def _report(rows: Sequence[Mapping[str, object]], *, is_named: bool) -> None:
    """Print what became of each path."""
    # Here, because other verbs bring folders in step too and print nothing of it.
    from weft.bases.naming import as_argument
    from weft.cli.screen import screen
    from weft.cli.terminal.tables import counted, grouped, say

    console = screen(highlight=False)
    for row in rows:
        count = {key: value for key, value in row.items() if isinstance(value, int)}
        title, path = str(row["title"]), str(row["path"])
        into = f" → {title}" if is_named else ""
        say(
            console,
            f"{path}{into}: {counted(count['files_done'], 'file')}, "
            f"{grouped(count['unchanged'])} unchanged, {counted(count['documents'], 'document')} "
            f"and {counted(count['chunks'], 'chunk')} written, {grouped(count['removed'])} removed",
        )
        if count["failed"]:
            known = as_argument(title if into else path)
            said = f"{counted(count['failed'], 'file')} gave no text; see: "
            say(console, f"  {said}weft kb ledger {known} --unread", style="yellow")
        unlinked = row["unlinked"]
        assert isinstance(unlinked, tuple)
        for line in unlinked:
            say(console, f"  link waits: {line}", style="yellow")


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
        typer.echo(harmless(said), err=True)
    return (await read_anew(app, scope, store, quiet=quiet))[0]


async def read_anew(app: App, scope: Scope, store: Store, *, quiet: bool) -> tuple[Store, int]:
    """Make a knowledge base anew from its files, by the settings of now.

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
    store = await app.library.emptied(scope, store)
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
