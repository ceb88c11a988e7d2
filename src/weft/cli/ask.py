"""`weft ask` and `weft open`: a question, its answer, and the document behind a citation."""

from __future__ import annotations

import asyncio
import gc
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.answers import as_json as answer_json
from weft.cli.answers import recalled, remember
from weft.cli.bases.choice import AskedPlace, names_for, stores_for
from weft.cli.budget import Budget, budget_of
from weft.cli.invocation import run, show_json
from weft.cli.remote.asked import Remote, RemoteQuestion, address_meant, answer_of, workspace_home
from weft.cli.terminal.question import read_words
from weft.domain.errors import BadInput, NotFound, WeftError
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.platform.audit import audited
from weft.platform.identity import local_owner, narrow
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.audit import Deed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.bootstrap.app import App
    from weft.cli.terminal.opened import CitedPlace
    from weft.domain.answer import Answer
    from weft.flows.asking import FlowOutcome
    from weft.flows.running import FlowRunner
    from weft.runtime.amounts import Limits

Words = Annotated[
    list[str], typer.Argument(metavar="[PATH] QUESTION", help="A folder or file, then a question.")
]
Kb = Annotated[str, typer.Option(help="Knowledge bases by name, with commas.")]
Source = Annotated[str, typer.Option(help="Answer from these sources or types alone.")]
FlowName = Annotated[str, typer.Option("--flow", help="Which flow answers; the default: rag.")]
Pin = Annotated[
    list[str],
    typer.Option("--pin", metavar="NAME=NODE", help="What a name means (semantic, router)."),
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
    kb: Kb = "",
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

    _check(save)
    if remote:
        wanted = RemoteQuestion(words=words, kb=kb, source=source, flow=flow, budget=budget)
        question, answer = answer_of(remote, wanted, as_json=as_json)
        remember(workspace_home(), answer, service=address_meant(remote))
        _save(save, answer, question=question)
        _show(answer, {}, question=question, more=more, as_json=as_json)
        return

    async def action(app: App) -> tuple[str, FlowOutcome]:
        path, question = read_words(words, verb="ask")
        return question, await _answer(
            app,
            scope_of(source),
            _Wanted(
                path=path,
                question=question,
                kb=kb,
                flow=flow,
                limits=budget_of(budget),
                pins=pins_of(pin),
                quiet=as_json,
            ),
        )

    question, outcome = run(action, as_json=as_json)
    _save(save, outcome.answer, question=question)
    _show(outcome.answer, outcome.payload, question=question, more=more, as_json=as_json)


def _check(save: Path | None) -> None:
    if save is not None:
        from weft.cli.saved_answer import check_place

        with _refusing():
            check_place(save)


def _save(save: Path | None, answer: Answer, *, question: str) -> None:
    if save is not None:
        from weft.cli.saved_answer import markdown_of
        from weft.cli.terminal.files import write_text

        with _refusing():
            write_text(save, markdown_of(answer, question=question))


@contextmanager
def _refusing() -> Iterator[None]:
    """Have what is wrong with a file told as what is wrong with the option."""
    try:
        yield
    except BadInput as error:
        raise typer.BadParameter(error.message, param_hint="--save") from error


def _show(
    answer: Answer, payload: Mapping[str, object], *, question: str, more: bool, as_json: bool
) -> None:
    """Print an answer, and end with 1 where it is none."""
    if as_json:
        show_json({**answer_json(answer), **payload})
    else:
        # Here and below, because JSON needs nothing that draws.
        from weft.cli.rendering import show_answer, show_candidates

        show_answer(answer, question=question, more=more)
        show_candidates(payload)
    if answer.refused:
        raise typer.Exit(1)


def pins_of(pins: Sequence[str]) -> dict[str, str]:
    """Return which node each name means, or raise `BadInput` for a pin without a node."""
    found: dict[str, str] = {}
    for one in pins:
        name, _, node = (part.strip() for part in one.partition("="))
        if not name or not node:
            raise BadInput(f"A pin is NAME=NODE, such as those that --json shows; this is '{one}'.")
        found[name] = node
    return found


def scope_of(source: str) -> Scope:
    """Return the owner's scope, narrowed to the sources that were named with commas."""
    scope = local_owner()
    named = [part.strip() for part in source.split(",") if part.strip()]
    return narrow(scope, named) if named else scope


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A question as it was typed: of what, by which flow, within which limits.

    `pins` say what its names mean; `quiet` shows no progress.
    """

    path: Path | None
    question: str
    kb: str
    flow: str
    limits: Limits | None
    pins: Mapping[str, str]
    quiet: bool


async def _answer(app: App, scope: Scope, wanted: _Wanted) -> FlowOutcome:
    from weft.domain.entity import EntityOverride
    from weft.flows.asking import Asking

    # What fills roles takes its time to load: it does so while the folder is compared and the
    # arrays are made ready.
    warming = asyncio.create_task(asyncio.to_thread(_flows, app))
    # And the embedder reads the question, which it keeps.
    reading = asyncio.create_task(_read(app, wanted.question))
    names = await _bases(app, scope, wanted)
    runner = await warming
    await reading
    # What was imported stays to the end: to look it through for garbage would take as long as
    # the answer.
    gc.freeze()
    asking = Asking(
        question=wanted.question,
        knowledge_bases=names,
        flow=wanted.flow,
        limits=wanted.limits,
        overrides=tuple(
            EntityOverride(question_entity=name, node_id=node) for name, node in wanted.pins.items()
        ),
    )
    outcome = await runner.run(scope, asking)
    remember(app.settings.home, outcome.answer)
    # What is missing here, and what brings it, goes with every answer that had to do without.
    told = replace(outcome.answer, notes=(*outcome.answer.notes, *app.notes))
    return replace(outcome, answer=told)


async def _bases(app: App, scope: Scope, wanted: _Wanted) -> tuple[str, ...]:
    """Return the names of the knowledge bases that are asked, ready to be searched.

    A flow that names itself which of them cannot be asked is given all.
    """
    if wanted.flow and wanted.kb.strip(", ") and wanted.path is None:
        from weft.flows.catalog import FlowCatalog

        if FlowCatalog().find(wanted.flow).skips_blocked:
            return tuple(await names_for(app, scope, wanted.kb))
    from weft.bootstrap.knowledge import prepare_search

    asked = AskedPlace(path=wanted.path, kb=wanted.kb, verb="ask", question=wanted.question)
    stores = await stores_for(app, scope, asked, quiet=wanted.quiet)
    await prepare_search(stores, scope)
    return tuple(store.name for store in stores)


async def _read(app: App, question: str) -> None:
    # One at an endpoint keeps nothing, and what it reads has a price.
    if app.embedder is not None and app.settings.values.embedder == "local":
        with suppress(WeftError):  # the answer meets it again, and tells of it
            await app.embedder.queries([question])


def _flows(app: App) -> FlowRunner:
    from weft.bootstrap.flows import build_flows

    return build_flows(app)


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
