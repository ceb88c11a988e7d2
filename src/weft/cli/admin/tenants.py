"""`weft admin tenant`: organisations that see nothing of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.admin.managing import Json, managed, show_done, show_rows
from weft.cli.terminal.tables import words
from weft.ports.records.standings import Tenant

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope

app = typer.Typer(help="Tenants.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The tenant's name.")]
Title = Annotated[str, typer.Option(help="What people call it; else its name.")]


@app.command("add")
def add_tenant(name: Name, *, title: Title = "", as_json: Json = False) -> None:
    """Add a tenant; its first administrator is a user to be added there."""

    async def action(opened: App, scope: Scope) -> Tenant:
        return await opened.administration.tenants.add(scope, name, title=title)

    found = managed(action, tenant="", as_json=as_json)
    verb = f"weft admin user add NAME --role admin --tenant {found.name}"
    told = f"Added the tenant {found.name}. Its administrator: {verb}"
    show_done(_row(found), told, as_json=as_json)


@app.command("list")
def list_tenants(*, as_json: Json = False) -> None:
    """List the tenants."""

    async def action(opened: App, scope: Scope) -> list[Tenant]:
        return await opened.administration.tenants.listed(scope)

    rows = [_row(each) for each in managed(action, tenant="", as_json=as_json, shown="tenant:*")]
    if not as_json:
        rows = [row | {"created": f"{row['created']:%Y-%m-%d %H:%M}"} for row in rows]
    columns = [words("tenant"), words("title"), words("made (UTC)", whole=True)]
    nothing = "There is no tenant but your own. Add one: weft admin tenant add NAME"
    show_rows(rows, columns, as_json=as_json, nothing=nothing)


def _row(found: Tenant) -> dict[str, object]:
    return {"name": found.name, "title": found.title, "created": found.created}
