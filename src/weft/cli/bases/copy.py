"""`weft kb copy`: a knowledge base into another one, on any kind of store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.auditing.acting import acting
from weft.cli.bases.choice import chosen, undoing
from weft.cli.bases.databases import server_target
from weft.cli.invocation import run, show_json
from weft.cli.progress import ProgressBar
from weft.cli.screen import screen
from weft.cli.terminal.tables import say
from weft.cli.terminal.units import counted, grouped
from weft.domain.errors import BadInput, UnknownKnowledgeBase
from weft.domain.target import EMBEDDED
from weft.platform.audit import audited
from weft.platform.identity import local_owner
from weft.ports.records.audit import Deed
from weft.ports.records.bases import Sharing

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.domain.ids import DocumentId
    from weft.domain.scope import Scope
    from weft.ports.store import Store


def copy(
    which: Annotated[str, typer.Argument(metavar="NAME|FOLDER", help="What to copy.")],
    name: Annotated[
        str,
        typer.Argument(metavar="NAME|TITLE", help="The copy; made if there is none called so."),
    ],
    *,
    store: Annotated[
        str, typer.Option(help="Where to make it: sqlite:, neo4j or neo4j://HOST:PORT[/DATABASE].")
    ] = EMBEDDED,
    prune: Annotated[
        bool, typer.Option(help="Take out of the copy what the original has not.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Copy a knowledge base, whole; again to bring the copy in step."""

    async def action(app: App) -> dict[str, object]:
        from weft.bases.copies import CopyOptions, copy, side_of

        scope = local_owner()
        original = await chosen(app, scope, which)
        into, is_new = await _target(app, scope, original, name=name, store=store)
        deed = Deed(action="kb.copy", target=f"kb:{original.name}", meta={"into": into.name})

        async def forget(documents: Sequence[DocumentId]) -> None:
            await app.records.tape.forget(scope, into.name, documents=documents)

        with ProgressBar(f"{original.title} → {into.title}", quiet=as_json) as bar:
            options = CopyOptions(watch=bar.show_copied, forget=forget, prune=prune)
            async with (
                audited(app.records.audit, scope, deed) as act,
                undoing(app, into, is_new=is_new),
            ):
                done = await copy(scope, side_of(original), into=side_of(into), options=options)
                await app.originals.copy(scope, original, into=into)
                act.note(documents=done.documents, written=done.written, removed=done.removed)
        names = {"from": original.name, "name": into.name, "title": into.title}
        return {**names, **asdict(done)}

    shown = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(shown)
        return
    held, written, removed = (int(str(shown[key])) for key in ("documents", "written", "removed"))
    say(
        screen(),
        f"{shown['title']} holds {counted(held, 'document')}: "
        f"{grouped(written)} written, {grouped(removed)} removed.",
    )


async def _target(
    app: App, scope: Scope, original: Store, *, name: str, store: str
) -> tuple[Store, bool]:
    """Return the copy's knowledge base and whether it is new: then made as the original was."""
    from weft.bases.copies import check_readable, recipe_of
    from weft.bases.finding import find

    try:
        base = await find(app.records.bases, scope, name)
        found = await app.library.named(scope, base.name)
    except UnknownKnowledgeBase:
        await check_readable(scope, original.holdings)
        recipe = await recipe_of(scope, original.holdings)
        wanted = server_target(app.settings, store)
        made = await app.library.create(scope, name, store=wanted, recipe=recipe)
        await _share_alike(app, scope, original, made)
        return made, True
    if found.name == original.name:
        raise BadInput("A knowledge base is no copy of itself.", name=name)
    return found, False


async def _share_alike(app: App, scope: Scope, original: Store, made: Store) -> None:
    """Open a copy to whom the original is open; whoever copies manages it."""
    base = await app.records.bases.named(scope, original.name)
    guard = base.guard
    sharing = Sharing(readers=guard.readers, writers=guard.writers, default_acl=base.default_acl)
    async with acting(app, "kb.change", target=f"kb:{made.name}"):
        await app.records.bases.share(scope, made.name, sharing)
