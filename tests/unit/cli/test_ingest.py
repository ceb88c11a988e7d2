"""What `--watch` is told of: a folder that is gone, and one that is another by now."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from weft.cli.ingest import changes

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
