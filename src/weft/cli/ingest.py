"""`weft ingest`: files and folders into a knowledge base."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli.bases.choice import is_known, nothing_in, undoing
from weft.cli.bases.keeping import bring_in, target
from weft.cli.invocation import json_text, refusal, run, show_json
from weft.cli.options import named
from weft.cli.terminal.question import existing
from weft.cli.terminal.units import counted, took
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.platform.identity import local_owner, readers

if TYPE_CHECKING:
    from rich.text import Text

    from weft.bootstrap.app import App

# As text, because nothing at all would be the path of the folder one is in.
Paths = Annotated[list[str], typer.Argument(help="Files and folders to read.", show_default=False)]
Kb = Annotated[
    str,
    typer.Option(
        callback=named, help="Knowledge base by name or title; else each path has its own."
    ),
]
Acl = Annotated[
    str,
    typer.Option(
        help="Who may read: user:NAME, group:NAME, with commas. Else as before, at first everyone."
    ),
]
Prune = Annotated[bool, typer.Option(help="Remove documents whose files are gone.")]
WatchOption = Annotated[
    bool, typer.Option("--watch", help="Go on, and read again whatever changes, until Ctrl-C.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON; with --watch a line for each time.")
]
_GOES_ON = "the next call continues where this one was"
# Milliseconds of rest before changes are read: who saves a file writes it more than once.
_REST_MS = 400
# Nothing is told of what changed before the watching began, so it is looked at after so long.
_FIRST_MS = 1_000
# Seconds after which it is looked whether a folder that was gone is back.
_ABSENT_SECONDS = 1.0


def ingest(
    paths: Paths,
    *,
    kb: Kb = "",
    acl: Acl = "",
    prune: Prune = False,
    watch: WatchOption = False,
    as_json: Json = False,
) -> None:
    """Read files and folders into a knowledge base; unchanged ones are left alone."""

    to = tuple(part.strip() for part in acl.split(",") if part.strip())
    errand = _Errand(paths=paths, kb=kb, named=to, prune=prune, as_json=as_json, may_be_empty=watch)
    if watch:
        run(errand.again_and_again, as_json=as_json, goes_on=_GOES_ON)
    else:
        rows = run(errand.once, as_json=as_json, goes_on=_GOES_ON)
        show_json(rows) if as_json else _report(rows, is_named=bool(kb))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Errand:
    """What one call brings in, once or whenever something changes.

    Unless it `may_be_empty`, no knowledge base is made for a folder without files.
    """

    paths: Sequence[str]
    kb: str
    named: tuple[str, ...]
    prune: bool
    as_json: bool
    may_be_empty: bool = False

    async def once(self, app: App) -> list[dict[str, object]]:
        """Bring in all paths and return a row for each."""
        from weft.ingest.jobs.ingestion import IngestRequest

        scope = local_owner()
        acl = readers(self.named, scope) if self.named else None
        done: list[dict[str, object]] = []
        for given in self.paths:
            began = time.perf_counter()
            path = existing(given)
            is_new = not await is_known(app, scope, path, kb=self.kb)
            store = await target(app, scope, path, kb=self.kb, quiet=self.as_json)
            request = IngestRequest(path=path, acl=acl, prune=self.prune)
            async with undoing(app, store, is_new=is_new, goes_on=True):
                report = await bring_in(
                    app, scope, store=store, request=request, quiet=self.as_json
                )
                if is_new and not report.files and not self.may_be_empty:
                    raise nothing_in(path, ())
            into = {"knowledge_base": store.name, "title": store.title}
            row = {"path": str(path), **into, **asdict(report)}
            done.append({**row, "seconds": round(time.perf_counter() - began, 3)})
        return done

    async def again_and_again(self, app: App) -> None:
        """Bring in all paths, then what changes, and tell of each time that there was something."""
        watched = [existing(given) for given in self.paths]
        first = await self.once(app)
        self._tell(first)
        gone = _gone(first)
        if not self.as_json:
            sys.stderr.write("Watching for changes; Ctrl-C ends it.\n")
        async for _ in changes(watched):
            try:
                rows = await self.once(app)
            except BadInput as error:  # a path that is gone may come back
                refusal(error, as_json=self.as_json)
                continue
            before, gone = gone, {**gone, **_gone(rows)}
            self._tell([row for row in rows if _is_news(row, gone_before=before)])

    def _tell(self, rows: Sequence[Mapping[str, object]]) -> None:
        if self.as_json:
            sys.stdout.write("".join(json_text(row) + "\n" for row in rows))
        else:
            _report(rows, is_named=bool(self.kb))
        sys.stdout.flush()


async def changes(paths: Sequence[Path]) -> AsyncIterator[None]:
    """Yield each time that something below the paths has changed and rests again.

    Where the system does not tell of changes (too many folders, a network drive) it looks every
    few seconds.
    """
    watched = [path if path.is_dir() else path.resolve().parent for path in paths]
    is_polled = False
    while True:
        try:
            async for _ in _while_they_stand(watched, is_polled=is_polled):
                yield
        except OSError:
            if is_polled and not _is_any_gone(watched):
                raise
            is_polled = not _is_any_gone(watched)
        yield  # of what ended the watching
        while _is_any_gone(watched):  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(_ABSENT_SECONDS)


async def _while_they_stand(watched: Sequence[Path], *, is_polled: bool) -> AsyncIterator[None]:
    """Yield each time that something below the folders has changed, until one of them goes.

    What is made anew under its name is another folder, to be watched anew.
    """
    # Here, because only who watches needs it.
    from watchfiles import awatch

    roots = {str(path) for path in watched}
    # The first rest counts too: something may have changed before the watching began.
    is_due = True
    async for changed in awatch(
        *watched,
        debounce=_REST_MS,
        force_polling=is_polled or None,
        rust_timeout=_FIRST_MS,
        yield_on_timeout=True,
    ):
        if _is_any_gone(watched) or roots.intersection(path for _, path in changed):
            return
        if changed or is_due:
            is_due = False
            yield


def _is_any_gone(folders: Sequence[Path]) -> bool:
    return not all(folder.exists() for folder in folders)


def _gone(rows: Sequence[Mapping[str, object]]) -> dict[object, object]:
    """Return of each path how many of its files are gone and kept."""
    return {row["path"]: row["gone"] for row in rows}


def _is_news(row: Mapping[str, object], *, gone_before: Mapping[object, object]) -> bool:
    """Tell whether anything was written or removed, could not be read, or is gone and kept."""
    is_changed = row["files_done"] != row["unchanged"] or bool(row["removed"])
    return is_changed or row["gone"] != gone_before.get(row["path"], 0)


def _report(rows: Sequence[Mapping[str, Any]], *, is_named: bool) -> None:
    """Print what became of each path."""
    # Here, because other verbs bring folders in step too and print nothing of it.
    from weft.bases.naming import as_argument
    from weft.cli.screen import screen
    from weft.cli.terminal.tables import say

    console = screen(highlight=False)
    for row in rows:
        into = f" → {row['title']}" if is_named else ""
        console.print(_line(row, into))
        if row["failed"]:
            known = as_argument(str(row["title"] if into else row["path"]))
            told = f"{counted(row['failed'], 'file')} gave no text; "
            say(console, f"  {told}weft kb ledger {known} --unread", style="yellow")
        if row["gone"]:
            are, them = ("is", "it") if row["gone"] == 1 else ("are", "them")
            told = f"{counted(row['gone'], 'file')} {are} gone from there, and kept"
            say(console, f"  {told}; --prune removes {them}", style="yellow")
        unlinked = row["unlinked"]
        assert isinstance(unlinked, tuple)
        for line in unlinked:
            say(console, f"  link waits: {line}", style="yellow")


def _line(row: Mapping[str, Any], into: str) -> Text:
    """Return what became of a path: what was read, what was written, how long it took."""
    # Here, because other verbs bring folders in step too and draw nothing.
    from rich.text import Text

    read = row["files_done"] - row["unchanged"]
    line = Text(str(row["path"]), style="bold").append(into, style="none")
    time_taken = took(row["seconds"])
    if not read and not row["removed"]:
        files = counted(row["unchanged"], "file")
        return line.append(f": nothing has changed in {files} ({time_taken})", style="none")
    parts = [f"read {counted(read, 'file')} in {time_taken}"]
    if row["unchanged"]:
        parts.append(f"{row['unchanged']} unchanged")
    parts.append(
        f"{counted(row['documents'], 'document')} in {counted(row['chunks'], 'chunk')} written"
    )
    if row["removed"]:
        parts.append(f"{row['removed']} removed")
    return line.append(f": {', '.join(parts)}", style="none")
