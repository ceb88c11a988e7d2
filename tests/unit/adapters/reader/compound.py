"""Compound files made for the tests: streams in storages, as old Office programs keep them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import UTC, datetime

from bench_formats import DOCUMENTS

_SECTOR, _MINI, _CUTOFF = 512, 64, 4096
_END, _FREE, _FAT, _NONE = 0xFFFF_FFFE, 0xFFFF_FFFF, 0xFFFF_FFFD, 0xFFFF_FFFF
_ENTRY = struct.Struct("<64sHBBIII16sIQQIQ")
Path = tuple[str, ...]
SENT = datetime(2026, 7, 6, 0, 12, tzinfo=UTC)
_TICKS = int((SENT - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
_BOX = "__attach_version1.0_#0000000"


def compound(streams: Mapping[Path, bytes]) -> bytes:
    """Return a compound file that holds these streams (version 3, all siblings in one chain)."""
    names: list[Path] = [()]
    for path in streams:
        names += [path[: n + 1] for n in range(len(path)) if path[: n + 1] not in names]
    sectors: list[bytes] = []
    fat: list[int] = []
    mini, mini_fat = bytearray(), list[int]()
    starts: dict[Path, int] = {}
    for path, data in streams.items():
        if len(data) < _CUTOFF:
            starts[path] = len(mini_fat) if data else _END
            count = -(-len(data) // _MINI)
            mini += data.ljust(count * _MINI, b"\0")
            mini_fat += _chain(len(mini_fat), count)
        else:
            starts[path] = _put(data, sectors, fat)
    starts[()] = _put(bytes(mini), sectors, fat) if mini else _END
    table = b"".join(struct.pack("<I", each) for each in mini_fat)
    mini_start = _put(table, sectors, fat, filler=b"\xff") if table else _END
    sizes = {path: len(data) for path, data in streams.items()} | {(): len(mini)}
    entries = b"".join(_entry(path, names, starts, sizes=sizes) for path in names)
    directory = _put(entries, sectors, fat)
    place = len(sectors)
    fat += [_FAT] * -(-(len(fat) + 1) // (_SECTOR // 4))
    packed = b"".join(struct.pack("<I", each) for each in fat)
    count = len(fat) - place
    sectors += _cut(packed, filler=b"\xff")
    head = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        *(b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, count, directory, 0, _CUTOFF),
        *(mini_start, -(-len(table) // _SECTOR), _END, 0),
    )
    listed = b"".join(struct.pack("<I", place + number) for number in range(count))
    return head + listed.ljust(_SECTOR - len(head), b"\xff") + b"".join(sectors)


def _put(data: bytes, sectors: list[bytes], fat: list[int], *, filler: bytes = b"\0") -> int:
    start, pieces = len(sectors), _cut(data, filler=filler)
    sectors += pieces
    fat += _chain(start, len(pieces))
    return start


def _cut(data: bytes, *, filler: bytes) -> list[bytes]:
    pieces = (data[at : at + _SECTOR] for at in range(0, len(data), _SECTOR))
    return [piece.ljust(_SECTOR, filler) for piece in pieces]


def _chain(start: int, count: int) -> list[int]:
    return [*range(start + 1, start + count), _END] if count else []


def _entry(
    path: Path, names: list[Path], starts: Mapping[Path, int], *, sizes: Mapping[Path, int]
) -> bytes:
    siblings = [each for each in names if each and each[:-1] == path[:-1]] if path else []
    after = siblings[siblings.index(path) + 1 :] if path else []
    within = [each for each in names if each and each[:-1] == path]
    name = (path[-1] if path else "Root Entry").encode("utf-16-le")
    kind = 5 if not path else 2 if path in sizes else 1
    return _ENTRY.pack(
        name,
        len(name) + 2,
        kind,
        1,
        _NONE,
        names.index(after[0]) if after else _NONE,
        names.index(within[0]) if within else _NONE,
        *(b"", 0, 0, 0, starts.get(path, 0), sizes.get(path, 0)),
    )


def _fixed(head: int, **values: int) -> bytes:
    rows = (struct.pack("<IIQ", int(key[1:], 16), 6, value) for key, value in values.items())
    return b"\0" * head + b"".join(rows)


def _wide(number: str, text: str) -> tuple[str, bytes]:
    return f"__substg1.0_{number}001F", text.encode("utf-16-le")


def outlook_mail() -> bytes:
    """Return a mail of Outlook with a document and an older mail attached."""
    docx = (DOCUMENTS / "review.pandoc.docx").read_bytes()
    inner: Path = (f"{_BOX}1", "__substg1.0_3701000D")
    streams: dict[Path, bytes] = {("__properties_version1.0",): _fixed(32, x00390040=_TICKS)}
    for name, data in (
        _wide("0037", "부두 점검 일정"),
        _wide("1000", "Dear board,\r\n\r\nthe inspection begins on 13 July."),
        _wide("0C1A", "백도현"),
        _wide("5D01", "baek@example.org"),
        _wide("0E04", "Harbour Board"),
    ):
        streams[(name,)] = data
    for name, data in (_wide("3707", "검토.docx"), ("__substg1.0_37010102", docx)):
        streams[f"{_BOX}0", name] = data
    streams[f"{_BOX}0", "__properties_version1.0"] = _fixed(8)
    streams[f"{_BOX}1", "__properties_version1.0"] = _fixed(8)
    streams[*inner, "__properties_version1.0"] = _fixed(24, x3FDE0003=949)
    streams[*inner, "__substg1.0_0037001E"] = "지난 편지".encode("cp949")
    page = "<p>기중기는 2019년에 팔렸다.</p>".encode("cp949")
    streams[*inner, "__substg1.0_10130102"] = page
    return compound(streams)
