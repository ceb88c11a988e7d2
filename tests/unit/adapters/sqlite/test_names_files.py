"""Names that were counted are read at the next start; whatever befalls them, they are counted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from array_folders import WORLD, cut, drop, flip, names, opened
from index_histories import shown
from weft.adapters.sqlite import names_files
from weft.index import named_view as named_views
from weft.index.named_view import named_view
from worlds import ACLS, WRITER, Draft, put_drafts, scope_of

pytestmark = pytest.mark.anyio
READERS = (WRITER, scope_of("group:blue"), scope_of("group:green"))


async def seen(folder: Path) -> list[object]:
    """Return what each reader's view names, in a process that begins."""
    store = await opened(folder)
    found = [shown(named_view(await store.knowledge.view(scope))) for scope in READERS]
    await store.close()
    return found


async def filled(folder: Path) -> list[object]:
    """Fill a knowledge base and return what each reader's view names."""
    store = await opened(folder)
    await put_drafts(store, *WORLD)
    await drop(store, WORLD[2])
    await store.close()
    return await seen(folder)


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("names were counted whole")


async def test_names_are_not_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = await filled(tmp_path / "a")
    assert len(names(tmp_path / "a")) == 1
    monkeypatch.setattr(named_views, "build", refuse)
    assert await seen(tmp_path / "a") == expected


async def test_a_first_question_finds_the_names_of_what_was_brought_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD)
    await store.save()
    await store.close()
    monkeypatch.setattr(named_views, "build", refuse)
    store = await opened(tmp_path / "a")
    view = named_view(await store.knowledge.view(WRITER))
    await store.close()
    assert view.entities.df.sum()


async def test_a_change_goes_on_from_what_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(tmp_path / "a")
    with monkeypatch.context() as patched:
        patched.setattr(named_views, "build", refuse)
        store = await opened(tmp_path / "a")
        await put_drafts(store, Draft("late", ACLS[0], ((7,), (4,))))
        await drop(store, WORLD[0])
        await store.save()
        await store.close()
        found = await seen(tmp_path / "a")
    shutil.rmtree(tmp_path / "a" / "b.index")
    assert await seen(tmp_path / "a") == found


DAMAGE: dict[str, Callable[[Path], object]] = {
    "all missing": shutil.rmtree,
    "what it says missing": lambda place: (place / "names.json").unlink(),
    "what it says cut": lambda place: cut(place / "names.json"),
    "what it says a number": lambda place: (place / "names.json").write_text("7"),
    "an array cut": lambda place: cut(place / "view0.mentions.key.npy"),
    "an array flipped": lambda place: flip(place / "view0.df.npy", 130),
    "an array missing": lambda place: (place / "keys.words.npy").unlink(),
    "words flipped": lambda place: flip(place / "words.txt", 3),
    "keys empty": lambda place: (place / "keys.txt").write_bytes(b""),
}


@pytest.mark.parametrize("spoil", DAMAGE.values(), ids=DAMAGE.keys())
async def test_damaged_names_are_counted_again(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    expected = await filled(tmp_path / "a")
    for place in names(tmp_path / "a"):
        spoil(place)
    for _ in range(2):  # the second time by what the first one mended
        assert await seen(tmp_path / "a") == expected
    assert len(names(tmp_path / "a")) == 1


async def test_other_readers_classes_are_not_taken_for_ones_own(tmp_path: Path) -> None:
    expected = await filled(tmp_path / "a")
    for place in names(tmp_path / "a"):
        said = json.loads((place / "names.json").read_text())
        said["classes"] = said["classes"][::-1]
        (place / "names.json").write_text(json.dumps(said))
    assert await seen(tmp_path / "a") == expected


async def test_names_written_anew_while_they_are_read_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = await filled(tmp_path / "a")
    [place] = names(tmp_path / "a")
    place.rename(tmp_path / "former")
    store = await opened(tmp_path / "a")
    for scope in reversed(READERS):  # another process counts for its own readers
        named_view(await store.knowledge.view(scope))
    await store.close()
    place.rename(tmp_path / "anew")
    (tmp_path / "former").rename(place)
    packed = names_files._packed

    def swapped(*args: Any) -> object:
        if (tmp_path / "anew").exists():
            place.rename(tmp_path / "former")
            (tmp_path / "anew").rename(place)
        return packed(*args)

    monkeypatch.setattr(names_files, "_packed", swapped)
    assert await seen(tmp_path / "a") == expected


async def test_no_name_of_what_was_removed_stays(tmp_path: Path) -> None:
    secret = Draft("secret", ACLS[0], ((0,),))  # the only one that names Lovelace
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD[1:], secret)
    await store.save()
    await store.close()
    assert any(_has(place, "lovelace") for place in names(tmp_path / "a"))
    store = await opened(tmp_path / "a")
    await drop(store, secret)
    await store.save()
    assert not _has(tmp_path / "a" / "b.index", "lovelace")
    await store.close()
    assert names(tmp_path / "a")
    assert not _has(tmp_path / "a" / "b.index", "lovelace")


async def test_names_that_cannot_be_written_are_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "no space")

    with monkeypatch.context() as patched:
        patched.setattr(names_files, "write_array", full)
        expected = await filled(tmp_path / "a")
        assert names(tmp_path / "a") == []
    assert await seen(tmp_path / "a") == expected
    assert len(names(tmp_path / "a")) == 1


def _has(folder: Path, text: str) -> bool:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return any(text.encode() in path.read_bytes() for path in files)
