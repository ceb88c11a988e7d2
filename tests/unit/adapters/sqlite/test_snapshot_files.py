"""The arrays beside the file are a cache: whatever befalls them, answers are those of a rebuild."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from array_folders import WORLD, cut, drop, flip, opened, segments
from weft.adapters.sqlite import segment_files
from weft.adapters.sqlite.store import SqliteStore
from weft.index.scoring import bm25, cosines
from weft.language.terms import terms
from worlds import ACLS, SENTENCES, WRITER, Draft, put_drafts, vector

pytestmark = pytest.mark.anyio


async def answers(store: SqliteStore) -> dict[str, list[tuple[str, bytes]]]:
    """Return what the arrays answer, scores to the bit."""
    view = await store.knowledge.view(WRITER)
    found = {}
    for question in SENTENCES[:4]:
        asked = vector(question)
        scores = bm25(view, terms(question)) + view.rows(lambda rows: cosines(rows, asked))  # noqa: B023
        scores += view.best_sentences(lambda rows: cosines(rows, asked))  # noqa: B023
        slots = view.readable.nonzero()[0].tolist()
        found[question] = sorted((view.place(at).chunk_id, scores[at].tobytes()) for at in slots)
    return found


async def rebuilt(folder: Path) -> dict[str, list[tuple[str, bytes]]]:
    """Return what a copy of the file answers that has no arrays beside it."""
    copy = folder.with_name(f"{folder.name}-copy")
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.index"))
    store = await opened(copy)
    found = await answers(store)
    await store.close()
    shutil.rmtree(copy)
    return found


def each_array(name: str, spoil: Callable[[Path], object]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        for segment in segments(folder):
            spoil(segment / name)

    return act


def of_manifest(spoil: Callable[[Path], object]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        spoil(folder / "b.index" / "manifest.json")

    return act


def put_a_file_there(folder: Path) -> None:
    shutil.rmtree(folder / "b.index")
    (folder / "b.index").touch()


def remove_segments(folder: Path) -> None:
    for path in segments(folder):
        shutil.rmtree(path)


def raise_version(folder: Path) -> None:
    path = folder / "b.index" / "manifest.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "version": said["version"] + 1}))


DAMAGE: dict[str, Callable[[Path], object]] = {
    "all missing": lambda folder: shutil.rmtree(folder / "b.index"),
    "a file where the folder was": put_a_file_there,
    "no manifest": of_manifest(Path.unlink),
    "manifest cut": of_manifest(cut),
    "manifest empty": of_manifest(lambda path: path.write_bytes(b"")),
    "manifest a list": of_manifest(lambda path: path.write_text("[]")),
    "manifest a number": of_manifest(lambda path: path.write_text("7")),
    "manifest of another version": raise_version,
    "segments missing": remove_segments,
    "documents cut": each_array("documents.json", cut),
    "documents flipped": each_array("documents.json", lambda path: flip(path, 20)),
    "stems flipped": each_array("stems.txt", lambda path: flip(path, 9)),
    "stems missing": each_array("stems.txt", Path.unlink),
    "classes flipped": each_array("acl_class.npy", lambda path: flip(path, 131)),
    "postings flipped": each_array("slots.npy", lambda path: flip(path, 130)),
    "array empty": each_array("ptr.npy", lambda path: path.write_bytes(b"")),
    "array cut": each_array("counts.npy", cut),
    "vectors cut": each_array("vectors.npy", cut),
    "vectors missing": each_array("sentence_vectors.npy", Path.unlink),
    "a pickle": each_array("vectors.npy", lambda path: path.write_bytes(b"\x80\x04N.")),
    "an archive": each_array("vectors.npy", lambda path: path.write_bytes(b"PK\x03\x04" * 40)),
}


@pytest.mark.parametrize("spoil", DAMAGE.values(), ids=DAMAGE.keys())
async def test_damaged_arrays_are_built_again(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD)
    await store.save()
    await put_drafts(store, Draft("late", ACLS[-1], ((7,),)))
    expected = await answers(store)
    await store.close()
    spoil(tmp_path / "a")
    for _ in range(2):  # the second time by what the first one mended
        store = await opened(tmp_path / "a")
        assert await answers(store) == expected
        await store.close()


@pytest.mark.parametrize("at", range(0, 128, 5))
@pytest.mark.parametrize("name", ["first.npy", "vectors.npy", "chunk_ids.npy"])
async def test_a_flipped_bit_in_a_header_is_seen(tmp_path: Path, name: str, at: int) -> None:
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD)
    expected = await answers(store)
    await store.close()
    each_array(name, lambda path: flip(path, at))(tmp_path / "a")
    store = await opened(tmp_path / "a")
    assert await answers(store) == expected
    await store.close()


@pytest.mark.slow
async def test_every_bit_of_the_manifest_counts(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD)
    expected = await answers(store)
    await store.close()
    manifest = tmp_path / "a" / "b.index" / "manifest.json"
    sound = manifest.read_bytes()
    for at in range(0, len(sound), 7):
        manifest.write_bytes(sound)
        flip(manifest, at)
        store = await opened(tmp_path / "a")
        assert await answers(store) == expected
        await store.close()


async def test_an_older_snapshot_takes_in_what_is_new(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD[:3])
    await store.save()
    shutil.copytree(tmp_path / "a" / "b.index", tmp_path / "old")
    await put_drafts(store, *WORLD[3:])
    await drop(store, WORLD[0])
    await store.save()
    await store.close()
    shutil.rmtree(tmp_path / "a" / "b.index")
    shutil.copytree(tmp_path / "old", tmp_path / "a" / "b.index")
    store = await opened(tmp_path / "a")
    assert await answers(store) == await rebuilt(tmp_path / "a")
    await store.close()


async def test_another_knowledge_bases_arrays_are_not_used(tmp_path: Path) -> None:
    for name, world in (("a", WORLD[:3]), ("b", WORLD[3:])):
        store = await opened(tmp_path / name)
        await put_drafts(store, *world)
        await store.save()
        await store.close()
    shutil.rmtree(tmp_path / "a" / "b.index")
    shutil.copytree(tmp_path / "b" / "b.index", tmp_path / "a" / "b.index")
    store = await opened(tmp_path / "a")
    assert await answers(store) == await rebuilt(tmp_path / "a")
    await store.close()


@pytest.mark.parametrize("later", [0, 1, 2, 5])
async def test_a_file_from_a_backup_has_another_history(tmp_path: Path, later: int) -> None:
    """Its arrays are of a later version than its own, or of one that it reached otherwise."""
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD[:2])
    await store.close()
    shutil.copy(tmp_path / "a" / "b.db", tmp_path / "backup.db")
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD[2:4])
    await store.save()
    await store.close()
    for path in (tmp_path / "a").glob("b.db*"):
        path.unlink()
    shutil.copy(tmp_path / "backup.db", tmp_path / "a" / "b.db")
    others = [Draft(f"other{at}", ACLS[-1], ((at,), (5,))) for at in range(later)]
    for _ in range(2):
        store = await opened(tmp_path / "a")
        await put_drafts(store, *others)
        assert await answers(store) == await rebuilt(tmp_path / "a")
        await store.close()


@pytest.mark.parametrize("wrong", [PermissionError, OSError])
async def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: type[OSError]
) -> None:
    def refuse(*_: object) -> None:
        raise wrong(28, "no")

    monkeypatch.setattr(segment_files, "_write_segment", refuse)
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD)
    await store.save()
    assert await answers(store) == await rebuilt(tmp_path / "a")
    await store.close()
    assert not (tmp_path / "a" / "b.index" / "manifest.json").exists()


async def test_a_folder_that_cannot_be_read_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD)
    expected = await answers(store)
    await store.close()

    def refuse(*_: object) -> None:
        raise PermissionError(13, "no")

    monkeypatch.setattr(segment_files, "_seal", refuse)
    monkeypatch.setattr(os, "replace", refuse)
    store = await opened(tmp_path / "a")
    assert await answers(store) == expected
    await store.close()


@pytest.mark.slow
async def test_a_segment_keeps_a_short_name_however_often_it_shrinks(tmp_path: Path) -> None:
    store = await opened(tmp_path / "a")
    many = [Draft(f"doc{at}", ACLS[-1], ((at % 8,),)) for at in range(90)]
    await put_drafts(store, *many)
    await store.save()
    for draft in many[:80]:
        await drop(store, draft)
        await store.save()
    assert max(len(path.name) for path in segments(tmp_path / "a")) < 40
    await store.close()
    store = await opened(tmp_path / "a")
    assert await answers(store) == await rebuilt(tmp_path / "a")
    await store.close()


async def test_what_is_full_is_mapped_before_it_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_files, "FULL", 1)
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD)
    expected = await answers(store)
    assert segments(tmp_path / "a")
    assert not (tmp_path / "a" / "b.index" / "manifest.json").exists()
    assert expected == await rebuilt(tmp_path / "a")
    await drop(store, WORLD[0])
    await store.save()
    assert await answers(store) == await rebuilt(tmp_path / "a")
    await store.close()


async def test_what_a_killed_process_left_goes_with_the_next_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await opened(tmp_path / "a")
    await put_drafts(store, *WORLD)
    with monkeypatch.context() as patched:
        patched.setattr(segment_files, "FULL", 1)
        await answers(store)
    left = segments(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "killed")
    await store.close()
    store = await opened(tmp_path / "killed")
    await store.save()
    assert left
    assert not {path.name for path in left} & {path.name for path in segments(tmp_path / "killed")}
    assert await answers(store) == await rebuilt(tmp_path / "killed")
    await store.close()
