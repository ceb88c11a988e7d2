"""What the views of a snapshot name, as files beside its segments: counted once, then read.

They lie in a folder that is named by the segments they are of, written whole before it has that
name. Whatever changes the segments sweeps it away, so that no name of what was deleted stays.
Another process may put its own in place of it, for other readers: each draws a mark, by which who
reads tells that it has read one of them and not some files of each.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from weft.adapters.sqlite.array_files import (
    UNUSABLE,
    put_in_place,
    read_array,
    read_texts,
    write_array,
    write_texts,
)
from weft.domain.ids import digest
from weft.index.entities import Entities
from weft.index.packing import Classes, PackedNames, array_names, pack, unpack
from weft.index.snapshot import Snapshot
from weft.platform.workspace import remove_folder
from weft.stores.canonical import canonical

_FORMAT = 2
_SAID = "names.json"
_TEXTS = ("words", "keys")
Counted = dict[Classes, Entities]


class NamesFiles:
    """The counted names of one knowledge base's views."""

    def __init__(self, folder: Path, identity: str) -> None:
        """Read nothing yet; `folder` is that of the segments."""
        self._folder = folder
        self._identity = identity

    def load(self, snapshot: Snapshot) -> tuple[Snapshot, Counted]:
        """Return a snapshot as it was just loaded, by the kept lexicon, and what is counted.

        Where nothing sound is kept of these segments it is the snapshot itself, and nothing.
        """
        place = self._place(snapshot)
        try:
            said = _said(place)
            classes = [tuple(map(int, each)) for each in said["classes"]]
            if said["seal"] != _seal(place, classes):
                raise ValueError("the names are damaged")
            names = [live.segment.name for live in snapshot.segments]
            packed = _packed(place, names, classes)
            if _said(place) != said:
                raise ValueError("the names were written anew while they were read")
            lexicon, counted = unpack(packed)
        except UNUSABLE:
            return snapshot, {}
        lexicon.serials(snapshot.size)  # those that the passages have were given out before
        return replace(snapshot, lexicon=lexicon), counted

    def save(self, snapshot: Snapshot, counted: Mapping[Classes, Entities]) -> None:
        """Write what is counted of views of this snapshot, which is saved itself.

        Raises `OSError` where it cannot be written.
        """
        packed = pack(snapshot, counted)
        place = self._place(snapshot)
        draft = place.with_name(f"{place.name}-{uuid4().hex[:8]}.tmp")
        draft.mkdir()
        try:
            for name, values in packed.arrays.items():
                write_array(draft / f"{name}.npy", values)
            for name, texts in packed.texts.items():
                write_texts(draft / f"{name}.txt", texts)
            said = {
                "classes": [list(each) for each in packed.classes],
                "mark": uuid4().hex,
                "seal": _seal(draft, packed.classes),
            }
            (draft / _SAID).write_bytes(canonical(said).encode())
            remove_folder(place)
            put_in_place(draft, place)
        except OSError:
            remove_folder(draft)  # a full disk needs its space
            raise

    def _place(self, snapshot: Snapshot) -> Path:
        names = [f"{live.segment.name} {live.segment.size}" for live in snapshot.segments]
        return self._folder / f"names-{digest(self._identity, str(_FORMAT), *names)[:24]}"


def _said(place: Path) -> dict[str, Any]:  # its keys are this module's own
    found: dict[str, Any] = json.loads((place / _SAID).read_text(encoding="utf-8"))
    return found


def _packed(place: Path, segments: list[str], classes: Sequence[Classes]) -> PackedNames:
    return PackedNames(
        arrays={name: read_array(place, name) for name in array_names(len(classes))},
        texts={name: read_texts(place, name) for name in _TEXTS},
        segments=segments,
        classes=classes,
    )


def _seal(place: Path, classes: Sequence[Classes]) -> str:
    """Return a checksum of all files and of the classes they are for."""
    said = [canonical([list(each) for each in classes])]
    names = [f"{name}.npy" for name in array_names(len(classes))]
    for name in (*names, *(f"{name}.txt" for name in _TEXTS)):
        with open(place / name, "rb") as file:
            held = file.read()
        said.append(f"{name} {len(held)} {zlib.crc32(held):08x}")
    return digest(*said)
