"""`weft ask` and `weft open`: a question, its answer, and the document behind a citation."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.answers import recalled
from weft.cli.asking.call import AskCall, answer
from weft.cli.invocation import run, show_json
from weft.cli.options import Bases, Budget, Remote
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId
from weft.platform.audit import audited
from weft.platform.identity import local_owner
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.audit import Deed

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.cli.terminal.opened import CitedPlace

Words = Annotated[
    list[str], typer.Argument(metavar="[PATH] QUESTION", help="A folder or file, then a question.")
]
Source = Annotated[str, typer.Option(help="Answer from these sources or types alone.")]
FlowName = Annotated[str, typer.Option("--flow", help="Which flow answers; the default: rag.")]
Pin = Annotated[
    list[str],
    typer.Option(
        "--pin",
        metavar="NAME=NODE|ID",
        help="What is meant: by a name (semantic, router), or of what a refusal offers.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Save = Annotated[
    Path | None, typer.Option(metavar="FILE.md", help="Write the answer to a file, too.")
]
More = Annotated[bool, typer.Option("--more", help="Show what was found besides the answer, too.")]
Number = Annotated[int, typer.Argument(help="The number of the citation.", min=1)]


def ask(
    words: Words,
    *,
    kb: Bases = "",
    source: Source = "",
    flow: FlowName = "",
    budget: Budget = "",
    pin: Pin = [],  # noqa: B006  # typer reads it
    more: More = False,
    save: Save = None,
    remote: Remote = "",
    as_json: Json = False,
) -> None:
    """Answer a question from documents, each sentence with a citation that was checked.

    Without a path and without a default knowledge base the folder you are in is asked. Ends with 0
    where it is answered and with 1 where it is not: the nearest that was found is shown, if
    anything is near. An error ends with 2 or above.
    """
    answer(
        AskCall(
            words=words,
            kb=kb,
            source=source,
            flow=flow,
            budget=budget,
            pins=pin,
            more=more,
            save=save,
            remote=remote,
            as_json=as_json,
        )
    )


def open_citation(number: Number, as_json: Json = False) -> None:
    """Show the N-th citation of the last answer in its document, the cited words marked."""

    async def action(app: App) -> CitedPlace:
        return await cited(app, number)

    shown = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(asdict(shown))
        return
    from weft.cli.screen import screen
    from weft.cli.terminal.opened import print_place

    print_place(screen(), shown)


async def cited(app: App, number: int) -> CitedPlace:
    """Return the document of a citation of the last answer, its text and the cited span."""
    from weft.cli.terminal.opened import CitedPlace

    base, document, start, end = recalled(app.settings.home, number)
    scope = local_owner()
    deed = Deed(action="document.read", target=f"kb:{base}/{document}")
    async with audited(app.records.audit, scope, deed):
        store = await app.library.named(scope, base)
        try:
            text = await store.knowledge.text(scope, DocumentId(document))
        except NotFound:
            raise NotFound("The cited document is not there any more.") from None
        wanted = DocumentFilter(documents=frozenset({document}))
        (known,) = await store.knowledge.find(scope, wanted, 1)
    return CitedPlace(
        document=document, title=known.title, uri=known.uri, text=text, start=start, end=end
    )
