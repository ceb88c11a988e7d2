"""What the views of a snapshot name, packed into arrays and strings to be kept, and unpacked.

Only words and keys that the snapshot's own segments have are packed: what was deleted leaves none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import compress, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.index.entities import Entities, EntityCounts
from weft.index.lexicon import MAX_WORDS, KeptLexicon, Keys, Lexicon, key_codes
from weft.index.snapshot import Snapshot
from weft.index.strings.texts import FoundTexts, found_texts
from weft.index.tables import Ints, Longs, Mask, SlotTable, offsets, renumber

Classes = tuple[int, ...]
Array = npt.NDArray[Any]  # each has a type of its own
_TABLE = tuple(column.name for column in fields(Keys))
_BY_WORD = ("lower", "upper", "common")
_BY_KEY = ("spans", "definitions", "known")
_TABLES = {"mentions": ("key", "sentence"), "links": ("key", "weight")}


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedNames:
    """Arrays by name, strings (`words` and `keys`), and which segments and classes they are of."""

    arrays: Mapping[str, Array]
    texts: Mapping[str, Sequence[str]]
    segments: Sequence[str]
    classes: Sequence[Classes]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    """Which words and keys are kept, and the new number of each; -1 of those that are not."""

    words: Mask
    keys: Mask

    def of_words(self) -> Ints:
        return np.where(self.words, np.cumsum(self.words) - 1, -1).astype(np.int32)

    def of_keys(self) -> Ints:
        return np.where(self.keys, np.cumsum(self.keys) - 1, -1).astype(np.int32)


def array_names(views: int) -> list[str]:
    """Return the names of the arrays of so many views."""
    lexicon = [f"keys.{name}" for name in _TABLE]
    lexicon += ["words.stop", "codes", "coded", "segments.words", "segments.keys"]
    lexicon += ["segments.words.ptr", "segments.keys.ptr"]
    lexicon += [f"{kind}.{part}" for kind in ("words", "keys") for part in ("checksums", "places")]
    own = [*_BY_WORD, *_BY_KEY, "df", "weight"]
    own += [f"{name}.{column}" for name, held in _TABLES.items() for column in ("ptr", *held)]
    return lexicon + [f"view{at}.{name}" for at in range(views) for name in own]


def pack(snapshot: Snapshot, counted: Mapping[Classes, Entities]) -> PackedNames:
    """Return what some views of this very snapshot name; all of it is alive."""
    lexicon = snapshot.lexicon
    with lexicon.lock:
        own = [lexicon.numbers(live.segment.name, live.segment.facts) for live in snapshot.segments]
        numbers = _used(lexicon, own)
        kept = {"words": numbers.words, "keys": numbers.keys}
        texts = {
            name: list(compress(held.all(), kept[name].tolist()))
            for name, held in zip(kept, lexicon.strings, strict=True)
        }
        arrays = {**_lexicon_arrays(lexicon, numbers, texts), **_segment_arrays(own, numbers)}
    for at, entities in enumerate(counted.values()):
        packed = _entity_arrays(entities, numbers)
        arrays |= {f"view{at}.{name}": values for name, values in packed.items()}
    return PackedNames(
        arrays=arrays,
        texts=texts,
        segments=[live.segment.name for live in snapshot.segments],
        classes=list(counted),
    )


def unpack(packed: PackedNames) -> tuple[Lexicon, dict[Classes, Entities]]:
    """Return the lexicon, and what is counted of each set of classes."""
    held = packed.arrays
    parts = [_split(held, f"segments.{kind}") for kind in ("words", "keys")]
    kept = KeptLexicon(
        words=_found(packed, "words"),
        keys=_found(packed, "keys"),
        stop=held["words.stop"],
        table=Keys(**{name: held[f"keys.{name}"] for name in _TABLE}),
        codes=held["codes"],
        coded=held["coded"],
        segments=dict(zip(packed.segments, zip(*parts, strict=True), strict=True)),
    )
    counted = {classes: _entities(held, f"view{at}") for at, classes in enumerate(packed.classes)}
    return Lexicon(kept), counted


def _used(lexicon: Lexicon, segments: Sequence[tuple[Ints, Ints]]) -> _Numbers:
    table = lexicon.keys
    words, keys = np.zeros(len(lexicon.stop), np.bool_), np.zeros(len(table.size), np.bool_)
    for own_words, own_keys in segments:
        words[own_words] = True
        keys[own_keys] = True
    within = table.words[keys]
    words[within[within >= 0]] = True
    return _Numbers(words=words, keys=keys)


def _lexicon_arrays(
    lexicon: Lexicon, numbers: _Numbers, texts: Mapping[str, Sequence[str]]
) -> dict[str, Array]:
    words, table = numbers.of_words(), lexicon.keys
    rows = renumber(table.words[numbers.keys], words)
    size = table.size[numbers.keys]
    short = np.flatnonzero(size <= MAX_WORDS)
    codes = key_codes(rows[short], size[short])
    order = np.argsort(codes, kind="stable")
    found = {name: found_texts(held) for name, held in texts.items()}
    return {
        "keys.size": size,
        "keys.first": renumber(table.first[numbers.keys], words),
        "keys.last": renumber(table.last[numbers.keys], words),
        "keys.hashes": table.hashes[numbers.keys],
        "keys.words": rows,
        "words.stop": lexicon.stop[numbers.words],
        "codes": codes[order],
        "coded": short[order].astype(np.int32),
        **{f"{name}.checksums": each.checksums for name, each in found.items()},
        **{f"{name}.places": each.places for name, each in found.items()},
    }


def _segment_arrays(segments: Sequence[tuple[Ints, Ints]], numbers: _Numbers) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    for at, (kind, new) in enumerate((("words", numbers.of_words()), ("keys", numbers.of_keys()))):
        parts = [renumber(each[at], new) for each in segments]
        sizes = np.array([len(each) for each in parts], dtype=np.int64)
        arrays[f"segments.{kind}"] = np.concatenate([new[:0], *parts])
        arrays[f"segments.{kind}.ptr"] = offsets(sizes)
    return arrays


def _entity_arrays(entities: Entities, numbers: _Numbers) -> dict[str, Array]:
    words, keys = np.flatnonzero(numbers.words), np.flatnonzero(numbers.keys)
    new = numbers.of_keys()
    arrays: dict[str, Array] = {
        **{name: getattr(entities.counts, name)[words] for name in _BY_WORD},
        **{name: getattr(entities.counts, name)[keys] for name in _BY_KEY},
        "df": entities.df[keys],
        "weight": entities.weight[keys],
    }
    for name, columns in _TABLES.items():
        table: SlotTable = getattr(entities, name)
        arrays[f"{name}.ptr"] = table.ptr
        arrays[f"{name}.key"] = renumber(table.columns["key"], new)
        arrays[f"{name}.{columns[1]}"] = table.columns[columns[1]]
    return arrays


def _found(packed: PackedNames, kind: str) -> FoundTexts:
    return FoundTexts(
        texts=packed.texts[kind],
        checksums=packed.arrays[f"{kind}.checksums"],
        places=packed.arrays[f"{kind}.places"],
    )


def _split(held: Mapping[str, Array], name: str) -> list[Ints]:
    ptr: Longs = held[f"{name}.ptr"]
    return [held[name][begin:end] for begin, end in pairwise(ptr.tolist())]


def _entities(held: Mapping[str, Array], view: str) -> Entities:
    counts = {name: held[f"{view}.{name}"] for name in (*_BY_WORD, *_BY_KEY)}
    tables = {
        name: SlotTable(
            ptr=held[f"{view}.{name}.ptr"],
            columns={column: held[f"{view}.{name}.{column}"] for column in columns},
        )
        for name, columns in _TABLES.items()
    }
    return Entities(
        titles=True,
        counts=EntityCounts(**counts),
        mentions=tables["mentions"],
        links=tables["links"],
        df=held[f"{view}.df"],
        weight=held[f"{view}.weight"],
    )
