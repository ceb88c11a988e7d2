"""A flow that is written down in a file, run once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from weft.cli.answers import as_json as answer_json
from weft.cli.answers import remember
from weft.cli.bases.choice import AskedPlace, stores_for
from weft.cli.budget import budget_of
from weft.cli.invocation import refusal, run, show_json
from weft.cli.terminal.question import read_words
from weft.domain.errors import BadInput, WeftError
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.flows.asking import FlowOutcome
    from weft.flows.flow import Flow


def run_file(file: Path, words: Sequence[str], *, kb: str, budget: str, as_json: bool) -> None:
    """Run the flow of a file for a question, and print its answer."""
    try:
        flow = _flow_of(file)
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error

    async def action(app: App) -> tuple[str, FlowOutcome]:
        from weft.bootstrap.flows import build_flows
        from weft.flows.asking import Asking

        path, question = read_words(list(words), verb="ask")
        place = AskedPlace(path=path, kb=kb, verb="ask", question=question)
        stores = await stores_for(app, local_owner(), place, quiet=as_json)
        asking = Asking(
            question=question,
            knowledge_bases=tuple(store.name for store in stores),
            flow=flow.name,
            limits=budget_of(budget),
        )
        outcome = await build_flows(app, more=(flow,)).run(local_owner(), asking)
        remember(app.settings.home, outcome.answer)
        return question, outcome

    question, outcome = run(action, as_json=as_json)
    if as_json:
        show_json({**answer_json(outcome.answer), **outcome.payload})
    else:
        from weft.cli.rendering import show_answer

        show_answer(outcome.answer, question=question, more=False)
    if outcome.answer.refused:
        raise typer.Exit(1)


def _flow_of(file: Path) -> Flow:
    from weft.flows.catalog import stored_flow

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"'{file}' cannot be read: {error}") from error
    return stored_flow(text)
