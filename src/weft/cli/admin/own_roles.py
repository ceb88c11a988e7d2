"""`weft admin role`: the built-in roles, and those of a tenant's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.admin.managing import InTenant, Json, managed, show_done, show_rows
from weft.cli.terminal.tables import words
from weft.platform.people.roles import BUILT_IN
from weft.ports.records.people import OwnRole

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope

app = typer.Typer(help="Roles: names for permissions.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The role's name.")]
Permissions = Annotated[
    list[str],
    typer.Option(
        "--permission", metavar="PERMISSION", help="What it permits (weft admin permissions)."
    ),
]


@app.command("add")
def add_role(
    name: Name, *, permissions: Permissions, tenant: InTenant = "", as_json: Json = False
) -> None:
    """Name permissions as a role of the tenant's own."""
    _keep(OwnRole(name=name, permissions=frozenset(permissions)), True, tenant, as_json=as_json)


@app.command("change")
def change_role(
    name: Name, *, permissions: Permissions, tenant: InTenant = "", as_json: Json = False
) -> None:
    """Say anew what a role of the tenant's own permits; it holds for all who have it."""
    _keep(OwnRole(name=name, permissions=frozenset(permissions)), False, tenant, as_json=as_json)


@app.command("list")
def list_roles(*, tenant: InTenant = "", as_json: Json = False) -> None:
    """List the built-in roles, then the tenant's own."""

    async def action(opened: App, scope: Scope) -> list[OwnRole]:
        return await opened.administration.roles.listed(scope)

    found = managed(action, tenant=tenant, as_json=as_json, shown="role:*")
    rows = [_row(each) for each in found]
    if not as_json:
        rows = [row | {"built_in": "built in" if row["built_in"] else "own"} for row in rows]
    columns = [words("role", whole=True), words("permissions"), words("kind", whole=True)]
    show_rows(rows, columns, as_json=as_json, nothing="")


@app.command("remove")
def remove_role(name: Name, *, tenant: InTenant = "", as_json: Json = False) -> None:
    """Remove a role of the tenant's own from all who have it."""

    async def action(opened: App, scope: Scope) -> None:
        await opened.administration.roles.remove(scope, name)

    managed(action, tenant=tenant, as_json=as_json)
    show_done({"removed": name}, f"Removed the role {name}.", as_json=as_json)


def _keep(role: OwnRole, is_new: bool, tenant: str, *, as_json: bool) -> None:
    async def action(opened: App, scope: Scope) -> OwnRole:
        return await opened.administration.roles.keep(scope, role, is_new=is_new)

    found = managed(action, tenant=tenant, as_json=as_json)
    done = "Added" if is_new else "Changed"
    told = f"{done} the role {found.name}: {', '.join(sorted(found.permissions))}."
    show_done(_row(found), told, as_json=as_json)


def _row(found: OwnRole) -> dict[str, object]:
    built_in = found.name in BUILT_IN
    return {
        "name": found.name,
        "permissions": sorted(found.permissions),
        "built_in": built_in,
    }
