"""A knowledge base file with its arrays beside it, and ways to spoil them."""

from __future__ import annotations

import os
from pathlib import Path

from weft.adapters.sqlite.store import SqliteStore, open_store
from worlds import ACLS, DIMENSIONS, WRITER, Draft, patch_of

WORLD = [Draft(f"doc{at}", ACLS[at % 6], ((at % 8, 1), (2,))) for at in range(6)]


async def opened(folder: Path) -> SqliteStore:
    """Return the store of a folder, made if it is not there."""
    os.makedirs(folder, exist_ok=True)
    settings = {"embedder": "test"}
    return await open_store(
        folder / "b.db", tenant="local", settings=settings, dimensions=DIMENSIONS
    )


async def drop(store: SqliteStore, draft: Draft) -> None:
    """Delete a document."""
    fence = await store.publishing.issue_fence(WRITER, "world")
    await store.publishing.delete(WRITER, patch_of(draft).document.id, fence=fence)


def segments(folder: Path) -> list[Path]:
    """Return the folders of the segments."""
    return sorted(path for path in _folders(folder) if not path.name.startswith("names-"))


def names(folder: Path) -> list[Path]:
    """Return the folders of counted names."""
    return sorted(path for path in _folders(folder) if path.name.startswith("names-"))


def _folders(folder: Path) -> list[Path]:
    return [path for path in (folder / "b.index").iterdir() if path.is_dir()]


def flip(path: Path, at: int) -> None:
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= 4
    path.write_bytes(data)


def cut(path: Path) -> None:
    """Keep half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
