"""How far an ingestion has come, drawn on standard error."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from weft.bases.copies import CopyProgress as CopyReport
    from weft.ingest.sync import IngestProgress as Report


def _drawn(quiet: bool) -> Progress:
    """Return a bar on standard error; it stays empty if quiet or if that is no terminal."""
    console = Console(stderr=True)
    return Progress(
        SpinnerColumn(),
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )


class ProgressBar:
    """A bar of files or documents with the time left; hidden until there is work."""

    def __init__(self, label: str, *, quiet: bool) -> None:
        """Draw nothing yet; nothing at all if quiet or if standard error is no terminal."""
        self._progress = _drawn(quiet)
        self._task = self._progress.add_task(label, total=None, detail="", visible=False)

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        self._progress.stop()

    def show(self, report: Report) -> None:
        """Draw a report."""
        task = self._progress.tasks[0]
        seconds = task.elapsed or 0.0
        rate = f"{report.chunks / seconds:.0f}/s" if seconds > 1 else ""
        detail = f"files · {report.chunks} chunks {rate}"
        if report.failed:
            detail += f" · [yellow]{report.failed} without text[/]"
        self._progress.update(
            self._task,
            total=report.files,
            completed=report.files_done,
            detail=detail,
            visible=report.chunks > 0 or report.files_done < report.files,
        )

    def show_copied(self, report: CopyReport) -> None:
        """Draw how far a copy has come: its documents, and how many of them were written."""
        self._progress.update(
            self._task,
            total=report.documents,
            completed=report.done,
            detail=f"documents · {report.written} written",
            visible=True,
        )
