"""`weft ask` and `weft open`: a question, its answer, and the document behind a citation."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from weft.cli.answers import as_json as answer_json
from weft.cli.answers import print_answer, recalled, remember
from weft.cli.bases.choice import stores_for
from weft.cli.invocation import run, show_json
from weft.domain.answer import Answer
from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.platform.audit import audited
from weft.platform.identity import local_owner, narrow
from weft.ports.records.audit import Deed

if TYPE_CHECKING:
    from weft.bootstrap.app import App

Words = Annotated[
    list[str], typer.Argument(metavar="[PATH] QUESTION", help="A folder or file, then a question.")
]
Kb = Annotated[str, typer.Option(help="Knowledge bases by name, with commas.")]
Source = Annotated[str, typer.Option(help="Answer from these sources or types alone.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Number = Annotated[int, typer.Argument(help="The number of the citation.", min=1)]
_AROUND = 600


def ask(words: Words, *, kb: Kb = "", source: Source = "", as_json: Json = False) -> None:
    """Answer a question from documents, each sentence with a citation that was checked."""

    async def action(app: App) -> Answer:
        path, question = _read(words)
        return await _answer(app, scope_of(source), path, question, kb=kb, quiet=as_json)

    answer = run(action, as_json=as_json)
    if as_json:
        show_json(answer_json(answer))
    else:
        console = Console()
        print_answer(console, answer, question=words[-1])
        if answer.sentences:
            console.print(Text("weft open N shows the N-th citation in its document.", style="dim"))


def _read(words: list[str]) -> tuple[Path | None, str]:
    if len(words) > 2:
        raise BadInput('Write the question in quotes: weft ask FOLDER "what is ...?"')
    question = words[-1].strip()
    if not question:
        raise BadInput("The question is empty.")
    if len(words) == 1:
        return None, question
    path = Path(words[0]).expanduser()
    if not path.exists():
        raise BadInput(f"there is no file or folder '{words[0]}'", path=words[0])
    return path, question


def scope_of(source: str) -> Scope:
    """Return the owner's scope, narrowed to the sources that were named with commas."""
    scope = local_owner()
    named = [part.strip() for part in source.split(",") if part.strip()]
    return narrow(scope, named) if named else scope


async def _answer(
    app: App, scope: Scope, path: Path | None, question: str, *, kb: str, quiet: bool
) -> Answer:
    # The framework takes a second to load: it does so while the folder is compared and the
    # arrays are made ready.
    from weft.bootstrap.app import build_answering, load_agents, prepare_search

    warming = asyncio.create_task(asyncio.to_thread(load_agents))
    stores = await stores_for(app, scope, path, kb=kb, quiet=quiet)
    await prepare_search(stores, scope)
    await warming
    from weft.flows.rag.flow import ask as ask_flow

    house = await asyncio.to_thread(build_answering, app, stores)
    # What was imported stays to the end: to look it through for garbage would take as long as
    # the answer.
    gc.freeze()
    answer = await ask_flow(house, scope, question)
    remember(app.settings.home, answer, bases=[store.name for store in stores])
    return answer


def open_citation(number: Number, as_json: Json = False) -> None:
    """Show the N-th citation of the last answer in its document, the cited words marked."""

    async def action(app: App) -> dict[str, object]:
        return await cited(app, number)

    shown = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(shown)
    else:
        print_cited(Console(), shown)


async def cited(app: App, number: int) -> dict[str, object]:
    """Return the document of a citation of the last answer, its text and the cited span."""
    bases, document, start, end = recalled(app.settings.home, number)
    scope = local_owner()
    deed = Deed(action="kb.read", target=f"document:{document}")
    async with audited(app.records.audit, scope, deed):
        for base in bases:
            store = await app.library.named(scope, base)
            try:
                text = await store.knowledge.text(scope, DocumentId(document))
            except NotFound:
                continue
            return {"document": document, "start": start, "end": end, "text": text}
        raise NotFound("The cited document is not there any more.")


def print_cited(console: Console, shown: Mapping[str, object]) -> None:
    """Print the words around a citation, the cited ones marked."""
    text, start, end = str(shown["text"]), int(str(shown["start"])), int(str(shown["end"]))
    console.print(Text(str(shown["document"]), style="bold"))
    begin, stop = max(0, start - _AROUND), min(len(text), end + _AROUND)
    around = Text(("…" if begin else "") + text[begin:start])
    around.append(text[start:end], style="black on yellow")
    around.append(text[end:stop] + ("…" if stop < len(text) else ""))
    console.print(around)
