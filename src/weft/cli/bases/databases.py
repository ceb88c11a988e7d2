"""`weft kb databases`: the servers that are known, their databases, and what each one holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.invocation import run, show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import say, show_table, words
from weft.domain.errors import BadInput, WeftError
from weft.domain.target import EMBEDDED, ServerTarget, is_server_target
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App, Settings
    from weft.domain.scope import Scope
    from weft.ports.records.bases import RegisteredBase

NEO4J = "neo4j"
_COLUMNS = {
    "server": "server",
    "version": "version",
    "database": "database",
    "title": "knowledge base",
    "new": "new ones",
}
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Server = Annotated[
    str, typer.Argument(metavar="[neo4j://HOST:PORT]", help="Only this one; else all known ones.")
]


def server_target(settings: Settings, store: str, *, password: str = "") -> str:
    """Return what `--store` means: `neo4j` is the server of the settings; other words stay.

    `password`, a reference, becomes part of it. Raises `BadInput` where a server's
    option is given for a file, or no server is set.
    """
    if store in {NEO4J, f"{NEO4J}:"}:
        store = settings.values.neo4j_uri
        if not store:
            raise BadInput("NEO4J_URI names no server; write --store neo4j://HOST:PORT.")
    if not is_server_target(store):
        if password:
            raise BadInput("--password is for a server: --store neo4j://HOST:PORT.")
        return EMBEDDED if store.rstrip(":") == EMBEDDED.rstrip(":") else store
    target = ServerTarget.parse(store)
    named = replace(target, password=password or target.password)
    return str(ServerTarget.parse(str(named)))


def databases(server: Server = "", as_json: Json = False) -> None:
    """List the databases of the servers that knowledge bases are on."""

    async def action(app: App) -> list[dict[str, object]]:
        scope = local_owner()
        bases = await app.library.listed(scope)
        targets = _targets(app.settings, bases, server)
        rows: list[dict[str, object]] = []
        for target in targets:
            rows += await _rows(app, scope, target, bases)
        return rows

    rows = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(rows)
        return
    console = screen(highlight=False)
    if not rows:
        say(console, "No server is known; name one: weft kb databases neo4j://HOST:PORT")
        return
    answering = [row for row in rows if not row["problem"]]
    if answering:
        columns = [words(heading) for heading in _COLUMNS.values()]
        show_table(
            console, columns, rows=[[str(row[key]) for key in _COLUMNS] for row in answering]
        )
    for row in rows:
        if row["problem"]:
            say(console, str(row["problem"]), style="yellow")


def _targets(
    settings: Settings, bases: Sequence[RegisteredBase], server: str
) -> list[ServerTarget]:
    """Return one target a server: the one asked for, else those of the bases and the settings."""
    if server:
        known = [server_target(settings, server)]
    else:
        known = [base.target for base in bases if is_server_target(base.target)]
        known += [settings.values.neo4j_uri] if settings.values.neo4j_uri else []
    parsed = [ServerTarget.parse(text) for text in known]
    return list({(each.host, each.port): each for each in reversed(parsed)}.values())[::-1]


async def _rows(
    app: App, scope: Scope, target: ServerTarget, bases: Sequence[RegisteredBase]
) -> list[dict[str, object]]:
    held = {
        place: base
        for base in bases
        if is_server_target(base.target) and (place := ServerTarget.parse(base.target).place)
    }
    try:
        found = await app.servers.databases(scope, str(target))
    except WeftError as error:
        return [_row(target.address, problem=error.message)]
    new = "can be made" if found.can_make else "cannot be made"
    rows = []
    for name in found.databases:
        base = held.get(replace(target, database=name).place)
        rows.append(_row(target.address, base, version=found.version, database=name, new=new))
    return rows


def _row(server: str, base: RegisteredBase | None = None, **said: str) -> dict[str, object]:
    row: dict[str, object] = {"server": server, "version": "", "database": ""}
    row |= {"knowledge_base": base.name if base else "", "title": base.title if base else ""}
    return {**row, "new": "", "problem": "", **said}
