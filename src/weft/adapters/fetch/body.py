"""The body of a reply as it comes in: counted, decompressed, and cut off where it is too much."""

from __future__ import annotations

import zlib

_GZIP = 16 + zlib.MAX_WBITS
_PLAIN = frozenset({"", "identity"})
_PACKED = frozenset({"gzip", "x-gzip"})


class TooLarge(Exception):
    """A body is larger than it may be, as sent or decompressed."""


class BadBody(Exception):
    """A body is not what its headers say."""


class Body:
    """Takes a body piece by piece and never holds more of it than it may have, plus one piece."""

    def __init__(self, encoding: str, most: int) -> None:
        """Take the header `Content-Encoding` and the most bytes; raises `BadBody` for others."""
        name = encoding.strip().lower()
        if name not in _PLAIN | _PACKED:
            raise BadBody
        self._unpacking = zlib.decompressobj(_GZIP) if name in _PACKED else None
        self._is_packed = self._unpacking is not None
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0
        self.received = 0

    def add(self, piece: bytes) -> None:
        """Take what came; raises `TooLarge` as soon as there is more than may be."""
        self.received += len(piece)
        if self.received > self._most:
            raise TooLarge
        if not self._is_packed:
            self._keep(piece)
            return
        while piece:
            piece = self._unpack(piece)

    def whole(self) -> bytes:
        """Return the body; raises `BadBody` when a compressed one ended too early."""
        if self._unpacking is not None and not self._unpacking.eof and self.received:
            raise BadBody
        return b"".join(self._parts)

    def _unpack(self, piece: bytes) -> bytes:
        """Unpack some of what came and return the rest."""
        if self._unpacking is None or self._unpacking.eof:
            # A compressed body may be several, one behind the other.
            self._unpacking = zlib.decompressobj(_GZIP)
        try:
            self._keep(self._unpacking.decompress(piece, self._most - self._size + 1))
        except zlib.error as error:
            raise BadBody from error
        return self._unpacking.unconsumed_tail or self._unpacking.unused_data

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._most:
            raise TooLarge
        self._parts.append(piece)
