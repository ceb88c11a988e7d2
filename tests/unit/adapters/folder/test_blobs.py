"""Blobs in a folder: whole or not there, their owner's alone, never others than they were."""

from __future__ import annotations

import io
import os
import stat
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.folder.blobs import FolderBlobs
from weft.domain.errors import BadInput, NotFound
from weft.domain.ids import bytes_hash
from weft.platform.identity import local_owner

pytestmark = pytest.mark.anyio
OWNER = local_owner()
TWIN = replace(OWNER, tenant="other")
BASE = "Main"


async def kept(blobs: FolderBlobs, data: bytes, base: str = BASE) -> str:
    name = bytes_hash([data])
    assert await blobs.keep(OWNER, base, name, file=io.BytesIO(data))
    return name


async def read(blobs: FolderBlobs, name: str, base: str = BASE) -> bytes:
    with await blobs.opened(OWNER, base, name) as file:
        return file.read()


def below(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def files(folder: Path) -> list[Path]:
    return [path for path in below(folder) if path.is_file()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "blobs"


@pytest.fixture
def blobs(folder: Path) -> FolderBlobs:
    return FolderBlobs(folder)


async def test_what_is_kept_is_given_back_and_kept_once(blobs: FolderBlobs, folder: Path) -> None:
    name = await kept(blobs, b"Ada")
    assert await kept(blobs, b"Ada") == name
    assert await read(blobs, name) == b"Ada"
    assert await blobs.names(OWNER, BASE) == {name}
    assert len(files(folder)) == 1


async def test_nobody_else_may_look_at_it(blobs: FolderBlobs, folder: Path) -> None:
    mask = os.umask(0)
    try:
        await kept(blobs, b"Ada")
    finally:
        os.umask(mask)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *below(folder))}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}


async def test_other_tenants_and_bases_see_nothing_of_it(blobs: FolderBlobs) -> None:
    name = await kept(blobs, b"Ada")
    for scope, base in ((TWIN, BASE), (OWNER, "Other")):
        assert await blobs.names(scope, base) == frozenset()
        with pytest.raises(NotFound):
            await blobs.opened(scope, base, name)
        await blobs.remove(scope, base, {name})
        await blobs.drop(scope, base)
    assert await read(blobs, name) == b"Ada"


async def test_bytes_under_another_name_are_not_kept(blobs: FolderBlobs, folder: Path) -> None:
    name = bytes_hash([b"Ada"])
    assert not await blobs.keep(OWNER, BASE, name, file=io.BytesIO(b"Grace"))
    assert await blobs.names(OWNER, BASE) == frozenset()
    assert not files(folder)


@pytest.mark.parametrize("broken", [b"", b"Ad", b"Eve", b"Ada and more"])
async def test_what_was_changed_on_the_disk_is_not_given_out(
    blobs: FolderBlobs, folder: Path, broken: bytes
) -> None:
    name = await kept(blobs, b"Ada")
    files(folder)[0].write_bytes(broken)
    with pytest.raises(NotFound):
        await blobs.opened(OWNER, BASE, name)
    await kept(blobs, b"Ada")
    assert await read(blobs, name) == b"Ada"


async def test_a_link_in_its_place_is_not_followed(
    blobs: FolderBlobs, folder: Path, tmp_path: Path
) -> None:
    name = await kept(blobs, b"Ada")
    place, elsewhere = files(folder)[0], tmp_path / "elsewhere"
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    with pytest.raises(NotFound):
        await blobs.opened(OWNER, BASE, name)


async def test_what_is_removed_leaves_nothing_behind(blobs: FolderBlobs, folder: Path) -> None:
    first, second = await kept(blobs, b"Ada"), await kept(blobs, b"Grace")
    await blobs.remove(OWNER, BASE, {first, bytes_hash([b"never"])})
    assert await blobs.names(OWNER, BASE) == {second}
    assert not (folder / first[:2]).exists()
    await blobs.drop(OWNER, BASE)
    assert await blobs.names(OWNER, BASE) == frozenset()
    assert BASE not in {path.name for path in below(folder)}


async def test_the_draft_of_a_killed_process_goes_and_a_fresh_one_stays(
    blobs: FolderBlobs, folder: Path
) -> None:
    name = await kept(blobs, b"Ada")
    beside = files(folder)[0].parent
    (beside / ".draft-old").write_bytes(b"half")
    os.utime(beside / ".draft-old", (0, 0))
    (beside / ".draft-new").write_bytes(b"half")
    await blobs.remove(OWNER, BASE, set())
    assert sorted(path.name for path in beside.iterdir()) == [".draft-new", name]
    assert await blobs.names(OWNER, BASE) == {name}


@pytest.mark.parametrize("name", ["", "..", "a" * 63, "../../etc/passwd", "A" * 64])
async def test_a_name_leads_nowhere_else(blobs: FolderBlobs, name: str) -> None:
    with pytest.raises(NotFound):
        await blobs.opened(OWNER, BASE, name)
    with pytest.raises(NotFound):
        await blobs.keep(OWNER, BASE, name, file=io.BytesIO(b""))


@pytest.mark.parametrize("base", ["", "..", "a/b", "../Main"])
async def test_a_base_leads_nowhere_else(blobs: FolderBlobs, base: str) -> None:
    with pytest.raises(BadInput):
        await blobs.drop(OWNER, base)


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=4))
def test_a_hash_does_not_see_how_bytes_are_cut(data: bytes, cuts: list[int]) -> None:
    places = sorted([0, *(min(cut, len(data)) for cut in cuts), len(data)])
    parts = [data[start:end] for start, end in pairwise(places)]
    assert bytes_hash(parts) == bytes_hash([data])
