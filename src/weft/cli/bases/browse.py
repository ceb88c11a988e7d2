"""`weft kb browse`: indexes of a knowledge base for other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.auditing.acting import acting
from weft.cli.bases.choice import chosen
from weft.cli.invocation import run, show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import say
from weft.cli.terminal.units import counted
from weft.domain.errors import BadInput
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App


def browse(
    which: Annotated[str, typer.Argument(metavar="NAME|FOLDER", help="By name or by folder.")],
    *,
    off: Annotated[bool, typer.Option("--off", help="Remove the indexes again.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a vector and a full-text index for other tools; again after documents came in."""

    async def action(app: App) -> dict[str, object]:
        from weft.bases.naming import as_argument

        scope = local_owner()
        store = await chosen(app, scope, which)
        if store.browsing is None:
            raise BadInput(
                f"'{store.title}' is a file, which other tools cannot browse; copy it to a server: "
                f"weft kb copy {as_argument(store.title)} NAME --store neo4j://HOST:PORT"
            )
        async with acting(app, "kb.change", target=f"kb:{store.name}"):
            if off:
                await store.browsing.drop(scope)
            added = 0 if off else await store.browsing.ensure(scope)
        return {
            "name": store.name,
            "title": store.title,
            "browsable": not off,
            "vectors_added": added,
        }

    shown = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(shown)
    elif off:
        say(screen(), f"Removed the indexes of {shown['title']}.")
    else:
        added = counted(int(str(shown["vectors_added"])), "vector")
        say(screen(), f"{shown['title']} can be browsed; {added} added.")
