"""`weft runs`: what was asked, and what happened step by step."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from weft.cli.answers import as_json as answer_json
from weft.cli.answers import remember
from weft.cli.auditing.acting import acting
from weft.cli.budget import parts_of
from weft.cli.invocation import run, show_json
from weft.cli.rendering import show_answer
from weft.cli.runs.trace import draw, totals
from weft.cli.screen import screen
from weft.cli.terminal.files import write_text
from weft.cli.terminal.run_ids import whole_id
from weft.cli.terminal.tables import Cell, say, show_table, words
from weft.cli.terminal.units import took
from weft.domain.errors import BadInput, NotFound
from weft.domain.event import RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.platform.identity import local_owner
from weft.platform.tracing.spans import TracedRun
from weft.platform.tracing.trace_records import trace_records
from weft.ports.records.jobs import JobStatus
from weft.ports.records.runs import Run, RunStatus
from weft.ports.records.tape import TapeEntry
from weft.ports.records.tool_runs import ToolRun

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.flows.asking import FlowOutcome
    from weft.flows.steering import RunSteering

app = typer.Typer(help="Runs: what was asked and how it was answered.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Limit = Annotated[int, typer.Option(help="How many.", min=1, max=1000)]
Status = Annotated[RunStatus | None, typer.Option(help="Only those that stand so.")]
Since = Annotated[str, typer.Option(help="Only those from this day on, as 2026-11-21.")]
Words = Annotated[
    str, typer.Option("--text", help="Only those whose question or knowledge base holds this.")
]
Replies = Annotated[
    bool, typer.Option("--replies", help="In JSON: what tools and models replied, text included.")
]
Id = Annotated[str, typer.Argument(help="The run's id, or its beginning.")]
More = Annotated[
    list[str], typer.Argument(help="How much more, as tokens=20000 money=0.10 time=60.")
]
_PAGE = 200
# In fewer columns of a terminal those of the list would be a few letters wide.
_ROOM = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """Which runs are listed."""

    status: RunStatus | None
    since: datetime | None
    text: str

    def fits(self, found: Run) -> bool:
        """Tell whether a run is among them."""
        header = found.header
        kept = self.status is None or found.status is self.status
        words = "\n".join((header.preview, *header.kb_refs)).casefold()
        return kept and self.text.casefold() in words


@app.command("list")
def list_runs(
    limit: Limit = 20,
    *,
    status: Status = None,
    since: Since = "",
    text: Words = "",
    as_json: Json = False,
) -> None:
    """List the newest runs."""

    async def action(opened: App) -> list[dict[str, object]]:
        wanted = _Wanted(status=status, since=_day(since), text=text)
        async with acting(opened, "run.list", target="run:*"):
            return [_row(found) for found in await _listed(opened, wanted, limit)]

    rows = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(rows)
        return
    _print_runs(screen(highlight=False), rows)


def _print_runs(console: Console, rows: Sequence[Mapping[str, object]]) -> None:
    """Print runs in columns, and below each other where a terminal has no room for these."""
    cells: list[list[Cell]] = [
        [
            str(row["run_id"]),
            str(row["started"])[:16],
            *(str(row[key]) for key in ("flow", "status")),
            _took(row),
            str(row["question"]),
        ]
        for row in rows
    ]
    if not console.is_terminal or console.width >= _ROOM:
        # Whole, because people copy it.
        columns = [words("run", whole=True), words("started", whole=True), words("flow")]
        columns += [words("status"), words("took", whole=True), words("question")]
        show_table(console, columns, rows=cells)
        return
    for run_id, *standing, question in cells:
        say(console, str(run_id), style="bold")
        say(console, " · ".join(str(each) for each in standing if each))
        say(console, f"{question}\n")


def _day(text: str) -> datetime | None:
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"'{text}' is no day; write it as 2026-11-21.", since=text) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


async def _listed(opened: App, wanted: _Wanted, limit: int) -> list[Run]:
    """Return the newest runs that fit, page by page until there are enough."""
    found: list[Run] = []
    cursor = ""
    while True:
        page = await opened.records.runs.newest(local_owner(), limit=_PAGE, cursor=cursor)
        for one in page.runs:
            if wanted.since is not None and one.header.started < wanted.since:
                return found
            if wanted.fits(one):
                found.append(one)
            if len(found) == limit:
                return found
        cursor = page.cursor
        if not cursor:
            return found


def _row(found: Run) -> dict[str, object]:
    header = found.header
    return {
        "run_id": header.run_id,
        "flow": header.flow,
        "agent": header.agent,
        "status": str(found.status),
        "started": header.started,
        "finished": found.finished,
        "question": header.preview,
        "knowledge_bases": list(header.kb_refs),
        "summary": dict(found.summary),
        "source_deleted": found.source_deleted,
    }


def _took(row: Mapping[str, object]) -> str:
    started, finished = row["started"], row["finished"]
    if not isinstance(started, datetime) or not isinstance(finished, datetime):
        return ""
    return took((finished - started).total_seconds())


@app.command()
def show(
    run_id: Id,
    *,
    replies: Replies = False,
    as_json: Json = False,
) -> None:
    """Show a run as a tree: its steps and times, tools, evidence, model calls and their cost."""

    async def action(opened: App) -> tuple[dict[str, object], list[RunEvent]]:
        scope, records = local_owner(), opened.records
        key = await whole_id(opened, run_id)
        async with acting(opened, "run.read", target=f"run:{key}"):
            found = await records.runs.get(scope, key)
            events = await records.runs.events(scope, key)
        row = {**_row(found), "totals": totals(events)}
        if as_json:
            row["events"] = [_event(event) for event in events]
            calls = await records.tool_runs.of_run(scope, key)
            row["tool_runs"] = [_tool(one, with_output=replies) for one in calls]
            if replies:
                row["replies"] = [_reply(one) for one in await records.tape.entries(scope, key)]
            read = await records.tape.sources(scope, key)
            row["sources"] = [
                {"knowledge_base": one.knowledge_base, "document": one.document} for one in read
            ]
        return row, events

    if replies and not as_json:
        raise typer.BadParameter("--replies goes with --json.")
    row, events = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(row)
    else:
        screen().print(draw(row, events))


@app.command()
def export(
    run_ids: Annotated[list[str], typer.Argument(help="The runs' ids, or their beginnings.")],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file, as traces.jsonl.")
    ] = None,
) -> None:
    """Write the traces of runs as records, a line for each step: a knowledge base takes them in."""

    async def action(opened: App) -> None:
        found: list[dict[str, object]] = []
        for each in run_ids:
            key = await whole_id(opened, each)
            async with acting(opened, "run.read", target=f"run:{key}"):
                asked = await opened.records.runs.get(local_owner(), key)
                events = await opened.records.runs.events(local_owner(), key)
            header = asked.header
            told = TracedRun(
                run_id=key, flow=header.flow, agent=header.agent, question=header.preview
            )
            found += trace_records(told, events, actor=asked.actor)
        lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in found)
        write_text(output, "".join(lines))

    run(action, with_models=False)


@app.command()
def cancel(run_id: Id, *, as_json: Json = False) -> None:
    """End a run or an ingestion, wherever it goes on."""
    _steer(run_id, lambda steering, one: steering.cancel(local_owner(), one), as_json=as_json)


@app.command()
def pause(run_id: Id, *, as_json: Json = False) -> None:
    """Let a run stand still before its next step, or an ingestion within seconds."""
    _steer(run_id, lambda steering, one: steering.pause(local_owner(), one), as_json=as_json)


@app.command()
def budget(run_id: Id, more: More, *, as_json: Json = False) -> None:
    """Give a run more to spend, at once or as soon as it goes on."""

    async def order(steering: RunSteering, one: RunId) -> None:
        await steering.grant(local_owner(), one, parts_of(",".join(more)))

    _steer(run_id, order, as_json=as_json)


@app.command()
def resume(run_id: Id, *, as_json: Json = False) -> None:
    """Go on with a run that was paused or killed, here, to its answer.

    An ingestion is put in line again, for a service or the next `weft ingest`.
    """

    async def action(opened: App) -> tuple[str, FlowOutcome | None]:
        from weft.bootstrap.flows import build_flows, build_steering

        scope = local_owner()
        key = await whole_id(opened, run_id, with_jobs=True)
        if not await build_steering(opened).resumable(scope, key):
            return key, None
        outcome = await build_flows(opened).resume(scope, key)
        remember(opened.settings.home, outcome.answer)
        return (await opened.records.runs.get(scope, key)).header.preview, outcome

    question, outcome = run(action, as_json=as_json)
    if outcome is None:  # an ingestion, which has an id instead of a question
        _stands(question, str(JobStatus.QUEUED), as_json=as_json)
    elif as_json:
        show_json({**answer_json(outcome.answer), **outcome.payload})
    else:
        show_answer(outcome.answer, question=question)


def _steer(
    run_id: str, order: Callable[[RunSteering, RunId], Awaitable[None]], *, as_json: bool
) -> None:
    async def action(opened: App) -> tuple[str, str]:
        from weft.bootstrap.flows import build_steering

        key = await whole_id(opened, run_id, with_jobs=True)
        await order(build_steering(opened), key)
        scope, records = local_owner(), opened.records
        try:
            return key, str((await records.runs.get(scope, key)).status)
        except NotFound:
            return key, str((await records.jobs.get(scope, key)).status)

    _stands(*run(action, with_models=False, as_json=as_json), as_json=as_json)


def _stands(run_id: str, status: str, *, as_json: bool) -> None:
    if as_json:
        show_json({"run_id": run_id, "status": status})
    else:
        typer.echo(f"{run_id}: {status}")


def _event(event: RunEvent) -> dict[str, object]:
    return {
        "seq": event.seq,
        "ts": event.ts,
        "type": str(event.type),
        "node": event.node,
        "parent": event.parent,
        "sources": list(event.sources),
        "data": dict(event.data),
    }


def _tool(one: ToolRun, *, with_output: bool) -> dict[str, object]:
    outcome = one.outcome
    told: dict[str, object] = {
        "action_id": one.call.action_id,
        "tool": one.call.tool,
        "args": dict(one.call.args),
        "status": None if outcome is None else str(outcome.status),
        "latency_ms": None if outcome is None else outcome.latency_ms,
    }
    if with_output:
        told["output"] = None if outcome is None else outcome.output
    return told


def _reply(entry: TapeEntry) -> dict[str, object]:
    return {"key": entry.key, "kind": str(entry.kind), "reply": entry.reply}
