"""What the verbs of `weft admin` have in common: their tenant, their options, what they say."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from weft.cli.invocation import run, show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import Column, say, show_table
from weft.domain.acl import principal_key
from weft.platform.audit import audited
from weft.platform.identity import local_owner
from weft.ports.records.audit import Deed

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.scope import Scope

T = TypeVar("T")

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
InTenant = Annotated[str, typer.Option("--tenant", help="Of this tenant; else of one's own.")]
Roles = Annotated[
    list[str] | None, typer.Option("--role", metavar="ROLE", help="A role; more than once.")
]
NoRoles = Annotated[
    list[str] | None,
    typer.Option("--without-role", metavar="ROLE", help="Take this role away; more than once."),
]


def managed(
    action: Callable[[App, Scope], Coroutine[object, object, T]],
    *,
    tenant: str,
    as_json: bool,
    shown: str = "",
) -> T:
    """Run an action as the owner of the machine, who manages every tenant, and return its result.

    Where it shows something (`shown`) that is a row of the log; who changes something writes it
    there by itself. Raises `BadInput` for a tenant that there is not.
    """

    async def inside(app: App) -> T:
        scope = await app.administration.tenants.scope_in(local_owner(), tenant)
        if not shown:
            return await action(app, scope)
        async with audited(app.records.audit, scope, Deed(action="admin.read", target=shown)):
            return await action(app, scope)

    return run(inside, with_models=False, as_json=as_json)


def show_rows(
    rows: Sequence[dict[str, object]],
    columns: Sequence[Column],
    *,
    as_json: bool,
    nothing: str,
) -> None:
    """Print rows, which have a value for each heading; where there are none, say so."""
    if as_json:
        show_json(rows)
        return
    console = screen(highlight=False)
    if not rows:
        say(console, nothing)
        return
    keys = list(rows[0])
    show_table(console, columns, rows=[[_cell(row[key]) for key in keys] for row in rows])


def show_done(value: dict[str, object], told: str, *, as_json: bool) -> None:
    """Print what was done: the thing as it is now in JSON, or a line of words."""
    if as_json:
        show_json(value)
    else:
        say(screen(highlight=False), told)


def merged(
    held: Sequence[str], *, more: Sequence[str] | None, less: Sequence[str] | None
) -> frozenset[str] | None:
    """Return what is held with more and without some, None where nothing is to change.

    Names that differ by case alone are the same name.
    """
    if not more and not less:
        return None
    gone = {principal_key(one) for one in less or ()}
    return frozenset(one for one in (*held, *(more or ())) if principal_key(one) not in gone)


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
