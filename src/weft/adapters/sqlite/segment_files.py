"""Segments as files beside the knowledge base: a cache, mapped into memory, rebuilt when missing.

A segment's folder never changes once the manifest names it; the manifest is swapped by a rename,
so another process sees the old set of segments or the new one. The manifest carries a seal of each
segment and one of itself, so that a damaged cache is told from a sound one.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy.typing as npt

from weft.adapters.sqlite.array_files import (
    UNUSABLE,
    put_in_place,
    read_array,
    read_texts,
    write_array,
    write_texts,
)
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.index.lexicon import Lexicon
from weft.index.segment import Segment
from weft.index.snapshot import FULL, LiveSegment, Snapshot, all_alive, merged_segments
from weft.index.strings.texts import Texts
from weft.index.tables import TABLES, Facts, SlotTable
from weft.platform.workspace import remove_folder
from weft.stores.canonical import canonical

_FORMAT = 3
# Too large to be read whole at every start: their head and their size are checked.
_LARGE = ("vectors", "sentence_vectors")
_SMALL = (
    "first",
    "document",
    "chunk_index",
    "acl_class",
    "length",
    "chunk_ids",
    "ptr",
    "slots",
    "counts",
    "sentence_ptr",
)
_TEXTS = ("stems", "words", "keys")
_HEAD = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A moment in a file's history: the number of a change and the mark that it drew.

    A file restored from a backup counts on from an old number, but draws other marks.
    """

    version: int
    mark: int


Belongs = Callable[[Stamp], bool]


class SegmentFiles:
    """The folder of one knowledge base's segments."""

    def __init__(self, folder: Path, identity: str, *, dimensions: int) -> None:
        """Read nothing yet; `identity` tells this knowledge base from another at the same place."""
        self._folder = folder
        self._manifest = folder / "manifest.json"
        self._wanted: dict[str, object] = {
            "format": _FORMAT,
            "identity": identity,
            "dimensions": dimensions,
        }
        self._dimensions = dimensions
        self._seals: dict[str, str] = {}

    def stamp(self) -> Stamp | None:
        """Return when the saved snapshot was taken, or None if there is none to use."""
        try:
            return _stamp(self._read())
        except UNUSABLE:
            return None

    def load(self, belongs: Belongs) -> Snapshot | None:
        """Return the saved snapshot, or None if there is none to use.

        `belongs` tells whether a moment is one of the knowledge base's own history.
        """
        for _ in range(2):  # a writer may swap the manifest between reading it and its segments
            try:
                manifest = self._read()
                if not belongs(_stamp(manifest)):
                    return None
                segments = [self._segment(*named) for named in _segments(manifest).items()]
            except UNUSABLE:
                continue
            lexicon = Lexicon()
            return Snapshot(
                version=_stamp(manifest).version,
                dimensions=self._dimensions,
                segments=tuple(all_alive(one, lexicon.serials(one.size)) for one in segments),
                lexicon=lexicon,
            )
        return None

    def save(self, snapshot: Snapshot, stamp: Stamp, *, belongs: Belongs) -> Snapshot:
        """Write a snapshot and return it as it lies there: without slots of deleted documents.

        A newer one of the same history stays, and of the same version one of as few segments.
        Raises `OSError` where it cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        clean = self.cleaned(snapshot)
        with self._locked():
            if not self._stays(clean, stamp, belongs=belongs):
                self._swap(clean, stamp)
        return clean

    def _stays(self, snapshot: Snapshot, stamp: Stamp, *, belongs: Belongs) -> bool:
        """Tell whether what lies there is as good as this snapshot."""
        try:
            manifest = self._read()
            held, count = _stamp(manifest), len(_segments(manifest))
        except UNUSABLE:
            return False
        if held.version == stamp.version and count > len(snapshot.segments):
            return False
        return held.version >= stamp.version and belongs(held)

    def cleaned(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot without slots of deleted documents, itself where it has none."""
        if all(live.alive.all() for live in snapshot.segments):
            return snapshot
        cleaned = tuple(_clean(live, snapshot.lexicon) for live in snapshot.segments)
        return replace(snapshot, segments=cleaned)

    def mapped(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot whose full segments are not held in memory but read from their files.

        They are written here where they do not lie there yet. What cannot be written stays held.
        """
        with contextlib.suppress(OSError):
            segments = tuple(self._mapped(live) for live in snapshot.segments)
            if any(one is not live for one, live in zip(segments, snapshot.segments, strict=True)):
                return replace(snapshot, segments=segments)
        return snapshot

    def _mapped(self, live: LiveSegment) -> LiveSegment:
        segment = live.segment
        if segment.size < FULL or not live.alive.all() or isinstance(segment.stems, Texts):
            return live
        self._folder.mkdir(parents=True, exist_ok=True)
        place = self._folder / segment.name
        if not place.exists():
            _write_segment(place, segment)
        return replace(live, segment=_read_segment(place))

    def _swap(self, snapshot: Snapshot, stamp: Stamp) -> None:
        seals = {live.segment.name: self._sealed(live.segment) for live in snapshot.segments}
        said = {
            **self._wanted,
            "version": stamp.version,
            "mark": stamp.mark,
            # Pairs, in order: what is counted of a snapshot goes by the order of its segments.
            "segments": [list(named) for named in seals.items()],
        }
        self._seals = seals
        draft = self._folder / "manifest.tmp"
        draft.write_bytes(canonical({**said, "seal": digest(canonical(said))}).encode())
        put_in_place(draft, self._manifest)
        _sweep(self._folder, set(seals))

    def _sealed(self, segment: Segment) -> str:
        """Write a segment unless it lies there already, and return its seal.

        A folder never changes, so that its seal holds as long as it is there.
        """
        place = self._folder / segment.name
        if not place.exists():
            _write_segment(place, segment)
            self._seals.pop(segment.name, None)
        if segment.name not in self._seals:
            self._seals[segment.name] = _seal(place)
        return self._seals[segment.name]

    def _read(self) -> Mapping[str, Any]:  # its keys are this module's own
        """Return the manifest; raise one of `UNUSABLE` if it is not there, whole and ours."""
        manifest: dict[str, Any] = json.loads(self._manifest.read_text(encoding="utf-8"))
        seal = manifest.pop("seal")
        if seal != digest(canonical(manifest)):
            raise ValueError("the manifest is damaged")
        if any(manifest[key] != value for key, value in self._wanted.items()):
            raise ValueError("the manifest is another knowledge base's")
        return manifest

    def _segment(self, name: str, seal: str) -> Segment:
        folder = self._folder / name
        if _seal(folder) != seal:
            raise ValueError(f"segment '{name}' is damaged")
        self._seals[name] = seal
        return _read_segment(folder)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with open(self._folder / "lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _stamp(manifest: Mapping[str, Any]) -> Stamp:
    return Stamp(version=int(manifest["version"]), mark=int(manifest["mark"]))


def _segments(manifest: Mapping[str, Any]) -> dict[str, str]:
    return dict(manifest["segments"])


def _read_segment(folder: Path) -> Segment:
    rows = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    arrays: dict[str, Any] = {kind: read_array(folder, kind) for kind in (*_SMALL, *_LARGE)}
    return Segment(
        name=folder.name,
        documents=[(row[0], row[1], row[2]) for row in rows],
        stems=read_texts(folder, "stems"),
        facts=_facts(folder),
        **arrays,
    )


def _facts(folder: Path) -> Facts:
    tables = {}
    for name, columns in TABLES.items():
        loaded = {column: read_array(folder, f"{name}.{column}") for column in columns}
        tables[name] = SlotTable(ptr=read_array(folder, f"{name}.ptr"), columns=loaded)
    return Facts(
        words=read_texts(folder, "words"),
        keys=read_texts(folder, "keys"),
        key_hashes=read_array(folder, "key_hashes"),
        tables=tables,
    )


def _clean(live: LiveSegment, lexicon: Lexicon) -> LiveSegment:
    if live.alive.all():
        return live
    # Slots only ever die, so their number tells one state of a segment from another.
    name = f"{live.segment.name.partition('-of')[0]}-of{int(live.alive.sum())}"
    return merged_segments([live], name, lexicon=lexicon)


def _seal(folder: Path) -> str:
    """Return a checksum of a segment's files: of all they hold, of vectors the head and size."""
    said = []
    names = [*_SMALL, *_LARGE, "key_hashes", *_columns()]
    texts = [f"{name}.txt" for name in _TEXTS]
    for name in ("documents.json", *texts, *(f"{kind}.npy" for kind in names)):
        path = folder / name
        with open(path, "rb") as file:
            held = file.read(_HEAD if path.stem in _LARGE else -1)
        said.append(f"{name} {path.stat().st_size} {zlib.crc32(held):08x}")
    return digest(*said)


def _write_segment(place: Path, segment: Segment) -> None:
    # Another process may write the same one: each has a draft of its own.
    draft = place.with_name(f"{place.name}-{uuid4().hex[:8]}.tmp")
    draft.mkdir()
    try:
        for name, values in _arrays(segment):
            write_array(draft / f"{name}.npy", values)
        (draft / "documents.json").write_bytes(json.dumps(list(segment.documents)).encode())
        for name, lines in zip(_TEXTS, _texts(segment), strict=True):
            write_texts(draft / f"{name}.txt", lines)
        put_in_place(draft, place)
    except OSError:
        remove_folder(draft)  # a full disk needs its space
        raise


def _columns() -> list[str]:
    """Return the names of the facts' arrays."""
    return [f"{table}.{column}" for table in TABLES for column in ("ptr", *TABLES[table])]


def _arrays(segment: Segment) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    for name in (*_SMALL, *_LARGE):
        yield name, getattr(segment, name)
    yield "key_hashes", segment.facts.key_hashes
    for name, table in segment.facts.tables.items():
        yield f"{name}.ptr", table.ptr
        for column, values in table.columns.items():
            yield f"{name}.{column}", values


def _texts(segment: Segment) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    return segment.stems, segment.facts.words, segment.facts.keys


def _sweep(folder: Path, kept: set[str]) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in kept:
            remove_folder(entry)
