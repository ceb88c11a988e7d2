"""`weft runs list`: nothing of it is lost in a narrow terminal."""

from __future__ import annotations

import asyncio
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from weft.bootstrap.start import start
from weft.cli.runs import runs
from weft.domain.ids import RunId, digest
from weft.platform.identity import local_owner
from weft.ports.records.runs import RunHeader

RUN = RunId("0123456789abcdef")
QUESTION = "Which of the cranes of the inner harbour lifts more than the others do?"


async def kept() -> None:
    app = await start(with_models=False)
    try:
        header = RunHeader(
            run_id=RUN,
            agent="rag",
            flow="rag",
            started=datetime(2026, 11, 21, 10, 30, tzinfo=UTC),
            question_hash=digest(QUESTION),
            preview=QUESTION,
            kb_refs=("Harbour",),
        )
        await app.records.runs.create(local_owner(), header)
    finally:
        await app.close()


@pytest.fixture(autouse=True)
def _run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    asyncio.run(kept())


def listed(columns: int, monkeypatch: pytest.MonkeyPatch, *, terminal: bool = True) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, color_system=None, width=columns)
    monkeypatch.setattr(runs, "screen", lambda **_: console)
    assert CliRunner().invoke(runs.app, ["list"]).exit_code == 0
    return out.getvalue().splitlines()


@pytest.mark.parametrize("columns", [24, 40, 60, 80, 100, 160])
def test_all_of_a_run_is_shown_however_narrow_it_is(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = listed(columns, monkeypatch)
    assert max(map(len, lines)) <= columns
    shown = " ".join(" ".join(lines).split())
    for part in (RUN, "2026-11-21", "10:30", "rag", "running"):
        assert part in shown
    assert all(word in shown for word in QUESTION.split())


def test_a_pipe_gets_a_line_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    heading, row = listed(40, monkeypatch, terminal=False)
    assert heading.split() == ["run", "started", "flow", "status", "took", "question"]
    assert row.startswith(RUN)
    assert row.endswith(QUESTION)
