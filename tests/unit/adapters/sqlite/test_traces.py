"""What was removed is gone: from the file, its write-ahead log and the arrays beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from weft.adapters.sqlite.store import SqliteStore, open_store
from weft.domain.ids import DocumentId
from weft.domain.patch import Patch
from worlds import ACLS, DIMENSIONS, WRITER, Draft, patch_of, put

pytestmark = pytest.mark.anyio
SECRET = "Quetzalcoatl"
# A name of three characters is one entry of the index for substrings.
NAME = "홍길동"


async def opened(folder: Path) -> SqliteStore:
    settings = {"embedder": "test"}
    return await open_store(
        folder / "b.db", tenant="local", settings=settings, dimensions=DIMENSIONS
    )


def secret() -> Patch:
    """Return a patch that holds the secret in its text, its names and its stems."""
    patch = patch_of(Draft("hidden", ACLS[-1], ((1, 2), (4,))))
    first, *others = patch.passages
    text = first.chunk.text.replace("Apollo", SECRET) + NAME
    chunk = replace(first.chunk, text=text)
    facts = replace(first.facts, terms=(*first.facts.terms, (SECRET.lower(), 1), (NAME, 1)))
    return replace(
        patch,
        text=f"{text}\n{SECRET} {NAME}",
        passages=(replace(first, chunk=chunk, facts=facts), *others),
        mentions=tuple(replace(m, surface=SECRET, name=SECRET.lower()) for m in patch.mentions),
    )


def traces(folder: Path, *words: str) -> list[str]:
    """Return which of the words stand in which file of a knowledge base."""
    found = []
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes().lower() if path.is_file() else b""
        found += [f"{path.name}: {word}" for word in words if word.lower().encode() in data]
    return found


async def drop(store: SqliteStore, key: DocumentId) -> None:
    fence = await store.publishing.issue_fence(WRITER, "world")
    assert await store.publishing.delete(WRITER, key, fence=fence)


async def filled(folder: Path) -> SqliteStore:
    """Return a knowledge base of three documents, saved, one of which holds the secret."""
    store = await opened(folder)
    for name in ("one", "two"):
        await put(store, patch_of(Draft(name, ACLS[-1], ((0, 3), (5,)))))
    await put(store, secret())
    await store.save()
    assert traces(folder, SECRET, NAME)
    return store


async def test_a_deleted_document_leaves_no_trace(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await drop(store, secret().document.id)
    await store.close()
    assert traces(tmp_path, SECRET, NAME, "hidden") == []


async def test_nor_while_the_file_stays_open(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    other = await opened(tmp_path)
    assert (await other.knowledge.view(WRITER)).passages
    await drop(store, secret().document.id)
    await store.save()
    assert traces(tmp_path, SECRET, NAME, "hidden") == []
    await other.close()
    await store.close()
    assert traces(tmp_path, SECRET, NAME, "hidden") == []


async def test_nor_does_what_a_new_version_no_longer_says(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await put(store, patch_of(Draft("hidden", ACLS[-1], ((0,),))))
    await store.close()
    assert traces(tmp_path, SECRET, NAME) == []


async def test_nor_does_a_knowledge_base_that_is_cleared(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await store.holdings.clear(WRITER, settings={"embedder": "new"}, dimensions=4)
    await store.close()
    store = await opened(tmp_path)
    assert (await store.knowledge.view(WRITER)).passages == 0
    await store.close()
    assert traces(tmp_path, SECRET, NAME, "hidden", "world/one") == []


async def test_what_a_killed_process_left_the_next_one_removes(tmp_path: Path) -> None:
    store = await filled(tmp_path)
    await drop(store, secret().document.id)
    await store.database.close()  # as if it had been killed here: nothing is saved
    assert traces(tmp_path, SECRET, NAME)
    store = await opened(tmp_path)
    await store.close()
    assert traces(tmp_path, SECRET, NAME, "hidden") == []
