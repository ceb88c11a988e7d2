"""`weft admin key`: keys by which programs ask in a user's name."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.admin.expiry import expiry_of
from weft.cli.admin.managing import InTenant, Json, managed, show_done, show_rows
from weft.cli.invocation import show_json, tell
from weft.cli.screen import screen
from weft.cli.terminal.tables import say, words
from weft.platform.access import allows
from weft.ports.records.people import ApiKey

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope
    from weft.platform.people.keys import ShownKey

app = typer.Typer(help="Keys of programs.", no_args_is_help=True)

User = Annotated[str, typer.Option("--user", metavar="NAME", help="Whose key it is to be.")]
OfUser = Annotated[str, typer.Option("--user", metavar="NAME", help="Only the keys of this user.")]
Expires = Annotated[
    str, typer.Option(help="Until when it opens anything: 30d, 12h, or a day, as 2027-01-31.")
]
Scopes = Annotated[
    list[str] | None,
    typer.Option(
        "--scope", metavar="PERMISSION", help="Only this of what its user may do; more than once."
    ),
]
Id = Annotated[str, typer.Argument(metavar="ID", help="The key's id (weft admin key list).")]


@app.command("add")
def add_key(
    *,
    user: User,
    expires: Expires = "",
    scopes: Scopes = None,
    tenant: InTenant = "",
    as_json: Json = False,
) -> None:
    """Make a key of a user; it is shown this once, and only a seal of it is kept."""

    async def action(opened: App, scope: Scope) -> tuple[ShownKey, list[str]]:
        until = expiry_of(expires, now=opened.clock.now())
        made = await opened.administration.keys.add(scope, user, scopes=scopes or (), expires=until)
        owner = await opened.principals.of_user(scope.tenant, user)
        held = frozenset() if owner is None else owner.permissions
        return made, [one for one in sorted(made.kept.scopes) if not allows(held, one)]

    made, idle = managed(action, tenant=tenant, as_json=as_json)
    if idle:
        tell(f"{made.kept.user} may not do {', '.join(idle)}, and so the key may not either.")
    if as_json:
        show_json({"id": made.kept.id, "key": made.text})
        return
    console = screen(highlight=False)
    say(console, made.text)
    until = f", until {_minute(made.kept.expires)} UTC" if made.kept.expires else ""
    told = f"The key {made.kept.id} of {made.kept.user}{until}. It is not shown again."
    say(screen(stderr=True, highlight=False), told, style="dim")


@app.command("list")
def list_keys(*, user: OfUser = "", tenant: InTenant = "", as_json: Json = False) -> None:
    """List keys, the newest first; their texts are kept nowhere."""

    async def action(opened: App, scope: Scope) -> list[dict[str, object]]:
        now = opened.clock.now()
        found = await opened.administration.keys.listed(scope, user=user)
        return [_row(each, now) for each in found]

    rows = managed(action, tenant=tenant, as_json=as_json, shown="key:*")
    if not as_json:
        times = ("created", "expires", "revoked")
        rows = [row | {key: _minute(row[key]) for key in times} for row in rows]
    columns = [words("key", whole=True), words("user"), words("limited to")]
    columns += [words(f"{what} (UTC)", whole=True) for what in ("made", "expires", "revoked")]
    nothing = "There is no key yet. Make one: weft admin key add --user NAME"
    show_rows(rows, [*columns, words("state")], as_json=as_json, nothing=nothing)


@app.command()
def revoke(key_id: Id, *, tenant: InTenant = "", as_json: Json = False) -> None:
    """Revoke a key: it opens nothing from then on, and what goes on by it ends."""

    async def action(opened: App, scope: Scope) -> dict[str, object]:
        found = await opened.administration.keys.revoke(scope, key_id)
        return _row(found, opened.clock.now())

    row = managed(action, tenant=tenant, as_json=as_json)
    told = f"The key {row['id']} of {row['user']} opens nothing any more."
    show_done(row, told, as_json=as_json)


def _row(found: ApiKey, now: datetime) -> dict[str, object]:
    is_over = found.expires is not None and found.expires <= now
    return {
        "id": found.id,
        "user": found.user,
        "scopes": sorted(found.scopes),
        "created": found.created,
        "expires": found.expires,
        "revoked": found.revoked,
        "state": "revoked" if found.revoked else "expired" if is_over else "valid",
    }


def _minute(when: object) -> str:
    return f"{when:%Y-%m-%d %H:%M}" if isinstance(when, datetime) else ""
