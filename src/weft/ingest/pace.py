"""How fast work goes and how long it will still take: by what each kind of file was found to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_HALF_LIFE_SECONDS = 20.0
# Before that, what was done says nothing of what is to come.
_LEAST_SECONDS = 1.0
# What a file costs beside its chunks, as if it had so many more.
_CHUNKS_A_FILE = 1.0
# So many bytes of a kind must be measured before they count as much as what is assumed of it.
_TRUSTED_BYTES = 20_000.0
# Bytes for each chunk, by the end of a name, until it is measured here.
_BYTES_A_CHUNK = {
    ".csv": 300.0,
    ".tsv": 300.0,
    ".jsonl": 500.0,
    ".parquet": 200.0,
    ".xlsx": 300.0,
    ".ods": 300.0,
    ".html": 3_000.0,
    ".htm": 3_000.0,
    ".docx": 3_000.0,
    ".odt": 3_000.0,
    ".epub": 3_000.0,
    ".pdf": 8_000.0,
    ".pptx": 20_000.0,
    ".odp": 20_000.0,
}
_BYTES_OF_ANY = 1_000.0


class Rate:
    """An amount for each second, in which the latest half minute counts most; times in seconds."""

    def __init__(self, now: float) -> None:
        """Begin with nothing."""
        self._amount = 0.0
        self._seconds = 0.0
        self.at = now

    def add(self, amount: float, now: float) -> None:
        """Take in what was done since the last call."""
        passed = max(now - self.at, 0.0)
        fade = 0.5 ** (passed / _HALF_LIFE_SECONDS)
        self._amount = self._amount * fade + amount
        self._seconds = self._seconds * fade + passed
        self.at = now

    def per_second(self, now: float) -> float:
        """Return the amount for each second, 0 while too little time has passed.

        Time in which nothing was done counts too.
        """
        passed = max(now - self.at, 0.0)
        fade = 0.5 ** (passed / _HALF_LIFE_SECONDS)
        seconds = self._seconds * fade + passed
        return self._amount * fade / seconds if seconds >= _LEAST_SECONDS else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A file to be read: the end of its name in lower case, and its bytes."""

    kind: str
    size: float


@dataclass(slots=True)
class _Kind:
    """What waits of a kind of file, and what was measured of it."""

    assumed: float
    waiting_bytes: float = 0.0
    waiting: int = 0
    measured_bytes: float = 0.0
    measured_chunks: float = 0.0

    @property
    def chunks_a_byte(self) -> float:
        chunks = self.measured_chunks + self.assumed * _TRUSTED_BYTES
        return chunks / (self.measured_bytes + _TRUSTED_BYTES)


@dataclass(slots=True)
class _InHand:
    """How far a file has come: the share of it that is done, and the chunks it gave."""

    share: float = 0.0
    chunks: float = 0.0


class Pace:
    """How far several files are together, and how long the rest of them will take.

    Work is counted in chunks: how many a file will give is known by its bytes and by what files of
    its kind gave, and once it is in hand by itself.
    """

    def __init__(self, pieces: Mapping[str, Piece], now: float) -> None:
        """Take what is to be read, by name."""
        self._pieces = dict(pieces)
        self._kinds: dict[str, _Kind] = {}
        self._in_hand: dict[str, _InHand] = {}
        self._rate = Rate(now)
        for piece in pieces.values():
            kind = self._kind(piece)
            kind.waiting_bytes += piece.size
            kind.waiting += 1

    def reach(self, name: str, share: float, *, chunks: float, now: float) -> None:
        """Say that so much of a file, from 0 to 1, is done, and that it gave so many chunks."""
        piece = self._pieces.get(name)
        if piece is None:
            return
        kind = self._kind(piece)
        if name not in self._in_hand:
            self._in_hand[name] = _InHand()
            kind.waiting_bytes -= piece.size
            kind.waiting -= 1
        held = self._in_hand[name]
        done = max(chunks - held.chunks, 0.0)
        held.chunks, held.share = max(chunks, held.chunks), max(share, held.share)
        if share >= 1.0:
            done += _CHUNKS_A_FILE
            kind.measured_bytes += piece.size
            kind.measured_chunks += held.chunks
            del self._in_hand[name], self._pieces[name]
        self._rate.add(done, now)

    def seconds_left(self, now: float) -> float | None:
        """Return about how many seconds are left; None while that cannot be known."""
        if not self._pieces:
            return 0.0
        waiting, in_hand = self._waiting_chunks(), self._in_hand_chunks()
        steady, passed = self._rate.per_second(self._rate.at), now - self._rate.at
        # Nothing is heard while a file is parsed or stored: what is in hand goes on at the rate
        # so far, and only once it should be done the rate is taken to be lower.
        silent = min(passed * steady, in_hand)
        late = passed - silent / steady if steady > 0 else passed
        rate = self._rate.per_second(self._rate.at + late)
        return (waiting + in_hand - silent) / rate if rate > 0 else None

    def _waiting_chunks(self) -> float:
        """Return how many chunks the files that wait will give, each file counted as some too."""
        return sum(
            kind.waiting_bytes * kind.chunks_a_byte + kind.waiting * _CHUNKS_A_FILE
            for kind in self._kinds.values()
        )

    def _in_hand_chunks(self) -> float:
        """Return how many chunks are to come of the files in hand."""
        left = 0.0
        for name, held in self._in_hand.items():
            piece = self._pieces[name]
            whole = piece.size * self._kind(piece).chunks_a_byte
            if held.share > 0 and held.chunks > 0:
                whole = held.chunks / held.share
            left += max(whole - held.chunks, 0.0) + _CHUNKS_A_FILE
        return left

    def _kind(self, piece: Piece) -> _Kind:
        known = self._kinds.get(piece.kind)
        if known is None:
            bytes_a_chunk = _BYTES_A_CHUNK.get(piece.kind, _BYTES_OF_ANY)
            known = self._kinds[piece.kind] = _Kind(assumed=1.0 / bytes_a_chunk)
        return known
