"""Strings that lie one after the other in memory, each decoded only when it is asked for."""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from mmap import mmap
from typing import overload

import numpy as np
import numpy.typing as npt

from weft.domain.frozen import dataclass
from weft.index.tables import Ints, Longs

Checksums = npt.NDArray[np.uint32]
_BREAK = 10
_HEAD = 8


class Texts(Sequence[str]):
    """Strings without line breaks, as UTF-8 with a line break between two; nothing is no string."""

    def __init__(self, joined: bytes | mmap) -> None:
        """Read nothing yet of bytes that must not change."""
        self._joined = joined

    @cached_property
    def _bounds(self) -> Longs:
        """Return where each string begins, and one more than where the last one ends."""
        held = np.frombuffer(self._joined, dtype=np.uint8)
        if not len(held):
            return np.zeros(1, dtype=np.int64)
        return np.concatenate([[0], np.flatnonzero(held == _BREAK) + 1, [len(held) + 1]])

    def __len__(self) -> int:
        """Return the number of strings."""
        return len(self._bounds) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        """Return one string, or a list of some."""
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        return str(self._bytes(range(len(self))[at]), "utf-8", "surrogatepass")

    def sorted_place(self, text: str) -> int:
        """Return the place of a string, -1 where it is not here; the strings must be in order.

        The first bytes of all of them are compared at once, and of few the rest.
        """
        wanted = _encoded(text)
        # By arrays' own methods: with one look-up a segment, what wraps them is most of the time.
        heads, head = self._heads, np.uint64(int.from_bytes(wanted[:_HEAD].ljust(_HEAD, b"\0")))
        at = int(heads.searchsorted(head))
        if at == len(heads) or heads[at] != head:
            return -1
        if len(wanted) > _HEAD or wanted.endswith(b"\0"):  # others may have the same head
            at = bisect_left(self, text, at, int(heads.searchsorted(head, side="right")))
        return at if at < len(heads) and self._bytes(at) == wanted else -1

    def _bytes(self, place: int) -> bytes:
        begin, end = int(self._bounds[place]), int(self._bounds[place + 1]) - 1
        return self._joined[begin:end]

    @cached_property
    def _heads(self) -> npt.NDArray[np.uint64]:
        """Return the first eight bytes of each string as a number that orders as they do."""
        held = np.frombuffer(self._joined, dtype=np.uint8)
        heads = np.zeros(len(self), dtype=np.uint64)
        begins, ends = self._bounds[:-1], self._bounds[1:] - 1
        for step in range(_HEAD):
            at = begins + step
            own = np.where(at < ends, held[np.minimum(at, len(held) - 1)], 0).astype(np.uint64)
            heads = heads << np.uint64(8) | own
        return heads

    def __iter__(self) -> Iterator[str]:
        """Decode all at once: that is much quicker than one by one."""
        text = str(self._joined, "utf-8", "surrogatepass")
        return iter(text.split("\n") if text else ())


def joined_texts(texts: Iterable[str]) -> bytes:
    """Return strings as `Texts` reads them."""
    return _encoded("\n".join(texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTexts:
    """Strings whose places can be looked up: checksums in order beside the places they are of."""

    texts: Sequence[str]
    checksums: Checksums
    places: Ints

    def find(self, text: str) -> int:
        """Return the place of a string, -1 where it is not among these."""
        wanted = np.uint32(checksum(text))
        begin = int(np.searchsorted(self.checksums, wanted))
        end = int(np.searchsorted(self.checksums, wanted, side="right"))
        for place in self.places[begin:end].tolist():
            if self.texts[place] == text:
                return int(place)
        return -1


def checksum(text: str) -> int:
    """Return 32 bits of a string; two may have the same."""
    return zlib.crc32(_encoded(text))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def found_texts(texts: Sequence[str]) -> FoundTexts:
    """Return strings, each there once, so that they can be looked up."""
    sums = np.fromiter(map(checksum, texts), dtype=np.uint32, count=len(texts))
    places = np.argsort(sums, kind="stable").astype(np.int32)
    return FoundTexts(texts=texts, checksums=sums[places], places=places)


def nothing_found() -> FoundTexts:
    """Return no strings at all."""
    return found_texts(())
