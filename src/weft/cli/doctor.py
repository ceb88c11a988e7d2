"""`weft doctor`: what is configured, what answers, what is missing and how to mend it."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from weft import __version__
from weft.cli.invocation import refusal, show_json
from weft.cli.screen import screen
from weft.domain.errors import UnreadableFile, WeftError
from weft.domain.readiness import State
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App, Settings

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One thing looked at: whether it is well, what was seen, how to mend it."""

    what: str
    ok: bool
    seen: str
    mend: str = ""


def doctor(as_json: Json = False) -> None:
    """Say what is configured, what works, what is missing and how to mend it."""
    from weft.bootstrap.app import load_settings

    try:
        settings = load_settings()
        findings = asyncio.run(_examine(settings))
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    shown = _settings(settings)
    if as_json:
        rows = [{"what": f.what, "ok": f.ok, "seen": f.seen, "mend": f.mend} for f in findings]
        show_json({"version": __version__, "settings": shown, "findings": rows})
    else:
        _print(shown, findings)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _settings(settings: Settings) -> list[dict[str, str]]:
    from weft.bootstrap.app import ENVIRONMENT, SECRETS

    names = {field: variable for variable, field in ENVIRONMENT.items()}
    rows = [{"name": "home", "variable": "WEFT_HOME", "value": str(settings.home), "origin": ""}]
    for field, value in settings.values:
        said = ("set" if value else "not set") if field in SECRETS else str(value)
        rows.append(
            {
                "name": field,
                "variable": names.get(field, ""),
                "value": said,
                "origin": settings.origin[field],
            }
        )
    return rows


async def _examine(settings: Settings) -> list[Diagnosis]:
    from weft.bootstrap.app import open_app

    findings = [
        Diagnosis(what="python", ok=True, seen=sys.version.split()[0]),
        Diagnosis(what="sqlite", ok=_has_trigram(), seen=sqlite3.sqlite_version),
    ]
    app = await open_app(settings)
    try:
        findings.append(_embedder(app))
        findings.append(await _parsers(app))
        findings += await _bases(app)
        findings.append(await _audit(app))
        findings.append(await _jobs(app))
    finally:
        await app.close()
    model = settings.values.model
    findings.append(Diagnosis(what="model", ok=True, seen=model, mend="weft model check tries it"))
    return findings


def _has_trigram() -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'trigram')")
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


def _embedder(app: App) -> Diagnosis:
    if app.embedder is not None:
        return Diagnosis(what="embedder", ok=True, seen=app.embedder.fingerprint)
    if app.settings.values.embedder == "none":
        return Diagnosis(what="embedder", ok=True, seen="none, by choice: full text alone")
    said = " ".join(app.notes)
    return Diagnosis(what="embedder", ok=False, seen=said, mend="weft model install")


async def _parsers(app: App) -> Diagnosis:
    """Say what a hostile file could reach through its parser on this machine."""
    try:
        open_ways = await app.reader.breaches()
    except UnreadableFile as error:
        return Diagnosis(what="parsers", ok=False, seen=error.message)
    if not open_ways:
        return Diagnosis(what="parsers", ok=True, seen="reach nothing but the open file")
    said = f"not confined here: {', '.join(open_ways)}"
    mend = "read files of strangers on Linux 5.13 or newer, x86-64 or ARM64, as a user of its own"
    return Diagnosis(what="parsers", ok=False, seen=said, mend=mend)


async def _bases(app: App) -> list[Diagnosis]:
    from weft.bases.readiness import readiness

    findings: list[Diagnosis] = []
    for found in await readiness(app.library, local_owner()):
        seen, ok = " ".join((found.state, *found.reasons)), found.state is State.READY
        if ok:
            seen, ok = await _counts(app, found.name)
        findings.append(Diagnosis(what=f"kb {found.name}", ok=ok, seen=seen, mend=found.mend))
    return findings


async def _counts(app: App, name: str) -> tuple[str, bool]:
    scope = local_owner()
    try:
        store = await app.library.named(scope, name)
        counts = await store.holdings.counts(scope)
    except WeftError as error:
        return f"{State.BLOCKED} {error.message}", False
    return f"{counts.documents} documents, {counts.chunks} chunks", True


async def _audit(app: App) -> Diagnosis:
    report = await app.records.audit.verify(local_owner())
    seen = f"{report.rows} rows" if report.is_intact else report.reason
    return Diagnosis(what="audit chain", ok=report.is_intact, seen=seen)


async def _jobs(app: App) -> Diagnosis:
    jobs = await app.records.jobs.newest(local_owner(), limit=100)
    waiting = [job for job in jobs if job.status in {"queued", "running"}]
    seen = f"{len(waiting)} unfinished" if waiting else "none unfinished"
    return Diagnosis(what="jobs", ok=True, seen=seen, mend="weft ingest continues them")


def _print(settings: list[dict[str, str]], findings: list[Diagnosis]) -> None:
    console = screen()
    table = Table("setting", "value", "from", "variable", title=f"weft {__version__}")
    for row in settings:
        table.add_row(row["name"], row["value"], row["origin"], row["variable"])
    console.print(table)
    table = Table("", "what", "seen", "how to mend")
    for finding in findings:
        mark = "[green]ok[/]" if finding.ok else "[red]✗[/]"
        table.add_row(mark, finding.what, finding.seen, "" if finding.ok else finding.mend)
    console.print(table)
