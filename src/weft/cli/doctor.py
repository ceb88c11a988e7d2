"""`weft doctor`: what is configured, what answers, what is missing and how to mend it."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from weft import __version__
from weft.cli.bases.choice import shown_title
from weft.cli.bases.unfinished import unfinished
from weft.cli.invocation import refusal, show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import Cell, say, show_table, words
from weft.cli.terminal.units import counted
from weft.domain.display import without_secrets
from weft.domain.errors import StoreCorrupt, StoreUnavailable, UnreadableFile, WeftError
from weft.domain.frozen import dataclass
from weft.domain.readiness import State
from weft.platform.identity import local_owner
from weft.platform.trail.audit_reading import verified
from weft.platform.workspace import is_private, open_workspace

if TYPE_CHECKING:
    from weft.bootstrap.app import App, Settings

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_CONFINING = "read files of strangers on Linux 5.13 or newer, x86-64 or ARM64, as a user of its own"


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
        findings = [_told(one) for one in asyncio.run(_examine(settings))]
    except WeftError as error:
        raise refusal(error, as_json=as_json) from error
    shown = _settings(settings)
    if as_json:
        rows = [asdict(finding) for finding in findings]
        show_json({"version": __version__, "settings": shown, "findings": rows})
    else:
        _print(shown, findings)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _told(finding: Diagnosis) -> Diagnosis:
    """Return a finding as it is shown: an address may be in it, with what opens it."""
    return replace(finding, seen=without_secrets(finding.seen), mend=without_secrets(finding.mend))


def _settings(settings: Settings) -> list[dict[str, str]]:
    from weft.bootstrap.app import ENVIRONMENT, SECRETS, SETTINGS

    names = {field: variable for variable, field in ENVIRONMENT.items()}
    rows = [{"name": "home", "variable": "WEFT_HOME", "value": str(settings.home), "origin": ""}]
    for field in SETTINGS:
        value = getattr(settings.values, field)
        said = ("set" if value else "not set") if field in SECRETS else without_secrets(str(value))
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

    was_open = settings.home.exists() and open_workspace(settings.home)
    findings = [
        _home(settings, was_open=was_open),
        Diagnosis(what="python", ok=True, seen=sys.version.split()[0]),
        Diagnosis(what="sqlite", ok=_has_trigram(), seen=sqlite3.sqlite_version),
    ]
    try:
        app = await open_app(settings)
    except StoreUnavailable as error:  # without records nothing else is opened
        if not settings.home.is_dir():
            raise
        findings.append(_no_records(settings, error))
    else:
        try:
            findings += await _opened(app)
        finally:
            await app.close()
    findings.append(_traces(settings))
    model = settings.values.model
    findings.append(Diagnosis(what="model", ok=True, seen=model, mend="weft model check tries it"))
    return findings


async def _opened(app: App) -> list[Diagnosis]:
    """Look at all that needs the records; what they do not answer is told, and the rest seen."""
    findings = [_embedder(app), await _parsers(app), await _ocr(app)]
    refused: StoreUnavailable | None = None
    for look in (_bases, _audit, _jobs):
        try:
            findings += await look(app)
        except StoreUnavailable as error:
            refused = error
    if refused is not None:
        findings.append(_no_records(app.settings, refused))
    return findings


def _no_records(settings: Settings, error: StoreUnavailable) -> Diagnosis:
    """Say why the records do not answer, and what whoever keeps them can do."""
    home = settings.home
    if address := settings.values.database_url:
        mend = f"look after the database that WEFT_DATABASE_URL names, {address}"
    elif isinstance(error, StoreCorrupt):
        mend = (
            f"put records.db and audit.heads back into {home} from a copy of both, or move both "
            "elsewhere and ingest again: a new history and a new audit chain begin"
        )
    else:
        mend = f"see that {home} may be written to, and that its disk has room"
    return Diagnosis(what="records", ok=False, seen=error.message, mend=mend)


def _traces(settings: Settings) -> Diagnosis:
    """Say where traces go, and whether anybody listens there."""
    from weft.bootstrap.tracing import address_of, answers

    address = address_of(settings.values)
    if not address:
        return Diagnosis(what="traces", ok=True, seen="go nowhere, by choice")
    if answers(settings.values):
        return Diagnosis(what="traces", ok=True, seen=f"go to {address}")
    return Diagnosis(
        what="traces", ok=False, seen=f"nobody listens at {address}", mend="start the collector"
    )


def _home(settings: Settings, *, was_open: bool) -> Diagnosis:
    """Return whether the workspace is its owner's alone; opening it has mended what could be."""
    home = settings.home
    if home.exists() and not is_private(home):
        return Diagnosis(
            what="workspace", ok=False, seen="others may enter it", mend=f"chmod 700 {home}"
        )
    seen = "others could enter it; mended" if was_open else "its owner's alone"
    return Diagnosis(what="workspace", ok=True, seen=seen)


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
        seen = ". ".join([app.embedder.fingerprint, *app.notes])
        return Diagnosis(what="embedder", ok=not app.notes, seen=seen)
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
    return Diagnosis(what="parsers", ok=False, seen=said, mend=_CONFINING)


async def _ocr(app: App) -> Diagnosis:
    """Say whether pictures of pages are read, and what a hostile one could reach."""
    if app.ocr is None:
        return Diagnosis(what="ocr", ok=True, seen="off (WEFT_OCR=on reads pictures of pages)")
    if app.ocr.missing:
        said, _, mend = app.ocr.missing.partition(": ")
        return Diagnosis(what="ocr", ok=False, seen=said, mend=mend)
    try:
        open_ways = await app.ocr.breaches()
    except WeftError as error:
        return Diagnosis(what="ocr", ok=False, seen=error.message)
    if open_ways:
        said = f"{app.ocr.name}; not confined here: {', '.join(open_ways)}"
        return Diagnosis(what="ocr", ok=False, seen=said, mend=_CONFINING)
    return Diagnosis(what="ocr", ok=True, seen=app.ocr.name)


async def _bases(app: App) -> list[Diagnosis]:
    from weft.bases.readiness import readiness

    findings: list[Diagnosis] = []
    for found in await readiness(app.library, local_owner()):
        seen, ok = " ".join((found.state, *found.reasons)), found.state is State.READY
        if ok:
            seen, ok = await _counts(app, found.name)
        findings.append(Diagnosis(what=f"kb {found.title}", ok=ok, seen=seen, mend=found.mend))
    return findings


async def _counts(app: App, name: str) -> tuple[str, bool]:
    scope = local_owner()
    try:
        store = await app.library.named(scope, name)
        counts = await store.holdings.counts(scope)
    except WeftError as error:
        return f"{State.BLOCKED} {error.message}", False
    return f"{counted(counts.documents, 'document')}, {counted(counts.chunks, 'chunk')}", True


async def _audit(app: App) -> list[Diagnosis]:
    report = await verified(app.records.audit, local_owner(), None)
    seen = counted(report.rows, "row") if report.is_intact else report.reason
    mend = (
        "put the records and audit.heads back from a copy of both, or keep both elsewhere as "
        "evidence and ingest again: a new history and a new audit chain begin"
    )
    return [Diagnosis(what="audit chain", ok=report.is_intact, seen=seen, mend=mend)]


async def _jobs(app: App) -> list[Diagnosis]:
    jobs = await app.records.jobs.newest(local_owner(), limit=100)
    waiting = [job for job in jobs if job.status in {"queued", "running", "paused"}]
    seen = f"{len(waiting)} unfinished" if waiting else "none unfinished"
    # No fault: somebody may be at them now. So what goes on is told beside what was seen.
    rest = [f"{shown_title(one.title)} ({one.call} goes on)" for one in await unfinished(app)]
    seen = f"{seen}: {', '.join(rest)}" if rest else seen
    return [Diagnosis(what="jobs", ok=True, seen=seen, mend="weft ingest continues them")]


def _print(settings: list[dict[str, str]], findings: list[Diagnosis]) -> None:
    console = screen(highlight=False)
    say(console, f"weft {__version__}", style="bold")
    columns = [words(heading) for heading in ("setting", "value", "from", "variable")]
    keys = ("name", "value", "origin", "variable")
    show_table(console, columns, rows=[[row[key] for key in keys] for row in settings])
    say(console, "")
    columns = [words(heading) for heading in ("", "what", "seen", "how to mend")]
    rows: list[list[Cell]] = [
        [_mark(each.ok), each.what, each.seen, "" if each.ok else each.mend] for each in findings
    ]
    show_table(console, columns, rows=rows)


def _mark(ok: bool) -> Text:
    return Text("ok", style="green") if ok else Text("✗", style="red")
