"""`weft ingest`: files and folders into a knowledge base."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from weft.cli.invocation import run, show_json
from weft.cli.progress import ProgressBar
from weft.cli.terminal.durations import counted, took
from weft.domain.scope import Scope
from weft.platform.identity import local_owner, readers

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.ingest.jobs.ingestion import IngestRequest
    from weft.ingest.progress import IngestProgress
    from weft.ports.store import Store

Paths = Annotated[list[Path], typer.Argument(help="Files and folders to read.", show_default=False)]
Kb = Annotated[str, typer.Option(help="Knowledge base by name; else each path has its own.")]
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
            began = time.perf_counter()
            store = await target(app, scope, path, kb=kb)
            request = IngestRequest(path=path, acl=allowed, prune=prune)
            report = await bring_in(app, scope, store=store, request=request, quiet=as_json)
            row = {"path": str(path), "knowledge_base": store.name, **asdict(report)}
            done.append({**row, "seconds": round(time.perf_counter() - began, 3)})
        return done

    rows = run(action, as_json=as_json)
    if as_json:
        show_json(rows)
        return
    _report(rows)


def _report(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what became of each path."""
    # Here, because other verbs bring folders in step too and print nothing of it.
    from rich.markup import escape

    from weft.cli.screen import screen

    console = screen(highlight=False)
    for row in rows:
        console.print(_line(row))
        if row["failed"]:
            call = f"weft kb ledger {row['knowledge_base']} --unread"
            console.print(f"  [yellow]{counted(row['failed'], 'file')} gave no text; {call}[/]")
        unlinked = row["unlinked"]
        assert isinstance(unlinked, tuple)
        for line in unlinked:
            console.print(f"  [yellow]link waits: {escape(line)}[/]")


def _line(row: Mapping[str, Any]) -> Text:
    """Return what became of a path: what was read, what was written, how long it took."""
    read = row["files_done"] - row["unchanged"]
    line = Text(str(row["path"]), style="bold").append(" → ", style="none")
    line.append(str(row["knowledge_base"]), style="none")
    time_taken = took(row["seconds"])
    if not read and not row["removed"]:
        files = counted(row["unchanged"], "file")
        return line.append(f": nothing has changed in {files} ({time_taken})", style="none")
    parts = [f"read {counted(read, 'file')} in {time_taken}"]
    if row["unchanged"]:
        parts.append(f"{row['unchanged']} unchanged")
    parts.append(
        f"{counted(row['documents'], 'document')} in {counted(row['chunks'], 'chunk')} written"
    )
    if row["removed"]:
        parts.append(f"{row['removed']} removed")
    return line.append(f": {', '.join(parts)}", style="none")


async def target(app: App, scope: Scope, path: Path, *, kb: str) -> Store:
    """Return the knowledge base that a path goes into."""
    if kb:
        return await app.library.ensured(scope, kb)
    return await app.library.for_folder(scope, path)


async def bring_in(
    app: App, scope: Scope, *, store: Store, request: IngestRequest, quiet: bool
) -> IngestProgress:
    """Bring a knowledge base in step with a path, with a bar while it takes long."""
    with ProgressBar(request.path.name or str(request.path), quiet=quiet) as bar:
        return await app.ingest.bring_in(scope, store, request=request, watch=bar.show)
