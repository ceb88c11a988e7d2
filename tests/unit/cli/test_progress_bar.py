"""What the bar of an ingestion says: how fast it goes and how long it still takes."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from weft.cli import screen
from weft.cli.progress import ProgressBar
from weft.ingest.progress import IngestProgress


def test_the_bar_shows_the_estimate_that_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    terminal = Console(file=out, force_terminal=True, width=160)
    monkeypatch.setattr(screen, "screen", lambda **_: terminal)
    with ProgressBar("docs", quiet=False) as bar:
        bar.show(IngestProgress(files=9, files_done=2, chunks=80, rate=12.4, seconds_left=65.0))
    assert "80 chunks 12/s · 1 minute left" in out.getvalue()


def test_one_is_not_many(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    terminal = Console(file=out, force_terminal=True, width=160)
    monkeypatch.setattr(screen, "screen", lambda **_: terminal)
    with ProgressBar("docs", quiet=False) as bar:
        bar.show(IngestProgress(files=1, files_done=1, chunks=1))
    assert "file · 1 chunk" in out.getvalue()
    assert "chunks" not in out.getvalue()


def test_what_is_done_has_no_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    terminal = Console(file=out, force_terminal=True, width=160)
    monkeypatch.setattr(screen, "screen", lambda **_: terminal)
    with ProgressBar("docs", quiet=False) as bar:
        bar.show(IngestProgress(files=1, files_done=1, chunks=9, rate=12.4, seconds_left=0.0))
    assert "9 chunks" in out.getvalue()
    assert "left" not in out.getvalue()
