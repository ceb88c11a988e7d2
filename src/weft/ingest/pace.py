"""How fast work goes and how long it will still take: by what each kind of file was found to be."""

from __future__ import annotations

from collections.abc import Mapping

from weft.domain.frozen import dataclass

_HALF_LIFE_SECONDS = 20.0
# Before that, what was done says nothing of what is to come.
_LEAST_SECONDS = 1.0
# What a file costs beside its chunks, as if it had so many more.
_CHUNKS_A_FILE = 1.0
# So many bytes of a kind must be measured before they count as much as what is assumed of it.
_TRUSTED_BYTES = 20_000.0
# So many chunks and files of a kind must be done before they count as much as those of any kind.
_TRUSTED_UNITS = 3.0
# What takes longer than was foretold is taken to need so much of the time that it took once more.
_LONGER = 0.3
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
    seconds: float = 0.0
    units: float = 0.0

    @property
    def chunks_a_byte(self) -> float:
        chunks = self.measured_chunks + self.assumed * _TRUSTED_BYTES
        return chunks / (self.measured_bytes + _TRUSTED_BYTES)

    @property
    def waiting_units(self) -> float:
        return self.waiting_bytes * self.chunks_a_byte + self.waiting * _CHUNKS_A_FILE

    def cost(self, of_any: float) -> float:
        """Return seconds a unit: those of any kind until enough of this one is measured."""
        return (self.seconds + of_any * _TRUSTED_UNITS) / (self.units + _TRUSTED_UNITS)


@dataclass(slots=True)
class _InHand:
    """How far a file has come: the share of it that is done, its chunks, the seconds it took.

    `heard` is how many seconds it had taken when something was last heard of it.
    """

    share: float = 0.0
    chunks: float = 0.0
    seconds: float = 0.0
    heard: float = 0.0


class Pace:
    """How far several files are together, and how long the rest of them will take.

    Work is counted in chunks and files: how many chunks a file will give is known by its bytes and
    by what files of its kind gave, and what they cost by the seconds that its kind took so far.
    Files that are worked on at the same time share the time.
    """

    def __init__(self, pieces: Mapping[str, Piece], now: float) -> None:
        """Take what is to be read, by name."""
        self._pieces = dict(pieces)
        self._kinds: dict[str, _Kind] = {}
        self._in_hand: dict[str, _InHand] = {}
        self._at = now
        for piece in pieces.values():
            kind = self._kind(piece)
            kind.waiting_bytes += piece.size
            kind.waiting += 1

    def begin(self, name: str, *, now: float) -> None:
        """Say that a file is taken up."""
        piece = self._pieces.get(name)
        if piece is None or name in self._in_hand:
            return
        self._pass(now)
        self._in_hand[name] = _InHand()
        kind = self._kind(piece)
        kind.waiting_bytes -= piece.size
        kind.waiting -= 1

    def reach(self, name: str, share: float, *, chunks: float, now: float) -> None:
        """Say that so much of a file, from 0 to 1, is done, and that it gave so many chunks."""
        piece = self._pieces.get(name)
        if piece is None:
            return
        self.begin(name, now=now)
        self._pass(now)
        held = self._in_hand[name]
        held.chunks, held.share = max(chunks, held.chunks), max(share, held.share)
        held.heard = held.seconds
        if share >= 1.0:
            kind = self._kind(piece)
            kind.measured_bytes += piece.size
            kind.measured_chunks += held.chunks
            kind.units += held.chunks + _CHUNKS_A_FILE
            kind.seconds += held.seconds
            del self._in_hand[name], self._pieces[name]

    def seconds_left(self, now: float) -> float | None:
        """Return about how many seconds are left; None while that cannot be known."""
        if not self._pieces:
            return 0.0
        self._pass(now)
        kinds, hands = self._kinds.values(), self._in_hand.values()
        seconds = sum(kind.seconds for kind in kinds) + sum(held.heard for held in hands)
        units = sum(kind.units for kind in kinds) + sum(held.chunks for held in hands)
        if seconds < _LEAST_SECONDS or units <= 0:
            return None
        of_any = seconds / units
        waiting = sum(kind.waiting_units * kind.cost(of_any) for kind in kinds)
        return waiting + sum(self._left(name, of_any) for name in self._in_hand)

    def _left(self, name: str, of_any: float) -> float:
        """Return the seconds that a file in hand still needs.

        Nothing is heard while it is parsed or stored: what takes longer than was foretold takes
        longer yet.
        """
        piece, held = self._pieces[name], self._in_hand[name]
        kind = self._kind(piece)
        if held.share > 0 and held.chunks > 0:
            rest = (held.chunks / held.share - held.chunks + _CHUNKS_A_FILE) * of_any
        else:
            whole = piece.size * kind.chunks_a_byte + _CHUNKS_A_FILE
            rest = whole * kind.cost(of_any)
        silent = held.seconds - held.heard
        return max(rest - silent, _LONGER * silent)

    def _pass(self, now: float) -> None:
        """Share the time that has passed between the files in hand."""
        passed, self._at = max(now - self._at, 0.0), max(now, self._at)
        for held in self._in_hand.values():
            held.seconds += passed / len(self._in_hand)

    def _kind(self, piece: Piece) -> _Kind:
        known = self._kinds.get(piece.kind)
        if known is None:
            bytes_a_chunk = _BYTES_A_CHUNK.get(piece.kind, _BYTES_OF_ANY)
            known = self._kinds[piece.kind] = _Kind(assumed=1.0 / bytes_a_chunk)
        return known
