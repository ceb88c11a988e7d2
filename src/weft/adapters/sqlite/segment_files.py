"""Segments as files beside the knowledge base: a cache, mapped into memory, rebuilt when missing.

A segment's folder never changes once the manifest names it; the manifest is swapped by a rename,
so another process sees the old set of segments or the new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.index.lexicon import Lexicon
from weft.index.segment import Segment
from weft.index.snapshot import Part, Snapshot, merged, whole
from weft.index.tables import TABLES, Facts, Table

_FORMAT = 2
_ARRAYS = (
    "first",
    "document",
    "chunk_index",
    "acl_class",
    "length",
    "chunk_ids",
    "ptr",
    "slots",
    "counts",
    "vectors",
    "sentence_ptr",
    "sentence_vectors",
)


def load(folder: Path, identity: str, dimensions: int) -> Snapshot | None:
    """Return the snapshot last saved for this knowledge base, or None if there is none to use."""
    for _ in range(2):  # a writer may swap the manifest between reading it and its segments
        try:
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            wanted = [_FORMAT, identity, dimensions]
            if [manifest["format"], manifest["identity"], manifest["dimensions"]] != wanted:
                return None
            lexicon = Lexicon()
            segments = [_segment(folder / name) for name in manifest["segments"]]
            return Snapshot(
                version=manifest["version"],
                dimensions=dimensions,
                parts=tuple(whole(each, lexicon.serials(each.size)) for each in segments),
                lexicon=lexicon,
            )
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def _segment(folder: Path) -> Segment:
    rows = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    return Segment(
        name=folder.name,
        documents=[(row[0], row[1], row[2]) for row in rows],
        first=_array(folder, "first"),
        document=_array(folder, "document"),
        chunk_index=_array(folder, "chunk_index"),
        acl_class=_array(folder, "acl_class"),
        length=_array(folder, "length"),
        chunk_ids=_array(folder, "chunk_ids"),
        stems=_strings(folder, "stems"),
        ptr=_array(folder, "ptr"),
        slots=_array(folder, "slots"),
        counts=_array(folder, "counts"),
        vectors=_array(folder, "vectors"),
        sentence_ptr=_array(folder, "sentence_ptr"),
        sentence_vectors=_array(folder, "sentence_vectors"),
        facts=_facts(folder),
    )


def _facts(folder: Path) -> Facts:
    tables = {}
    for name, columns in TABLES.items():
        loaded = {column: _array(folder, f"{name}.{column}") for column in columns}
        tables[name] = Table(ptr=_array(folder, f"{name}.ptr"), columns=loaded)
    return Facts(
        words=_strings(folder, "words"),
        keys=_strings(folder, "keys"),
        key_hashes=_array(folder, "key_hashes"),
        tables=tables,
    )


def _strings(folder: Path, name: str) -> list[str]:
    text = (folder / f"{name}.txt").read_text(encoding="utf-8", errors="surrogatepass")
    return text.split("\n") if text else []


def _array(folder: Path, name: str) -> npt.NDArray[Any]:  # its type is in the file
    path = folder / f"{name}.npy"
    try:
        loaded: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:  # nothing of size 0 can be mapped
        loaded = np.load(path, allow_pickle=False)
    return loaded


def save(folder: Path, identity: str, snapshot: Snapshot) -> Snapshot:
    """Write a snapshot and return it as it lies there: without slots of deleted documents."""
    folder.mkdir(parents=True, exist_ok=True)
    clean = replace(snapshot, parts=tuple(_clean(part) for part in snapshot.parts))
    with _locked(folder):
        if _saved_version(folder, identity) >= snapshot.version:
            return clean
        for part in clean.parts:
            if not (folder / part.segment.name).exists():
                _write_segment(folder, part.segment)
        names = [part.segment.name for part in clean.parts]
        manifest = {
            "format": _FORMAT,
            "identity": identity,
            "version": snapshot.version,
            "dimensions": snapshot.dimensions,
            "segments": names,
        }
        _write(folder / "manifest.tmp", json.dumps(manifest).encode())
        os.replace(folder / "manifest.tmp", folder / "manifest.json")
        _sweep(folder, set(names))
    return clean


def _clean(part: Part) -> Part:
    if part.alive.all():
        return part
    return merged([part], f"{part.segment.name}-c{int(part.alive.sum())}")


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _saved_version(folder: Path, identity: str) -> int:
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return -1
    return int(manifest["version"]) if manifest.get("identity") == identity else -1


def _write_segment(folder: Path, segment: Segment) -> None:
    draft = folder / f"{segment.name}.tmp"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    for name, values in _arrays(segment):
        with open(draft / f"{name}.npy", "wb") as file:
            np.save(file, values, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
    _write(draft / "documents.json", json.dumps(list(segment.documents)).encode())
    texts = {"stems": segment.stems, "words": segment.facts.words, "keys": segment.facts.keys}
    for name, lines in texts.items():
        _write(draft / f"{name}.txt", "\n".join(lines).encode("utf-8", "surrogatepass"))
    os.replace(draft, folder / segment.name)


def _arrays(segment: Segment) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    for name in _ARRAYS:
        yield name, getattr(segment, name)
    yield "key_hashes", segment.facts.key_hashes
    for name, table in segment.facts.tables.items():
        yield f"{name}.ptr", table.ptr
        for column, values in table.columns.items():
            yield f"{name}.{column}", values


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sweep(folder: Path, kept: set[str]) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in kept:
            shutil.rmtree(entry, ignore_errors=True)
