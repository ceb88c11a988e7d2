"""How far an ingestion has come, drawn on standard error."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from weft.cli.terminal.units import counted, left

if TYPE_CHECKING:
    from rich.progress import Progress

    from weft.bases.copies import CopyProgress as CopyReport
    from weft.ingest.progress import IngestProgress as Report


def _drawn(*, foretold: bool) -> Progress:
    """Return a bar on standard error; it stays empty if that is no terminal.

    Where its reports foretell the time left, the bar makes no estimate of its own.
    """
    # Here, because most calls have nothing to draw.
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
    )
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """How long it will still take, in words."""

        def render(self, task: Task) -> Text:
            """Return nothing as long as that is not known."""
            known = task.time_remaining
            return Text(left(known) if known else "", style="dim")

    from weft.cli.screen import screen

    console = screen(stderr=True)
    estimated = () if foretold else (TimeLeft(),)
    return Progress(
        SpinnerColumn(),
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}"),
        *estimated,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class ProgressBar:
    """A bar of files or documents, with rate and time left; it is made when there is work."""

    def __init__(self, label: str, *, quiet: bool) -> None:
        """Draw nothing yet; nothing at all if quiet or if standard error is no terminal."""
        self._label = label
        self._quiet = quiet
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        """Begin to wait for work."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        if self._progress is not None:
            self._progress.stop()

    def show(self, report: Report) -> None:
        """Draw a report."""
        if self._quiet or not (report.chunks > 0 or report.files_done < report.files):
            return
        progress = self._begun(foretold=True)
        rate = f" {report.rate:.0f}/s" if report.rate else ""
        is_done = report.seconds_left is None or report.files_done >= report.files
        still = "" if is_done else f" · {left(report.seconds_left or 0.0)}"
        files = "file" if report.files == 1 else "files"
        detail = f"{files} · {counted(report.chunks, 'chunk')}{rate}{still}"
        if report.failed:
            detail += f" · [yellow]{report.failed} without text[/]"
        if report.retried:
            detail += f" · [yellow]tried again {report.retried} times[/]"
        progress.update(
            progress.tasks[0].id, total=report.files, completed=report.files_done, detail=detail
        )

    def show_copied(self, report: CopyReport) -> None:
        """Draw how far a copy has come: its documents, and how many of them were written."""
        if self._quiet:
            return
        progress = self._begun()
        progress.update(
            progress.tasks[0].id,
            total=report.documents,
            completed=report.done,
            detail=f"documents · {report.written} written",
        )

    def _begun(self, *, foretold: bool = False) -> Progress:
        if self._progress is None:
            self._progress = _drawn(foretold=foretold)
            self._progress.add_task(self._label, total=None, detail="")
            self._progress.start()
        return self._progress
