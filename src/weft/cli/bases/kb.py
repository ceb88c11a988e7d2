"""`weft kb`: knowledge bases listed, made, looked into, exported, made anew, dropped."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
from rich.box import SIMPLE
from rich.table import Column, Table
from rich.text import Text

from weft.cli.bases.browse import browse
from weft.cli.bases.choice import chosen, from_home, unread_of
from weft.cli.bases.copy import copy
from weft.cli.bases.databases import databases, server_target
from weft.cli.ingest import bring_in
from weft.cli.invocation import run, show_json
from weft.cli.screen import screen
from weft.domain.errors import BadInput
from weft.domain.target import EMBEDDED
from weft.platform.audit import audited
from weft.platform.identity import local_owner
from weft.ports.records.audit import Deed

if TYPE_CHECKING:
    from weft.bootstrap.app import App

app = typer.Typer(help="Knowledge bases.", no_args_is_help=True)
Which = Annotated[str, typer.Argument(metavar="[NAME|FOLDER]", help="By name or by folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_bases(as_json: Json = False) -> None:
    """List the knowledge bases."""

    async def action(opened: App) -> list[dict[str, object]]:
        from weft.bases.readiness import readiness

        listed = await opened.library.listed(local_owner())
        found = {each.name: each for each in await readiness(opened.library, local_owner())}
        return [
            {
                "name": base.name,
                "folder": base.folder,
                "target": base.target,
                "state": found[base.name].state,
                "reasons": list(found[base.name].reasons),
                "created": base.created,
            }
            for base in listed
        ]

    rows = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(rows)
        return
    if not rows:
        screen().print("There is no knowledge base yet; weft ingest FOLDER makes one.")
        return
    name = Column("name", no_wrap=True)
    table = Table(name, Column("folder or target", overflow="fold"), "state", "created", box=SIMPLE)
    for row in rows:
        created = Text(str(row["created"])[:16], style="dim")
        where = from_home(Path(str(row["folder"]))) if row["folder"] else str(row["target"])
        table.add_row(str(row["name"]), Text(where), str(row["state"]), created)
    screen(highlight=False).print(table)


app.command()(databases)
app.command()(copy)
app.command()(browse)


@app.command()
def create(
    name: Annotated[str, typer.Argument()],
    *,
    store: Annotated[
        str, typer.Option(help="sqlite:, neo4j (NEO4J_URI) or neo4j://[USER@]HOST:PORT[/DATABASE].")
    ] = EMBEDDED,
    password: Annotated[
        str, typer.Option(help="Where the password is: env:NAME or file:PATH (NEO4J_PASSWORD).")
    ] = "",
    attach: Annotated[
        bool, typer.Option("--attach", help="Use the knowledge base that is there already.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make an empty knowledge base: a file of the workspace, or a database of a server."""

    async def action(opened: App) -> str:
        wanted = server_target(opened.settings, store, password=password)
        scope = local_owner()
        return (await opened.library.create(scope, name, store=wanted, attach=attach)).name

    made = run(action, as_json=as_json)
    if as_json:
        show_json({"name": made})
    else:
        done = "Attached" if attach else "Made"
        screen().print(f"{done} [bold]{made}[/]. Fill it: weft ingest PATH --kb {made}")


@app.command()
def stats(which: Which = "", as_json: Json = False) -> None:
    """Count what a knowledge base holds."""

    async def action(opened: App) -> dict[str, object]:
        scope = local_owner()
        store = await chosen(opened, scope, which)
        counts = asdict(await store.holdings.counts(scope))
        sources = await store.ledger.sources(scope)
        return {
            "name": store.name,
            **counts,
            "outcomes": await store.ledger.outcomes(scope),
            "sources": {source.name: source.root for source in sources},
            "made_with": dict(store.made_with),
        }

    shown = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(shown)
        return
    table = Table(show_header=False)
    for key, value in shown.items():
        said = value
        if isinstance(value, dict):
            said = "\n".join(f"{name}: {part}" for name, part in value.items())
        table.add_row(key, str(said))
    screen().print(table)


@app.command()
def ledger(
    which: Which = "",
    *,
    unread: Annotated[
        bool, typer.Option("--unread", help="Only the files that gave no text, and why.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what became of every file and every chunk."""

    async def action(opened: App) -> dict[str, object]:
        from weft.ingest.seen_files import seen_files

        scope = local_owner()
        store = await chosen(opened, scope, which)
        files = await seen_files(scope, store, await store.ledger.files(scope, None))
        chunks = await store.ledger.outcomes(scope)
        statuses = Counter(str(entry.status) for entry in files)
        totals = {
            "files": len(files),
            "chunks": sum(chunks.values()),
            "characters": sum(entry.characters for entry in files),
            "statuses": dict(sorted(statuses.items())),
        }
        rows = [
            {
                "source": entry.source,
                "path": entry.path,
                "status": str(entry.status),
                "reason": entry.reason,
                "characters": entry.characters,
                "chunks": entry.chunks,
                "documents": entry.documents,
                "skipped": entry.skipped,
            }
            for entry in (unread_of(files) if unread else files)
        ]
        return {"files": rows, "chunks": chunks, "totals": totals}

    shown = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(shown)
    else:
        _print_ledger(shown, unread=unread)


def _print_ledger(shown: Mapping[str, Any], *, unread: bool) -> None:
    """Print a row a file, of `unread` ones without what they do not have, then the sums."""
    console, totals = screen(highlight=False), shown["totals"]
    statuses = ", ".join(f"{count} {status}" for status, count in totals["statuses"].items())
    if unread and not shown["files"]:
        console.print(f"Every file gave text ({statuses or 'there are none'}).")
        return
    numbers = [] if unread else [Column(each, justify="right") for each in ("characters", "chunks")]
    # A path is copied, so it is folded and never cut.
    table = Table(Column("file", overflow="fold"), "status", *numbers, "reason", box=SIMPLE)
    for row in shown["files"]:
        status = Text(row["status"], style="green" if row["status"] == "read" else "yellow")
        counts = [] if unread else [str(row["characters"]), str(row["chunks"])]
        table.add_row(Text(row["path"]), status, *counts, Text(row["reason"]))
    console.print(table)
    console.print(f"{totals['files']} files: {statuses}")
    if not unread:
        chunks = ", ".join(f"{count} {outcome}" for outcome, count in shown["chunks"].items())
        console.print(f"{totals['chunks']} chunks, {totals['characters']} characters: {chunks}")


@app.command()
def export(
    which: Which = "",
    output: Annotated[Path | None, typer.Option("-o", help="Write to this file.")] = None,
) -> None:
    """Write all of a knowledge base as canonical JSON lines."""

    async def action(opened: App) -> int:
        scope = local_owner()
        store = await chosen(opened, scope, which)
        deed = Deed(action="kb.export", target=f"kb:{store.name}")
        async with audited(opened.records.audit, scope, deed) as act:
            count = await _written(store.holdings.export(scope), output)
            act.note(lines=count)
        return count

    count = run(action, with_models=False)
    if output is not None:
        screen().print(f"{count} lines → {output}")


async def _written(lines: AsyncIterator[str], output: Path | None) -> int:
    """Write lines to a file or to standard output and return how many there were."""
    count = 0
    stream = _stream(output)  # nothing else runs on this loop
    try:
        async for line in lines:
            stream.write(line + "\n")
            count += 1
    finally:
        if output is not None:
            stream.close()
    return count


def _stream(output: Path | None) -> TextIO:
    return sys.stdout if output is None else output.open("w", encoding="utf-8")


@app.command()
def reindex(which: Which = "", as_json: Json = False) -> None:
    """Make a knowledge base anew from its files, with the settings of now."""

    async def action(opened: App) -> dict[str, object]:
        from weft.ingest.jobs.ingestion import IngestRequest

        scope = local_owner()
        store = await chosen(opened, scope, which)
        sources = await store.ledger.sources(scope)
        missing = [source.root for source in sources if not Path(source.root).exists()]  # noqa: ASYNC240  # nothing else runs
        if missing:
            raise BadInput(
                f"{', '.join(missing)} is gone: what was read from there could not be read again.",
                missing=missing,
            )
        store = await opened.library.emptied(scope, store)
        chunks = 0
        for source in sources:
            request = IngestRequest(path=Path(source.root), prune=True)
            report = await bring_in(opened, scope, store=store, request=request, quiet=as_json)
            chunks += report.chunks
        return {"name": store.name, "sources": len(sources), "chunks": chunks}

    shown = run(action, as_json=as_json)
    if as_json:
        show_json(shown)
    else:
        screen().print(f"[bold]{shown['name']}[/] made anew: {shown['chunks']} chunks.")


@app.command()
def drop(
    which: Annotated[str, typer.Argument(metavar="NAME|FOLDER")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Leave its content where it is, on a server or disk.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Remove a knowledge base and all that was said from it; the files stay where they are."""
    if not yes and not as_json:
        typer.confirm(f"Remove the knowledge base '{which}' for good?", abort=True)

    async def action(opened: App) -> str:
        scope = local_owner()
        if forget:
            await opened.records.tape.forget(scope, which, documents=None)
            await opened.library.drop(scope, which)
            return which
        store = await chosen(opened, scope, which)
        # Before and after: what a killed process leaves undone is not what was said from it.
        await opened.records.tape.forget(scope, store.name, documents=None)
        await opened.library.drop(scope, store)
        await opened.records.tape.forget(scope, store.name, documents=None)
        return store.name

    name = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json({"dropped": name})
    else:
        screen().print(f"Removed [bold]{name}[/].")
