"""What `weft ingest` tells of files that are gone, and what `--watch` is told of its folder."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weft.cli.ingest import changes
from weft.cli.verbs import command_line

_SECONDS = 30.0


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    made(tmp_path / "docs")
    return tmp_path / "docs"


def made(folder: Path) -> None:
    folder.mkdir()


async def told(changed: AsyncIterator[None]) -> None:
    await asyncio.wait_for(anext(changed), _SECONDS)


async def test_a_folder_gone_before_the_watching_began_is_told_of(docs: Path) -> None:
    changed = changes([docs])
    await told(changed)
    shutil.rmtree(docs)
    await told(changed)
    made(docs)
    await told(changed)


async def test_a_folder_that_is_another_by_now_is_watched_again(docs: Path) -> None:
    changed = changes([docs])
    await told(changed)
    shutil.rmtree(docs)
    made(docs)
    await told(changed)
    (docs / "new.md").write_text("# New\n", encoding="utf-8")
    await told(changed)


def test_files_that_are_gone_and_kept_are_told(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_HOME", str(docs.parent / "home"))
    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "400")
    for name in ("a", "b", "c"):
        (docs / f"{name}.txt").write_text(f"The gate {name} is green.\n", encoding="utf-8")

    def told(*words: str) -> str:
        return CliRunner().invoke(command_line(), ["ingest", str(docs), *words]).stdout

    assert " gone " not in told()
    (docs / "a.txt").unlink()
    said = told()
    assert "nothing has changed in 2 files" in said
    assert "1 file is gone from there, and kept; --prune removes it" in said
    (docs / "b.txt").unlink()
    assert "2 files are gone from there, and kept; --prune removes them" in told()
    assert '"gone": 2' in told("--json")
    pruned = told("--prune")
    assert "2 removed" in pruned
    assert " gone " not in pruned
    assert " gone " not in told()
