"""`weft kb stats` and `weft kb ledger`: what a knowledge base holds, and what became of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from weft.cli.auditing.acting import acting
from weft.cli.bases.choice import chosen, shown_title
from weft.cli.bases.sharing import everyone_first, open_to, openness
from weft.cli.bases.unfinished import Unfinished, unfinished
from weft.cli.invocation import run, show_json
from weft.cli.screen import screen
from weft.cli.terminal.tables import Cell, figures, say, show_table, words
from weft.cli.terminal.texts import said
from weft.cli.terminal.units import counted, grouped
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileEntry, FileStatus
from weft.platform.identity import local_owner

if TYPE_CHECKING:
    from weft.bootstrap.app import App
    from weft.ports.holdings import BaseCounts
    from weft.ports.records.bases import RegisteredBase

Which = Annotated[
    str, typer.Argument(metavar="[NAME|FOLDER]", help="By name, by title or by folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Unread = Annotated[
    bool, typer.Option("--unread", help="Only the files that gave no text, and what to do.")
]
# What each outcome of a chunk means; all of them are searched.
OUTCOMES: Mapping[str, str] = {
    "extracted": "a language model stated facts of the chunk",
    "generated": "rules found names or claims in the chunk, without a language model",
    "forced": "neither was found in the chunk; it is anchored to its document, so that it is in "
    "the graph too",
    "empty": "the chunk has no letters and no digits",
    "failed": "the chunk gave nothing, and is tried again",
    "skipped": "the chunk was passed over; its reason says why",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What a knowledge base holds, and what it was made from and with."""

    name: str
    title: str
    counts: BaseCounts
    outcomes: Mapping[str, int]
    sources: Mapping[str, str]
    made_with: Mapping[str, str]
    base: RegisteredBase

    def as_json(self) -> dict[str, object]:
        return {"name": self.name, "title": self.title, **asdict(self.counts)} | {
            "outcomes": self.outcomes,
            "sources": self.sources,
            "made_with": self.made_with,
            **openness(self.base),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fates:
    """The rows of files, all or those that are asked for, and the outcomes of chunks."""

    files: Sequence[FileEntry]
    chunks: Mapping[str, int]
    totals: Mapping[str, int]
    statuses: Mapping[str, int]
    left_out: int
    unfinished: Sequence[Unfinished]

    def as_json(self) -> dict[str, object]:
        keys = "source path reason characters chunks documents skipped".split()
        rows = [
            {key: getattr(each, key) for key in keys} | {"status": str(each.status)}
            for each in self.files
        ]
        totals = {**self.totals, "statuses": self.statuses}
        rest = [one.call for one in self.unfinished]
        return {"files": rows, "chunks": self.chunks, "totals": totals, "unfinished": rest}


def stats(which: Which = "", as_json: Json = False) -> None:
    """Count what a knowledge base holds."""

    async def action(opened: App) -> _Held:
        scope = local_owner()
        store = await chosen(opened, scope, which)
        async with acting(opened, "kb.read", target=f"kb:{store.name}"):
            sources = await store.ledger.sources(scope)
            return _Held(
                name=store.name,
                title=store.title,
                counts=await store.holdings.counts(scope),
                outcomes=await store.ledger.outcomes(scope),
                sources={source.name: source.root for source in sources},
                made_with=dict(store.made_with),
                base=await opened.records.bases.named(scope, store.name),
            )

    held = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(held.as_json())
    else:
        _print_stats(screen(highlight=False), held)


def _print_stats(console: Console, held: _Held) -> None:
    say(console, shown_title(held.title), style="bold")
    rows = [[kind, grouped(count)] for kind, count in asdict(held.counts).items()]
    rows += [[f"chunks {outcome}", grouped(n)] for outcome, n in sorted(held.outcomes.items())]
    show_table(console, [words("what it holds"), figures("how many")], rows=rows)
    _explain(console, held.outcomes)
    readers = everyone_first(held.base.default_acl)
    say(console, f"Open to {open_to(held.base)}; new documents by default to {readers}.")
    for heading, named in (("source", held.sources), ("made with", held.made_with)):
        if named:
            say(console, "")
            show_table(
                console, [words(heading), words("")], rows=[[*pair] for pair in named.items()]
            )


def ledger(which: Which = "", *, unread: Unread = False, as_json: Json = False) -> None:
    """Show what became of every file and every chunk."""

    async def action(opened: App) -> _Fates:
        from weft.ingest.seen_files import seen_files
        from weft.ingest.sources.plan import is_left_out

        scope = local_owner()
        store = await chosen(opened, scope, which)
        async with acting(opened, "kb.ledger", target=f"kb:{store.name}"):
            files = await seen_files(scope, store, await store.ledger.files(scope, None))
            chunks = await store.ledger.outcomes(scope)
        left_out = [each for each in files if is_left_out(each)]
        failed = [each for each in files if each.status is not FileStatus.READ]
        return _Fates(
            files=[each for each in failed if each not in left_out] if unread else files,
            left_out=len(left_out),
            chunks=chunks,
            totals={
                "files": len(files),
                "chunks": sum(chunks.values()),
                "characters": sum(entry.characters for entry in files),
            },
            statuses=dict(sorted(Counter(str(entry.status) for entry in files).items())),
            unfinished=await unfinished(opened, store.name),
        )

    fates = run(action, with_models=False, as_json=as_json)
    if as_json:
        show_json(fates.as_json())
        return
    console = screen(highlight=False)
    if unread:
        _print_unread(console, fates)
    else:
        _print_ledger(console, fates)
    for one in fates.unfinished:
        title = shown_title(one.title)
        say(console, said("unfinished", "", title=title, call=one.call), style="yellow")


def _print_ledger(console: Console, fates: _Fates) -> None:
    columns = [words("file"), words("outcome", whole=True), figures("documents"), figures("chunks")]
    columns += [figures("characters"), words("why")]
    rows: list[list[Cell]] = [
        [
            each.path,
            _status(each.status),
            *map(grouped, (each.documents, each.chunks, each.characters)),
            each.reason,
        ]
        for each in fates.files
    ]
    show_table(console, columns, rows=rows)
    say(console, "")
    say(console, counted(fates.totals["files"], "file") + _parts(fates.statuses))
    say(console, counted(fates.totals["chunks"], "chunk") + _parts(fates.chunks))
    say(console, counted(fates.totals["characters"], "character"))
    _explain(console, fates.chunks)
    if set(fates.statuses) - {FileStatus.READ}:
        say(console, "--unread shows the files that gave no text, and what to do.", style="dim")


def _print_unread(console: Console, fates: _Fates) -> None:
    of = counted(fates.totals["files"] - fates.left_out, "file")
    beside = f" {counted(fates.left_out, 'file')} more left out by a pattern or its kind."
    beside = beside if fates.left_out else ""
    if not fates.files:
        say(console, f"No file is without text, of {of}.{beside}")
        return
    columns = [words("file"), words("outcome", whole=True), words("why"), words("what to do")]
    rows: list[list[Cell]] = [
        [each.path, _status(each.status), each.reason, each.advice] for each in fates.files
    ]
    show_table(console, columns, rows=rows)
    say(console, "")
    say(console, f"{grouped(len(fates.files))} of {of} gave no text.{beside}")


def _status(status: FileStatus) -> Text:
    return Text(status, style="green" if status is FileStatus.READ else "yellow")


def _parts(counts: Mapping[str, int]) -> str:
    """Return how a sum is made up: `: 3 read, 1 encrypted`."""
    said = ", ".join(f"{grouped(count)} {name}" for name, count in sorted(counts.items()))
    return f": {said}" if said else ""


def _explain(console: Console, outcomes: Mapping[str, int]) -> None:
    """Say what each outcome means that some chunk has."""
    for outcome in sorted(outcomes):
        say(console, f"{outcome}: {OUTCOMES[outcome]}.", style="dim")
