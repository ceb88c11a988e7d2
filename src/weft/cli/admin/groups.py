"""`weft admin group`: groups of users, and what they may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.admin.managing import (
    InTenant,
    Json,
    NoRoles,
    Roles,
    managed,
    merged,
    show_done,
    show_rows,
)
from weft.cli.terminal.tables import words
from weft.domain.acl import principal_key
from weft.domain.errors import BadInput, NotFound
from weft.ports.records.people import Group, NewGroup

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope

app = typer.Typer(help="Groups of users.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The group's name.")]
Within = Annotated[
    str | None,
    typer.Option("--within", metavar="GROUP", help="Whoever is in it is in this one too."),
]


@app.command("add")
def add_group(
    name: Name,
    *,
    within: Within = None,
    roles: Roles = None,
    tenant: InTenant = "",
    as_json: Json = False,
) -> None:
    """Add a group; groups lie within others no deeper than one."""

    async def action(opened: App, scope: Scope) -> Group:
        new = NewGroup(name=name, within=within or "", roles=frozenset(roles or ()))
        return await opened.administration.groups.add(scope, new)

    found = managed(action, tenant=tenant, as_json=as_json)
    show_done(_row(found), f"Added the group {found.name}{_standing(found)}.", as_json=as_json)


@app.command("list")
def list_groups(*, tenant: InTenant = "", as_json: Json = False) -> None:
    """List the groups of a tenant, each with the users that are directly in it."""

    async def action(opened: App, scope: Scope) -> list[dict[str, object]]:
        users = await opened.administration.users.listed(scope)
        return [
            _row(each) | {"users": [user.name for user in users if each.name in user.groups]}
            for each in await opened.administration.groups.listed(scope)
        ]

    rows = managed(action, tenant=tenant, as_json=as_json, shown="group:*")
    if not as_json:
        rows = [row | {"created": f"{row['created']:%Y-%m-%d %H:%M}"} for row in rows]
    columns = [words("name"), words("within"), words("roles"), words("made (UTC)", whole=True)]
    nothing = "There is no group yet. Add one: weft admin group add NAME"
    show_rows(rows, [*columns, words("users")], as_json=as_json, nothing=nothing)


@app.command("change")
def change_group(
    name: Name,
    *,
    within: Within = None,
    roles: Roles = None,
    without_roles: NoRoles = None,
    tenant: InTenant = "",
    as_json: Json = False,
) -> None:
    """Put a group within another (--within "": within none), give it roles or take them."""

    async def action(opened: App, scope: Scope) -> Group:
        groups = opened.administration.groups
        known = await _found(opened, scope, name)
        wanted = merged(known.roles, more=roles, less=without_roles)
        if within is None and wanted is None:
            raise BadInput("Nothing is to change; say --within, --role or --without-role.")
        return await groups.change(scope, name, within=within, roles=wanted)

    found = managed(action, tenant=tenant, as_json=as_json)
    show_done(_row(found), f"Changed the group {found.name}{_standing(found)}.", as_json=as_json)


@app.command("remove")
def remove_group(name: Name, *, tenant: InTenant = "", as_json: Json = False) -> None:
    """Remove a group; its users stay, and an ACL that names it opens nothing by it."""

    async def action(opened: App, scope: Scope) -> None:
        await opened.administration.groups.remove(scope, name)

    managed(action, tenant=tenant, as_json=as_json)
    show_done({"removed": name}, f"Removed the group {name}.", as_json=as_json)


async def _found(opened: App, scope: Scope, name: str) -> Group:
    for group in await opened.administration.groups.listed(scope):
        if principal_key(group.name) == principal_key(name):
            return group
    raise NotFound(f"There is no group {name}.", name=name)


def _standing(found: Group) -> str:
    within = f" within {found.within}" if found.within else ""
    return f"{within}, as {', '.join(found.roles)}" if found.roles else within


def _row(found: Group) -> dict[str, object]:
    return {
        "name": found.name,
        "within": found.within,
        "roles": list(found.roles),
        "created": found.created,
    }
