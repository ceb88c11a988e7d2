"""`weft research`: a question looked into over and over, and a cited report."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from weft.agents.researching import ResearchMode
from weft.cli.answers import as_json as answer_json
from weft.cli.answers import remember
from weft.cli.bases.choice import AskedPlace, stores_for
from weft.cli.budget import budget_of
from weft.cli.invocation import run, show_json, tell
from weft.cli.options import Bases, Budget
from weft.cli.terminal.question import read_words
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.flows.asking import Asking, FlowOutcome
    from weft.runtime.live_runs import LiveRuns

Words = Annotated[
    list[str], typer.Argument(metavar="[PATH] QUESTION", help="A folder or file, then a question.")
]
Mode = Annotated[
    ResearchMode | None,
    typer.Option(help="As one question or by sections; by default as the question has it."),
]
Save = Annotated[
    Path | None, typer.Option(help="Write the report to this file: .md, or a page as .html.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_FORMS = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}


def research(
    words: Words,
    *,
    kb: Bases = "",
    mode: Mode = None,
    budget: Budget = "",
    save: Save = None,
    as_json: Json = False,
) -> None:
    """Look into a question from all sides and write a report, every sentence cited.

    A report that was cut short by its budget says what is missing. Ends with 0 where there is a
    report, and with 1 where nothing was found.
    """

    async def action(app: App) -> FlowOutcome:
        from weft.flows.asking import Asking

        path, question = read_words(words, verb="research")
        place = AskedPlace(path=path, kb=kb, verb="research", question=question)
        stores = await stores_for(app, local_owner(), place, quiet=as_json)
        asking = Asking(
            question=question,
            knowledge_bases=tuple(store.name for store in stores),
            flow="research",
            limits=budget_of(budget),
            mode="" if mode is None else mode.value,
            run_id=RunId(secrets.token_hex(8)),
        )
        return await _looked_into(app, asking, quiet=as_json)

    form = _form_of(save)
    outcome = run(action, as_json=as_json)
    _show(outcome, save=save, form=form, as_json=as_json)


def _form_of(save: Path | None) -> str:
    """Return in which form a file is written, or raise `BadInput` for none."""
    if save is None:
        return "markdown"
    form = _FORMS.get(save.suffix.lower(), "")
    if not form:
        raise typer.BadParameter(f"'{save.name}': a report is written as .md or .html.")
    return form


def _show(outcome: FlowOutcome, *, save: Path | None, form: str, as_json: bool) -> None:
    payload = outcome.payload
    if save is not None:
        try:
            save.write_text(str(payload[form]), encoding="utf-8")
        except OSError as error:
            raise typer.BadParameter(f"'{save}' cannot be written: {error.strerror}.") from error
        tell(f"the report is in {save}")
    if as_json:
        show_json({**answer_json(outcome.answer), **payload})
    elif save is None:
        # Here, because JSON needs nothing that draws.
        from weft.cli.terminal.report import show_report

        show_report(payload, notes=outcome.answer.notes)
    report = cast("Mapping[str, object]", payload["report"])
    if not outcome.answer.sentences and not report["is_partial"]:
        raise typer.Exit(1)


async def _looked_into(app: App, asking: Asking, *, quiet: bool) -> FlowOutcome:
    from weft.bootstrap.flows import build_flows
    from weft.runtime.live_runs import LiveRuns

    live = LiveRuns(app.records.runs)
    runner = await asyncio.to_thread(build_flows, app, runs=live)
    watching = asyncio.create_task(_watched(live, asking, quiet=quiet))
    try:
        outcome = await runner.run(local_owner(), asking)
    finally:
        watching.cancel()
    remember(app.settings.home, outcome.answer)
    return outcome


async def _watched(live: LiveRuns, asking: Asking, *, quiet: bool) -> None:
    """Say what is looked into, as it begins and ends; nothing where JSON is wanted."""
    assert asking.run_id is not None
    with live.watching(asking.run_id) as feed:
        while True:
            event = await feed.get()
            line = "" if quiet else _line(event)
            if line:
                tell(line)


def _line(event: RunEvent) -> str:
    """Return in words what an event means to whoever waits; empty for most."""
    data: Mapping[str, object] = event.data
    if event.type is EventType.NODE_STARTED and "section" in data:
        return f"looking into: {data['section']}"
    if event.type is EventType.BUDGET_EXCEEDED:
        return f"the budget of {data.get('dimension', 'the run')} is used up: writing what there is"
    if event.type is EventType.NODE_FINISHED and "findings" in data:
        return f"found {data['findings']} more"
    return ""
