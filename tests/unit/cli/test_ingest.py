"""What `--watch` is told of: a folder that is gone, and one that is another by now."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from weft.cli.ingest import changes

_SECONDS = 30.0


async def test_a_folder_gone_before_the_watching_began_is_told_of(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    told = changes([docs])
    await asyncio.wait_for(anext(told), _SECONDS)
    shutil.rmtree(docs)
    await asyncio.wait_for(anext(told), _SECONDS)
    docs.mkdir()
    await asyncio.wait_for(anext(told), _SECONDS)


async def test_a_folder_that_is_another_by_now_is_watched_again(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    told = changes([docs])
    await asyncio.wait_for(anext(told), _SECONDS)
    shutil.rmtree(docs)
    docs.mkdir()
    await asyncio.wait_for(anext(told), _SECONDS)
    (docs / "new.md").write_text("# New\n", encoding="utf-8")
    await asyncio.wait_for(anext(told), _SECONDS)
