"""`weft schedule`: folders that a service reads again and again, and when."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from weft.cli.auditing.acting import acting
from weft.cli.invocation import run, show_json
from weft.cli.options import named
from weft.cli.screen import screen
from weft.cli.terminal.tables import figures, show_table, words
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.ports.records.schedules import Schedule

app = typer.Typer(
    help="Folders that a service reads again and again, and when.", no_args_is_help=True
)
PathToRead = Annotated[Path, typer.Argument(help="The file or folder to read.")]
Cron = Annotated[
    str,
    typer.Option(help="When: minute, hour, day, month, weekday. '0 3 * * *' is three each night."),
]
Zone = Annotated[str, typer.Option(help="By whose clock, as Europe/Berlin.")]
Kb = Annotated[
    str, typer.Option(callback=named, help="Knowledge base by name or title; else the path's own.")
]
Prune = Annotated[bool, typer.Option(help="Remove documents whose files are gone.")]
Id = Annotated[str, typer.Argument(help="The schedule, as weft schedule list names it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def add(
    path: PathToRead,
    *,
    cron: Cron,
    zone: Zone = "UTC",
    kb: Kb = "",
    prune: Prune = False,
    as_json: Json = False,
) -> None:
    """Read a file or folder again at set times, as long as a service runs.

    A time at which the reading before still goes on is left out and counted; of times that passed
    while no service ran, one is made up for. It is read with what you may do then.
    """

    async def action(opened: App) -> Schedule:
        from weft.cli.bases.keeping import target
        from weft.ingest.jobs.ingestion import IngestRequest
        from weft.ports.records.schedules import NewSchedule

        scope = local_owner()
        store = await target(opened, scope, path, kb=kb, quiet=as_json)
        async with acting(opened, "schedule.add", target=f"kb:{store.name}") as act:
            request = IngestRequest(path=path, prune=prune)
            job = await opened.ingest.again_and_again(scope, store, request=request)
            wanted = NewSchedule(cron=cron, zone=zone, job=job)
            made = await opened.records.schedules.add(scope, wanted)
            act.note(schedule=made.id)
            return made

    made = run(action, as_json=as_json)
    if as_json:
        show_json(_row(made))
    else:
        typer.echo(f"{made.id}: first on {_when(made.next_at, made.zone)} ({made.zone})")


@app.command("list")
def list_schedules(*, as_json: Json = False) -> None:
    """List schedules, what is due first at the front, and what became of the last reading."""

    async def action(opened: App) -> list[Schedule]:
        async with acting(opened, "schedule.list", target="schedule:*"):
            return await opened.records.schedules.listed(local_owner())

    found = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json([_row(each) for each in found])
        return
    columns = [words("schedule", whole=True), words("when"), words("zone"), words("reads")]
    columns += [words("into"), words("next"), words("last"), figures("missed")]
    rows = [
        [
            each.id,
            each.cron,
            each.zone,
            str(each.args.get("root", "")),
            _base(each),
            "paused" if each.is_paused else _when(each.next_at, each.zone),
            _last(each),
            str(each.missed),
        ]
        for each in found
    ]
    show_table(screen(), columns, rows=rows)


@app.command()
def pause(schedule: Id, *, as_json: Json = False) -> None:
    """Begin nothing at its times until it is resumed."""

    async def action(opened: App) -> None:
        async with acting(opened, "schedule.change", target=f"schedule:{schedule}"):
            await opened.records.schedules.pause(local_owner(), schedule)

    run(action, with_models=False, as_json=as_json)
    _stands(schedule, "paused", as_json=as_json)


@app.command()
def resume(schedule: Id, *, as_json: Json = False) -> None:
    """Go on from its next time; what came while it was paused is left out."""

    async def action(opened: App) -> None:
        async with acting(opened, "schedule.change", target=f"schedule:{schedule}"):
            await opened.records.schedules.resume(local_owner(), schedule)

    run(action, with_models=False, as_json=as_json)
    _stands(schedule, "goes on", as_json=as_json)


@app.command()
def remove(schedule: Id, *, as_json: Json = False) -> None:
    """Forget a schedule; what it has begun goes on."""

    async def action(opened: App) -> None:
        async with acting(opened, "schedule.remove", target=f"schedule:{schedule}"):
            await opened.records.schedules.remove(local_owner(), schedule)

    run(action, with_models=False, as_json=as_json)
    _stands(schedule, "removed", as_json=as_json)


def _stands(schedule: str, status: str, *, as_json: bool) -> None:
    if as_json:
        show_json({"schedule": schedule, "status": status})
    else:
        typer.echo(f"{schedule}: {status}")


def _row(each: Schedule) -> dict[str, object]:
    return {
        "schedule": each.id,
        "cron": each.cron,
        "zone": each.zone,
        "path": each.args.get("root"),
        "prune": each.args.get("prune"),
        "knowledge_base": _base(each),
        "owner": each.owner.actor,
        "paused": each.is_paused,
        "next": each.next_at,
        "last": each.last_at,
        "last_run": each.last_job,
        "last_status": None if each.last_status is None else str(each.last_status),
        "missed": each.missed,
        "missed_last": each.missed_at,
        "created": each.created,
    }


def _base(each: Schedule) -> str:
    return each.kind.partition(":")[2]


def _last(each: Schedule) -> str:
    if each.last_at is None:
        return ""
    return f"{_when(each.last_at, each.zone)} {each.last_status or ''}".strip()


def _when(moment: datetime, zone: str) -> str:
    return f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}"
