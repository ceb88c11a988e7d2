"""`weft admin user`: people and service accounts."""

from __future__ import annotations

import sys
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
from weft.cli.invocation import show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import say, words
from weft.domain.errors import BadInput
from weft.platform.access import require
from weft.platform.audit import audited
from weft.ports.records.audit import Deed
from weft.ports.records.people import NewUser, User, UserChange
from weft.ports.records.standings import UserKind

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope

app = typer.Typer(help="People and service accounts.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The user's name.")]
Groups = Annotated[
    list[str] | None, typer.Option("--group", metavar="GROUP", help="A group; more than once.")
]
NoGroups = Annotated[
    list[str] | None,
    typer.Option("--without-group", metavar="GROUP", help="Take out of it; more than once."),
]
Service = Annotated[bool, typer.Option("--service", help="A program: it has keys, no password.")]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read a password from standard input.")
]


@app.command("add")
def add_user(
    name: Name,
    *,
    groups: Groups = None,
    roles: Roles = None,
    service: Service = False,
    password_stdin: PasswordStdin = False,
    tenant: InTenant = "",
    as_json: Json = False,
) -> None:
    """Add a person, or a service account for a program; without a role it is a `user`."""

    async def action(opened: App, scope: Scope) -> User:
        new = NewUser(
            name=name,
            kind=UserKind.SERVICE if service else UserKind.PERSON,
            groups=frozenset(groups or ()),
            roles=frozenset(roles or ()),
        )
        password = _password() if password_stdin else ""
        return await opened.administration.users.add(scope, new, password=password)

    found = managed(action, tenant=tenant, as_json=as_json)
    show_done(_row(found), f"Added {found.name}{_standing(found)}.", as_json=as_json)
    if not as_json:
        verb = f"key add --user {found.name}" if service else f"user link {found.name}"
        said = f"To let them in: weft admin {verb}{f' --tenant {tenant}' if tenant else ''}"
        say(screen(highlight=False), said, style="dim")


@app.command("list")
def list_users(*, tenant: InTenant = "", as_json: Json = False) -> None:
    """List the users of a tenant."""

    async def action(opened: App, scope: Scope) -> list[User]:
        return await opened.administration.users.listed(scope)

    rows = [_row(each) for each in managed(action, tenant=tenant, as_json=as_json, shown="user:*")]
    headings = "name kind groups roles disabled password".split()
    columns = [*map(words, headings), words("made (UTC)", whole=True)]
    nothing = "There is no user but the owner. Add one: weft admin user add NAME"
    show_rows(rows if as_json else _shown(rows), columns, as_json=as_json, nothing=nothing)


@app.command("show")
def show_user(name: Name, *, tenant: InTenant = "", as_json: Json = False) -> None:
    """Show a user: groups, roles, what these permit, keys."""

    async def action(opened: App, scope: Scope) -> dict[str, object]:
        found = await opened.administration.users.named(scope, name)
        rights = await opened.principals.of_user(scope.tenant, found.name)
        keys = await opened.administration.keys.listed(scope, user=found.name)
        return _row(found) | {
            "principals": sorted(rights.principals) if rights else [],
            "permissions": sorted(rights.permissions) if rights else [],
            "keys": [key.id for key in keys if key.revoked is None],
        }

    row = managed(action, tenant=tenant, as_json=as_json, shown=f"user:{name}")
    if as_json:
        show_json(row)
        return
    shown: list[dict[str, object]] = [
        {"what": key.replace("_", " "), "value": value} for key, value in _shown([row])[0].items()
    ]
    show_rows(shown, [words("user", whole=True), words(name)], as_json=False, nothing="")


@app.command("change")
def change_user(
    name: Name,
    *,
    groups: Groups = None,
    without_groups: NoGroups = None,
    roles: Roles = None,
    without_roles: NoRoles = None,
    password_stdin: PasswordStdin = False,
    tenant: InTenant = "",
    as_json: Json = False,
) -> None:
    """Put a user into groups or take it out, give it roles or take them, or set its password."""

    async def action(opened: App, scope: Scope) -> User:
        users = opened.administration.users
        known = await users.named(scope, name)
        change = UserChange(
            groups=merged(known.groups, more=groups, less=without_groups),
            roles=merged(known.roles, more=roles, less=without_roles),
        )
        if change == UserChange() and not password_stdin:
            raise BadInput("Nothing is to change; say --group, --role or --password-stdin.")
        password = _password() if password_stdin else None
        return await users.change(scope, name, change, password=password)

    found = managed(action, tenant=tenant, as_json=as_json)
    show_done(_row(found), f"Changed {found.name}{_standing(found)}.", as_json=as_json)


@app.command()
def disable(name: Name, *, tenant: InTenant = "", as_json: Json = False) -> None:
    """Shut a user out: its keys, links and sessions open nothing, and what goes on ends."""
    _set_disabled(name, disabled=True, tenant=tenant, as_json=as_json)


@app.command()
def enable(name: Name, *, tenant: InTenant = "", as_json: Json = False) -> None:
    """Let a user in again that was shut out."""
    _set_disabled(name, disabled=False, tenant=tenant, as_json=as_json)


def _set_disabled(name: str, *, disabled: bool, tenant: str, as_json: bool) -> None:
    async def action(opened: App, scope: Scope) -> User:
        change = UserChange(is_disabled=disabled)
        return await opened.administration.users.change(scope, name, change)

    found = managed(action, tenant=tenant, as_json=as_json)
    told = f"{found.name} is {'shut out' if disabled else 'let in again'}."
    show_done(_row(found), told, as_json=as_json)


@app.command("remove")
def remove_user(name: Name, *, tenant: InTenant = "", as_json: Json = False) -> None:
    """Remove a user and its keys; nobody else gets the name."""

    async def action(opened: App, scope: Scope) -> None:
        await opened.administration.users.remove(scope, name)

    managed(action, tenant=tenant, as_json=as_json)
    show_done({"removed": name}, f"Removed {name}; the name stays taken.", as_json=as_json)


@app.command()
def link(name: Name, *, tenant: InTenant = "", as_json: Json = False) -> None:
    """Make a link by which a person signs in once, within twelve hours."""

    async def action(opened: App, scope: Scope) -> str:
        from weft.platform.people.invitation import invite

        require(scope, "admin.users", f"user:{name}")
        known = await opened.administration.users.named(scope, name)
        if known.kind is UserKind.SERVICE:
            raise BadInput(f"{known.name} is a service account: weft admin key add makes its keys.")
        if known.is_disabled:
            raise BadInput(f"{known.name} is shut out; weft admin user enable lets it in again.")
        deed = Deed(action="admin.user.link", target=f"user:{known.name}")
        async with audited(opened.records.audit, scope, deed):
            return invite(opened.settings.home, tenant=scope.tenant, user=known.name)

    key = managed(action, tenant=tenant, as_json=as_json)
    told = f"Opens the page once, within twelve hours: ADDRESS/?key={key}"
    show_done({"user": name, "key": key, "path": f"/?key={key}"}, told, as_json=as_json)


def _password() -> str:
    """Return the password on standard input, without the line's end."""
    given = sys.stdin.readline().rstrip("\r\n")
    if not given:
        raise BadInput("There is no password on standard input.")
    return given


def _standing(found: User) -> str:
    groups = f", in {', '.join(found.groups)}" if found.groups else ""
    return f"{groups}, as {', '.join(found.roles)}" if found.roles else f"{groups}, without a role"


def _row(found: User) -> dict[str, object]:
    return {
        "name": found.name,
        "kind": str(found.kind),
        "groups": list(found.groups),
        "roles": list(found.roles),
        "disabled": found.is_disabled,
        "has_password": found.has_password,
        "created": found.created,
    }


def _shown(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return rows as people read them."""
    told = {True: "yes", False: ""}
    return [
        row
        | {
            "disabled": told[bool(row["disabled"])],
            "has_password": told[bool(row["has_password"])],
            "created": f"{row['created']:%Y-%m-%d %H:%M}",
        }
        for row in rows
    ]
