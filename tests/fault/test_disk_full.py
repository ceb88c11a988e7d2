"""A disk without space: a clean error, nothing half, reads go on."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fault.killing import ENVIRONMENT
from fault.watch_process import by_document, faults_of
from weft.adapters.sqlite.store import SqliteStore, open_store
from weft.domain.errors import StoreUnavailable
from weft.domain.patch import Patch
from worlds import ACLS, DIMENSIONS, WRITER, Draft, patch_of

pytestmark = [pytest.mark.anyio, pytest.mark.fault]


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """Let every write past that many bytes fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # What is imported here for the first time would be cut off where it is kept compiled, and then
    # everybody who imports it afterwards fails.
    keeps, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = keeps


async def opened(folder: Path) -> SqliteStore:
    settings = {"embedder": "test"}
    return await open_store(
        folder / "b.db", tenant="local", settings=settings, dimensions=DIMENSIONS
    )


def small(name: str) -> Patch:
    return patch_of(Draft(name, ACLS[-1], ((0, 1), (2,))))


def large(name: str, characters: int) -> Patch:
    """Return a patch whose text needs so much space."""
    patch = small(name)
    return replace(patch, text=patch.text + "\n" * characters)


async def export(store: SqliteStore) -> list[str]:
    return [line async for line in store.holdings.export(WRITER)]


# A little is refused with the last step alone, much already while it is written.
@pytest.mark.parametrize("characters", [200_000, 40_000_000])
async def test_a_publish_that_finds_no_space_leaves_nothing(
    tmp_path: Path, characters: int
) -> None:
    store = await opened(tmp_path)
    fence = await store.publishing.issue_fence(WRITER, "world")
    publish = store.publishing.publish
    await publish(WRITER, small("a"), expected_version=None, fence=fence)
    before, version = await export(store), (await store.knowledge.view(WRITER)).version
    with no_file_beyond(150_000), pytest.raises(StoreUnavailable):
        await publish(WRITER, large("b", characters), expected_version=None, fence=fence)
    with no_file_beyond(150_000):
        assert await export(store) == before
        assert (await store.knowledge.view(WRITER)).version == version
    await publish(WRITER, large("b", characters), expected_version=None, fence=fence)
    found = by_document(await export(store))
    assert len(found) == 2
    assert not [fault for key, parts in found.items() for fault in faults_of(key, parts)]
    await store.close()


async def test_arrays_that_find_no_space_are_built_again(tmp_path: Path) -> None:
    store = await opened(tmp_path)
    fence = await store.publishing.issue_fence(WRITER, "world")
    for number in range(200):
        await store.publishing.publish(
            WRITER, small(f"d{number}"), expected_version=None, fence=fence
        )
    with no_file_beyond(4_000):
        await store.save()
        held = await store.knowledge.view(WRITER)
    assert not {path.name for path in (tmp_path / "b.index").iterdir()} - {"lock"}
    await store.close()
    assert (tmp_path / "b.index" / "manifest.json").exists()
    again = await opened(tmp_path)
    assert (await again.knowledge.view(WRITER)).passages == held.passages == 400
    await again.close()


def test_a_workspace_on_a_read_only_disk_is_a_clear_error(tmp_path: Path) -> None:
    own = ["unshare", "--mount", "--", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*own, "true"], check=False).returncode:
        pytest.skip("only root may mount")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("Ada wrote the first program.")
    home = tmp_path / "home"
    weft = f"{sys.executable} -c 'from weft.cli.main import main; main()'"
    call = f"{weft} ingest {tmp_path / 'docs'} --kb Docs"
    settings = ENVIRONMENT | {"WEFT_HOME": str(home), "WEFT_EMBEDDER": "none"}

    def said(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*own, line], env=settings, capture_output=True, text=True, check=False, timeout=60
        )

    assert said(call).returncode == 0
    frozen = f"mount --bind {home} {home} && mount -o remount,ro,bind {home} && {call}"
    refused = said(frozen)
    assert (refused.returncode, "Traceback" in refused.stderr) == (7, False), refused.stderr
    assert "Read-only file system" in refused.stderr
    again = said(call)
    assert again.returncode == 0, again.stderr
    assert "nothing has changed in 1 file" in again.stdout
