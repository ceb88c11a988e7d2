"""`weft runs`: what was asked, and what happened step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.tree import Tree

from weft.cli.session import run, show_json
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.platform.identity import local_owner
from weft.ports.runs import Run

if TYPE_CHECKING:
    from weft.bootstrap import App

app = typer.Typer(help="Runs: what was asked and how it was answered.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Limit = Annotated[int, typer.Option(help="How many.", min=1, max=1000)]


@app.command("list")
def list_runs(limit: Limit = 20, as_json: Json = False) -> None:
    """List the newest runs."""

    async def action(house: App) -> list[dict[str, object]]:
        page = await house.records.runs.newest(local_owner(), limit=limit)
        return [_row(run) for run in page.runs]

    rows = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(rows)
        return
    table = Table("run", "started", "flow", "status", "question")
    for row in rows:
        started = str(row["started"])[:19]
        cells = [str(row[key]) for key in ("flow", "status", "question")]
        table.add_row(str(row["run_id"]), started, *cells)
    Console().print(table)


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


@app.command()
def show(
    run_id: Annotated[str, typer.Argument(help="The run's id.")], as_json: Json = False
) -> None:
    """Show a run: its events in order, as a tree of steps."""

    async def action(house: App) -> tuple[dict[str, object], list[RunEvent]]:
        scope, key = local_owner(), RunId(run_id)
        found = await house.records.runs.get(scope, key)
        return _row(found), await house.records.runs.events(scope, key)

    row, events = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json({**row, "events": [_event(event) for event in events]})
        return
    Console().print(_tree(row, events))


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


def _tree(row: dict[str, object], events: list[RunEvent]) -> Tree:
    tree = Tree(f"[bold]{row['question']}[/]  {row['status']} · run {row['run_id']}")
    branches: dict[str, Tree] = {}
    begin = events[0].ts if events else None
    for event in events:
        ms = (event.ts - begin).total_seconds() * 1000 if begin else 0.0
        if event.type is EventType.NODE_STARTED:
            branches[event.node] = tree.add(f"[cyan]{event.node}[/]  +{ms:.0f} ms")
            continue
        data = ", ".join(f"{key}={_short(value)}" for key, value in event.data.items())
        branch = branches.get(event.node, tree)
        branch.add(f"{event.type} [dim]{data}[/]  +{ms:.0f} ms")
    return tree


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
