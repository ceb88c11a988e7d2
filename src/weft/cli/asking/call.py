"""One call that asks: of a folder, of knowledge bases, or of a service somewhere else."""

from __future__ import annotations

import asyncio
import gc
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from weft.cli.answers import as_json as answer_json
from weft.cli.answers import remember
from weft.cli.asking.pins import meaning_of, pins_of
from weft.cli.bases.choice import (
    AskedPlace,
    check_sources,
    names_for,
    stores_for,
    tell_unfinished,
)
from weft.cli.budget import budget_of
from weft.cli.invocation import refusal, run, show_json
from weft.cli.terminal.question import read_words
from weft.domain.errors import (
    BadInput,
    IndexMismatch,
    NotFound,
    StoreCorrupt,
    StoreUnavailable,
    WeftError,
)
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.platform.identity import local_owner, narrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft.bootstrap.app import App
    from weft.domain.answer import Answer
    from weft.flows.asking import FlowOutcome
    from weft.flows.running import FlowRunner
    from weft.runtime.amounts import Limits


# What an answer was made with stays to the end of the process, which lets go of it at once: to take
# it apart piece by piece takes as long as to verify the answer.
_HELD: list[App] = []
# The flows in which what was found is read with the question.
_READING = ("", "rag")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskCall:
    """What was typed behind `weft ask`; each option as its help says."""

    words: Sequence[str]
    kb: str = ""
    source: str = ""
    flow: str = ""
    budget: str = ""
    pins: Sequence[str] = ()
    more: bool = False
    save: Path | None = None
    remote: str = ""
    as_json: bool = False


def answer(call: AskCall) -> None:
    """Answer the question and show the answer; ends the process with 1 where it is none."""
    _check(call.save)
    if call.remote:
        _answer_elsewhere(call)
        return

    async def action(app: App) -> tuple[str, FlowOutcome]:
        _HELD[:] = [app]
        path, question = read_words(call.words, verb="ask")
        return question, await _answer(
            app,
            scope_of(call.source),
            _Wanted(
                path=path,
                question=question,
                kb=call.kb,
                flow=call.flow,
                limits=budget_of(call.budget),
                pins=pins_of(call.pins),
                meaning=meaning_of(call.pins),
                quiet=call.as_json,
            ),
        )

    question, outcome = run(
        action, as_json=call.as_json, goes_on="there is no answer; ask again for one"
    )
    _save(call.save, outcome.answer, question=question)
    _show(outcome.answer, outcome.payload, question=question, call=call)


def _answer_elsewhere(call: AskCall) -> None:
    # Here, because most questions are answered on one's own machine.
    from weft.cli.remote.asked import RemoteQuestion, address_meant, answer_of, workspace_home

    wanted = RemoteQuestion(
        words=call.words,
        kb=call.kb,
        source=call.source,
        flow=call.flow,
        budget=call.budget,
        meaning=_meaning_elsewhere(call),
    )
    question, given = answer_of(call.remote, wanted, as_json=call.as_json)
    remember(workspace_home(), given, service=address_meant(call.remote))
    _save(call.save, given, question=question)
    _show(given, {}, question=question, call=call)


def _meaning_elsewhere(call: AskCall) -> str:
    """Return the id of what is meant, to be sent; what a name means is not."""
    try:
        if pins_of(call.pins):
            raise BadInput("--pin NAME=NODE is for this machine; to a service go ids of meanings.")
        return meaning_of(call.pins)
    except BadInput as error:
        raise refusal(error, as_json=call.as_json) from error


def _check(save: Path | None) -> None:
    if save is not None:
        from weft.cli.saved_answer import check_place

        with _refusing():
            check_place(save)


def _save(save: Path | None, given: Answer, *, question: str) -> None:
    if save is not None:
        from weft.cli.saved_answer import markdown_of
        from weft.cli.terminal.files import write_text

        with _refusing():
            write_text(save, markdown_of(given, question=question))


@contextmanager
def _refusing() -> Iterator[None]:
    """Have what is wrong with a file told as what is wrong with the option."""
    try:
        yield
    except BadInput as error:
        import typer

        raise typer.BadParameter(error.message, param_hint="--save") from error


def _show(given: Answer, payload: Mapping[str, object], *, question: str, call: AskCall) -> None:
    """Print an answer, and end with 1 where it is none."""
    if call.as_json:
        show_json({**answer_json(given), **payload})
    else:
        # Here and below, because JSON needs nothing that draws.
        from weft.cli.rendering import show_answer, show_candidates

        show_answer(given, question=question, more=call.more)
        show_candidates(payload)
    if given.refused:
        raise SystemExit(1)


def scope_of(source: str) -> Scope:
    """Return the owner's scope, narrowed to the sources that were named with commas."""
    scope = local_owner()
    named = [part.strip() for part in source.split(",") if part.strip()]
    return narrow(scope, named) if named else scope


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A question as it was typed: of what, by which flow, within which limits.

    `pins` say what its names mean, `meaning` what it means; `quiet` shows no progress.
    """

    path: Path | None
    question: str
    kb: str
    flow: str
    limits: Limits | None
    pins: Mapping[str, str]
    meaning: str
    quiet: bool


async def _answer(app: App, scope: Scope, wanted: _Wanted) -> FlowOutcome:
    from weft.domain.entity import EntityOverride
    from weft.flows.asking import Asking

    # What fills roles takes its time to load: it does so while the folder is compared and the
    # arrays are made ready.
    warming = asyncio.create_task(asyncio.to_thread(_flows, app, wanted.flow))
    # And the embedder reads the question, which it keeps.
    reading = asyncio.create_task(_read(app, wanted))
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
        meaning=wanted.meaning,
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
        from weft.flows.toolkits import Skipping

        if FlowCatalog().find(wanted.flow).skips_blocked is Skipping.ALL:
            return await _named(app, scope, wanted)
        if FlowCatalog().find(wanted.flow).skips_blocked is Skipping.SOME:
            try:
                return await _ready(app, scope, wanted)
            except (StoreUnavailable, StoreCorrupt, IndexMismatch):
                names = await _named(app, scope, wanted)
                if await _is_none_ready(app, scope, names):
                    raise
                return names
    return await _ready(app, scope, wanted)


async def _named(app: App, scope: Scope, wanted: _Wanted) -> tuple[str, ...]:
    """Return the names of the knowledge bases that are asked, whether they can be or not."""
    names = await names_for(app, scope, wanted.kb)
    if scope.sources is not None:
        with suppress(StoreUnavailable):  # what cannot be opened may have any source
            opened = [await app.library.named(scope, name) for name in names]
            await check_sources(scope, opened)
    for name in () if wanted.quiet else names:
        await tell_unfinished(app, name, question=wanted.question)
    return tuple(names)


async def _is_none_ready(app: App, scope: Scope, names: Sequence[str]) -> bool:
    from weft.bases.readiness import readiness
    from weft.domain.readiness import State

    return all(one.state is State.BLOCKED for one in await readiness(app.library, scope, names))


async def _ready(app: App, scope: Scope, wanted: _Wanted) -> tuple[str, ...]:
    from weft.bootstrap.knowledge import prepare_search

    asked = AskedPlace(path=wanted.path, kb=wanted.kb, verb="ask", question=wanted.question)
    stores = await stores_for(app, scope, asked, quiet=wanted.quiet)
    await prepare_search(stores, scope)
    return tuple(store.name for store in stores)


async def _read(app: App, wanted: _Wanted) -> None:
    # One at an endpoint keeps nothing, and what it reads has a price.
    if app.embedder is not None and app.settings.values.embedder == "local":
        with suppress(WeftError):  # the answer meets it again, and tells of it
            await app.embedder.queries([wanted.question])
    if wanted.flow in _READING and app.cross_reader is not None:
        # What reads the first units takes as long to open as a search: it does so from now on, and
        # not before, because it would keep a processor from what embeds the question.
        app.cross_reader.prepare()


def _flows(app: App, flow: str) -> FlowRunner:
    from weft.bootstrap.flows import build_flows

    runner = build_flows(app)
    with suppress(NotFound):  # the run meets it again, and tells of it
        runner.catalog.find(flow)
    return runner
