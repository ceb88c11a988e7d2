"""What was left half read is told to whoever asks, with the call that goes on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft.bootstrap.start import start
from weft.cli.verbs import command_line
from weft.ingest.jobs.ingestion import IngestRequest
from weft.platform.identity import local_owner


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of which `Half` has one file, and in line what the others need."""
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "200")
    made = tmp_path / "big"
    made.mkdir()
    (made / "a.txt").write_text("The ferry captain is Omar Reyes.\n", encoding="utf-8")
    assert call("ingest", str(made), "--kb", "Half").exit_code == 0
    (made / "b.txt").write_text("The ferry is blue.\n", encoding="utf-8")
    asyncio.run(left(made))
    return made


async def left(folder: Path) -> None:
    """Put an ingestion in line that nobody works at, as a killed process leaves one."""
    app = await start()
    try:
        store = await app.library.ensured(local_owner(), "Half")
        await app.ingest.submit(local_owner(), store, request=IngestRequest(path=folder))
    finally:
        await app.close()


def call(*words: str):  # type: ignore[no-untyped-def]  # whatever the runner gives
    return CliRunner().invoke(command_line(), list(words))


def test_whoever_asks_is_told_what_is_not_read_and_what_goes_on(folder: Path) -> None:
    goes_on = f"weft ingest {folder} --kb Half"
    line = f"Half is not read to its end; {goes_on} goes on."
    asked = call("ask", "--kb", "Half", "Which colour has the zeppelin?")
    assert line in asked.stderr
    listed = call("kb", "list")
    assert "ready, not fully read" in listed.stdout
    assert line in listed.stdout
    assert json.loads(call("kb", "list", "--json").stdout)[0]["unfinished"] == [goes_on]
    assert line in call("kb", "ledger", "Half").stdout
    assert f"1 unfinished: Half ({goes_on} goes on)" in call("doctor").stdout
    assert call(*goes_on.split()[1:]).exit_code == 0
    assert "not fully read" not in call("kb", "list").stdout
    assert "goes on" not in call("ask", "--kb", "Half", "Who is the ferry captain?").stderr
    assert "none unfinished" in call("doctor").stdout
