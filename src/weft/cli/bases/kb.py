"""`weft kb`: knowledge bases listed, made, looked into, exported, made anew, dropped."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.auditing.acting import acting
from weft.cli.bases.browse import browse
from weft.cli.bases.choice import chosen, meant, shown_title
from weft.cli.bases.contents import Json, Which, ledger, stats
from weft.cli.bases.copy import copy
from weft.cli.bases.databases import databases, server_target
from weft.cli.bases.keeping import read_anew
from weft.cli.bases.sharing import open_to, openness, share
from weft.cli.bases.unfinished import unfinished
from weft.cli.invocation import run, show_json
from weft.cli.options import Remote
from weft.cli.remote.asked import bases_of
from weft.cli.screen import screen
from weft.cli.terminal.files import writable
from weft.cli.terminal.tables import say, show_table, words
from weft.cli.terminal.texts import said
from weft.cli.terminal.units import counted
from weft.domain.errors import BadInput, StoreCorrupt
from weft.domain.target import EMBEDDED, ServerTarget, is_server_target
from weft.platform.access import require
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope
    from weft.ports.records.bases import RegisteredBase
    from weft.ports.store import Store

# What people type for a verb that is called otherwise here.
_DROPPING = ("delete", "remove", "rm", "del")
app = typer.Typer(help="Knowledge bases.", no_args_is_help=True)
Place = Annotated[
    str, typer.Option(help="sqlite:, neo4j (NEO4J_URI) or neo4j://[USER@]HOST:PORT[/DATABASE].")
]
Password = Annotated[
    str, typer.Option(help="Where the password is: env:NAME or file:PATH (NEO4J_PASSWORD).")
]
Attach = Annotated[
    bool, typer.Option("--attach", help="Use the knowledge base that is there already.")
]
Ontology = Annotated[
    str, typer.Option(help="By which ontology it is read: a name of `weft ontology list`.")
]
_HEADINGS = ("knowledge base", "kept in", "state", "open to", "made (UTC)")


@app.command("list")
def list_bases(remote: Remote = "", as_json: Json = False) -> None:
    """List the knowledge bases."""
    if remote:
        _print_remote(bases_of(remote, as_json=as_json), as_json)
        return

    async def action(opened: App) -> list[dict[str, object]]:
        from weft.bases.readiness import readiness

        async with acting(opened, "kb.list", target="kb:*"):
            listed = await opened.library.listed(local_owner())
        found = {each.name: each for each in await readiness(opened.library, local_owner())}
        rest = await unfinished(opened)
        return [
            {
                "name": base.name,
                "title": base.title,
                "folder": base.folder,
                "target": base.target,
                "state": found[base.name].state,
                "reasons": list(found[base.name].reasons),
                "unfinished": [one.call for one in rest if one.base == base.name],
                "open_to": open_to(base),
                **openness(base),
                "created": base.created,
            }
            for base in listed
        ]

    rows = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(rows)
    else:
        _print_bases(rows)


def _print_remote(found: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    if as_json:
        show_json(found)
        return
    columns = [words("knowledge base"), words("name"), words("state")]
    shown = [[shown_title(one["title"]), one["name"], one["readiness"]] for one in found]
    show_table(screen(highlight=False), columns, rows=shown)


def _print_bases(rows: Sequence[Mapping[str, object]]) -> None:
    console = screen(highlight=False)
    if not rows:
        say(console, 'There is no knowledge base yet. Ask a folder: weft ask FOLDER "..."')
        return
    columns = [words(heading) for heading in _HEADINGS]
    shown = [
        [
            shown_title(str(row["title"])),
            _kept_in(str(row["target"])),
            f"{row['state']}, not fully read" if row["unfinished"] else str(row["state"]),
            str(row["open_to"]),
            f"{row['created']:%Y-%m-%d %H:%M}",
        ]
        for row in sorted(rows, key=lambda row: str(row["title"]).casefold())
    ]
    show_table(console, columns, rows=shown)
    for row in rows:
        reasons, rest = row["reasons"], row["unfinished"]
        assert isinstance(reasons, list)
        assert isinstance(rest, list)
        for reason in reasons:
            say(console, f"{row['title']}: {reason}", style="yellow")
        for call in rest:
            title = shown_title(str(row["title"]))
            say(console, said("unfinished", "", title=title, call=call), style="yellow")


def _kept_in(target: str) -> str:
    """Return in words where a knowledge base is: what its file is called says nothing to people."""
    if not is_server_target(target):
        return "a file"
    placed = ServerTarget.parse(target)
    return f"{placed.address}/{placed.database}"


app.command()(databases)
app.command()(copy)
app.command()(browse)
app.command()(stats)
app.command()(ledger)
app.command()(share)


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME|TITLE", help="What it is to be called.")],
    *,
    store: Place = EMBEDDED,
    password: Password = "",
    attach: Attach = False,
    ontology: Ontology = "",
    as_json: Json = False,
) -> None:
    """Make an empty knowledge base: a file of the workspace, or a database of a server."""

    async def action(opened: App) -> Store:
        wanted = server_target(opened.settings, store, password=password)
        library = opened.library
        recipe = opened.recipe_with(ontology) if ontology else None
        return await library.create(local_owner(), name, store=wanted, attach=attach, recipe=recipe)

    made = run(action, as_json=as_json)
    if as_json:
        show_json({"name": made.name, "title": made.title})
        return
    from weft.bases.naming import as_argument

    done = "Attached" if attach else "Made"
    say(screen(), f"{done} {made.title}. Fill it: weft ingest PATH --kb {as_argument(made.title)}")


@app.command()
def export(
    which: Which = "",
    output: Annotated[Path | None, typer.Option("-o", help="Write to this file.")] = None,
) -> None:
    """Write all of a knowledge base as canonical JSON lines."""

    async def action(opened: App) -> int:
        scope = local_owner()
        store = await chosen(opened, scope, which)
        async with acting(opened, "kb.export", target=f"kb:{store.name}") as act:
            count = await _written(store.holdings.export(scope), output)
            act.note(lines=count)
        return count

    count = run(action, with_models=False)
    if output is not None:
        say(screen(), f"{counted(count, 'line')} → {output}")


async def _written(lines: AsyncIterator[str], output: Path | None) -> int:
    """Write lines to a file or to standard output and return how many there were."""
    count = 0
    stream = writable(output)  # nothing else runs on this loop
    try:
        async for line in lines:
            stream.write(line + "\n")
            count += 1
    finally:
        if output is not None:
            stream.close()
    return count


@app.command()
def reindex(which: Which = "", *, ontology: Ontology = "", as_json: Json = False) -> None:
    """Make a knowledge base anew from its files, with the settings of now."""

    async def action(opened: App) -> dict[str, object]:
        scope = local_owner()
        store = await chosen(opened, scope, which)
        sources = await store.ledger.sources(scope)
        async with acting(opened, "kb.reindex", target=f"kb:{store.name}"):
            store, chunks = await read_anew(opened, scope, store, quiet=as_json, ontology=ontology)
        counts = {"sources": len(sources), "chunks": chunks}
        return {"name": store.name, "title": store.title, **counts}

    shown = run(action, as_json=as_json)
    if as_json:
        show_json(shown)
    else:
        chunks = counted(int(str(shown["chunks"])), "chunk")
        say(screen(), f"Made {shown['title']} anew: {chunks}.")


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

    async def action(opened: App) -> RegisteredBase:
        from weft.ingest.removal import droppable

        if not which.strip():  # elsewhere that is the base of the folder one is in
            raise BadInput("Name the knowledge base to be removed, or its folder.")
        scope = local_owner()
        base = await meant(opened, scope, which)
        require(scope, "kb.admin", f"kb:{base.name}")
        # Opened first: of what cannot be removed nobody is asked whether it is to be.
        store = None if forget else await droppable(opened.library, scope, base.name)
        if not yes and not as_json:
            typer.confirm(await _doubt(scope, base, store), abort=True)
        async with acting(opened, "kb.drop", target=f"kb:{base.name}"):
            await _drop(opened, scope, base, store)
        return base

    base = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json({"dropped": base.name, "title": base.title})
    else:
        say(screen(), f"Removed {base.title}.")


async def _doubt(scope: Scope, base: RegisteredBase, store: Store | str | None) -> str:
    """Return what somebody is asked before a knowledge base goes."""
    if store is None:
        return f"Take {base.title} off the list? Its content stays where it is."
    held = "it is damaged"
    if not isinstance(store, str):
        with suppress(StoreCorrupt):
            counts = await store.holdings.counts(scope)
            held = counted(counts.documents, "document")
    return f"Remove {base.title} ({held}) for good? The files that were read stay."


async def _drop(opened: App, scope: Scope, base: RegisteredBase, store: Store | str | None) -> None:
    from weft.ingest.removal import drop_base
    from weft.ingest.sources.inbox import inbox_of

    if store is None:
        await opened.records.tape.forget(scope, base.name, documents=None)
        await opened.library.drop(scope, base.name)
        return
    inbox = inbox_of(opened.settings.home, scope, base.name)
    await drop_base(opened.holders, scope, store=store, inbox=inbox)


def dropping(context: typer.Context) -> None:
    """Refuse a word that is no verb here, and name the verb that is meant."""
    context.fail(f"No such command '{context.info_name}'. It is: weft kb drop NAME")


for _word in _DROPPING:
    _any = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(_word, hidden=True, context_settings=_any)(dropping)
