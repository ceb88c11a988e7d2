"""`weft audit`: who did what, searched, verified, exported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.cli.invocation import run, show_json
from weft.cli.screen import screen
from weft.cli.terminal.files import writable
from weft.cli.terminal.tables import figures, say, show_table, words
from weft.cli.terminal.units import counted
from weft.cli.typed_times import typed_time
from weft.platform.identity import local_owner
from weft.platform.trail.audit_export import AuditExport, ExportFormat
from weft.platform.trail.audit_reading import asked_for, reading, row_data, verified
from weft.platform.trail.kept_head import kept_head, read_head
from weft.ports.records.audit import (
    AuditDecision,
    AuditFilter,
    AuditPage,
    AuditReport,
    AuditRow,
    Phase,
)

if TYPE_CHECKING:
    from weft.bootstrap.app import App

app = typer.Typer(help="The audit log: who did what, when, and proof of it.", no_args_is_help=True)
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Who = Annotated[str, typer.Option(help="Only what this user did, as user:ann.")]
What = Annotated[str, typer.Option("--action", help="Only this action; document.* for several.")]
Target = Annotated[str, typer.Option(help="Only what was done to this; kb:Docs* for several.")]
Decided = Annotated[AuditDecision | None, typer.Option(help="Only what ended so.")]
Since = Annotated[str, typer.Option(help="From this day or time on, as 2026-11-21 or …T14:30.")]
Until = Annotated[str, typer.Option(help="Up to this day, itself included, or this time.")]
RunId = Annotated[str, typer.Option("--run", help="Only rows of this run.")]
RequestId = Annotated[str, typer.Option("--request", help="Only rows of this request.")]
Oldest = Annotated[bool, typer.Option("--oldest", help="The oldest first.")]
Limit = Annotated[int, typer.Option(help="How many rows.", min=1, max=1000)]
Past = Annotated[int, typer.Option("--past", help="Go on past this row: the next page.", min=0)]
Form = Annotated[ExportFormat, typer.Option("--format", help="As stored, or as events of OCSF.")]
Output = Annotated[Path | None, typer.Option("-o", help="Write to this file.")]
Head = Annotated[
    str, typer.Option(help="A head that was kept: the file of `weft audit head`, or SEQ:MAC.")
]
_BROKEN = 1


@app.command("list")
def list_rows(  # an option each
    *,
    who: Who = "",
    action: What = "",
    target: Target = "",
    decision: Decided = None,
    since: Since = "",
    until: Until = "",
    run_id: RunId = "",
    request_id: RequestId = "",
    oldest: Oldest = False,
    limit: Limit = 50,
    past: Past = 0,
    as_json: Json = False,
) -> None:
    """Search the log, the newest rows first. That it was searched is a row too."""

    async def listed(opened: App) -> AuditPage:
        wanted = AuditFilter(
            actor=who,
            action=action,
            target=target,
            decision=decision,
            since=typed_time(since, "since"),
            until=typed_time(until, "until", is_end=True),
            run_id=run_id,
            request_id=request_id,
        )
        audit, scope = opened.records.audit, local_owner()
        async with reading(audit, scope, "audit.list", meta=asked_for(wanted)) as act:
            page = await audit.page(scope, wanted, limit=limit, cursor=past, oldest_first=oldest)
            if act is not None:
                act.note(rows=len(page.rows))
        return page

    page = run(listed, with_models=False, as_json=as_json)
    if as_json:
        show_json({"rows": [row_data(row) for row in page.rows], "next": page.cursor or None})
    else:
        _print(page)


def _print(page: AuditPage) -> None:
    console = screen(highlight=False)
    if not page.rows:
        say(console, "No row fits.")
        return
    zone = page.rows[0].ts.astimezone().tzname() or "local"
    headings = (f"time ({zone})", "who", "action", "target", "came of it", "why")
    columns = [figures("row"), words(headings[0], whole=True), *map(words, headings[1:])]
    show_table(console, columns, rows=[_cells(row) for row in page.rows])
    if page.cursor:
        say(console, f"There are more: add --past {page.cursor}", style="dim")


def _cells(row: AuditRow) -> list[str]:
    entry = row.entry
    begun = entry.phase is Phase.INTENT and entry.decision is AuditDecision.PENDING
    return [
        str(row.seq),
        f"{row.ts.astimezone():%Y-%m-%d %H:%M:%S}",
        row.actor,
        entry.deed.action,
        entry.deed.target,
        "begun" if begun else entry.decision.value,
        entry.reason,
    ]


@app.command()
def verify(*, head: Head = "", as_json: Json = False) -> None:
    """Check every row and their order; ends with 1 where the log is not as it was written."""

    async def checked(opened: App) -> AuditReport:
        audit, scope = opened.records.audit, local_owner()
        known = await read_head(audit, scope, head) if head else None
        return await verified(audit, scope, known)

    report = run(checked, with_models=False, as_json=as_json)
    if as_json:
        show_json(
            {
                "intact": report.is_intact,
                "rows": report.rows,
                "broken_at": report.broken_at,
                "reason": report.reason,
                "unfinished": report.unfinished,
            }
        )
    else:
        _tell(report)
    if not report.is_intact:
        raise typer.Exit(_BROKEN)


def _tell(report: AuditReport) -> None:
    console = screen(highlight=False)
    if not report.is_intact:
        say(console, f"Broken at row {report.broken_at}: {report.reason}.", style="bold red")
        say(console, f"{counted(report.rows, 'row')} before it as written.")
        return
    say(console, f"{counted(report.rows, 'row')}, each as it was written.")
    if report.unfinished:
        acts = "1 act has" if report.unfinished == 1 else f"{report.unfinished:,} acts have"
        say(console, f"{acts} no outcome: under way, or ended by a crash.", style="yellow")


@app.command()
def export(*, output: Output = None, since: Since = "", form: Form = ExportFormat.JSONL) -> None:
    """Write the log as JSON lines, which verify by themselves with the key."""

    async def written(opened: App) -> int:
        audit, scope = opened.records.audit, local_owner()
        made = AuditExport(audit=audit, form=form, since=typed_time(since, "since"))
        async with reading(audit, scope, "audit.export", meta={"format": form.value}) as act:
            stream = writable(output)  # nothing else runs on this loop
            count = 0
            try:
                async for line in made.lines(scope):
                    stream.write(f"{line}\n")
                    count += 1
            finally:
                if output is not None:
                    stream.close()
            if act is not None:
                act.note(lines=count)
        return count

    count = run(written, with_models=False)
    if output is not None:
        say(screen(), f"{counted(count - 1, 'row')} and what seals them → {output}")


@app.command("head")
def show_head() -> None:
    """Print the end of the log, sealed: keep it elsewhere, and verify with it later."""

    async def taken(opened: App) -> dict[str, str | int]:
        audit, scope = opened.records.audit, local_owner()
        async with reading(audit, scope, "audit.head"):
            return await kept_head(audit, scope)

    show_json(run(taken, with_models=False))
