"""Zip containers: looked through for bombs before anything in them is unpacked."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from lzma import LZMAError

from weft.adapters.reader.parsed import Unread
from weft.domain.ledger import FileStatus

MOST_MEMBERS = 10_000
MOST_BYTES = 512 * 2**20
# Text that repeats itself packs well; what packs better than this, and is large, is made to burst.
_MOST_RATIO = 250
_RATIO_FROM = 32 * 2**20
# What stands before a member's bytes, its name and extra fields apart.
_LOCAL_HEADER = 30
_ENCRYPTED = 0x1
_UTF8 = 0x800
# Packers that mark no encoding write names in that of their machine: the first that fits.
_NAME_ENCODINGS = ("utf-8", "cp949")
UNPACK_FAULTS = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, OSError)


class Package:
    """A zip container whose directory keeps the limits; a member is unpacked when it is asked for.

    Raises `Unread` where the container is broken, or breaks a limit.
    """

    def __init__(self, data: bytes) -> None:
        """Read the directory of `data` and refuse what is not a sound one."""
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (*UNPACK_FAULTS, ValueError, NotImplementedError) as wrong:
            raise Unread(FileStatus.CORRUPT, f"not a readable zip file ({wrong})") from wrong
        entries = [entry for entry in self._zip.infolist() if not entry.is_dir()]
        _refuse_bombs(entries, len(self._zip.infolist()), size=len(data))
        self._entries: dict[str, list[zipfile.ZipInfo]] = {}
        for entry in entries:
            self._entries.setdefault(_name(entry), []).append(entry)

    def __contains__(self, name: str) -> bool:
        """Tell whether there is a member of this name."""
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the members, each once, in the order of the directory."""
        return iter(self._entries)

    def count(self, name: str) -> int:
        """Return how many members have this name; the last one counts where only one is meant."""
        return len(self._entries[name])

    def size(self, name: str, at: int = -1) -> int:
        """Return how many bytes a member says that it unpacks to; `at` is which of its name."""
        return self._entries[name][at].file_size

    def is_encrypted(self, name: str) -> bool:
        """Tell whether a member asks for a password."""
        return bool(self._entries[name][-1].flag_bits & _ENCRYPTED)

    def read(self, name: str, at: int = -1) -> bytes:
        """Return a member's bytes: no more than the directory says, or `Unread`.

        `at` is which one of those that have this name.
        """
        if name not in self._entries:
            raise Unread(FileStatus.CORRUPT, f"its part '{name[:200]}' is missing")
        entry = self._entries[name][at]
        if entry.flag_bits & _ENCRYPTED:
            raise Unread(FileStatus.ENCRYPTED, "it asks for a password; save it without one")
        try:
            return self._zip.read(entry)
        except NotImplementedError as wrong:
            raise Unread(FileStatus.UNSUPPORTED, f"packed in an unknown way ({wrong})") from wrong
        except (*UNPACK_FAULTS, ValueError) as wrong:
            reason = f"its part '{name[:200]}' cannot be unpacked ({str(wrong)[:200]})"
            raise Unread(FileStatus.CORRUPT, reason) from wrong


def _refuse_bombs(entries: Sequence[zipfile.ZipInfo], count: int, *, size: int) -> None:
    total = sum(entry.file_size for entry in entries)
    if count > MOST_MEMBERS:
        raise Unread(FileStatus.HOSTILE, f"holds more than {MOST_MEMBERS} files")
    if total > MOST_BYTES:
        raise Unread(FileStatus.HOSTILE, f"unpacks to more than {MOST_BYTES} bytes")
    if total > _RATIO_FROM and total > size * _MOST_RATIO:
        reason = f"unpacks to {total} bytes, more than {_MOST_RATIO} times its own size"
        raise Unread(FileStatus.HOSTILE, reason)
    if _overlap(entries):
        raise Unread(FileStatus.HOSTILE, "files in it share the same bytes")


def _overlap(entries: Sequence[zipfile.ZipInfo]) -> bool:
    placed = sorted(entries, key=lambda entry: entry.header_offset)
    return any(
        one.header_offset + _LOCAL_HEADER + one.compress_size > other.header_offset
        for one, other in pairwise(placed)
    )


def _name(entry: zipfile.ZipInfo) -> str:
    if entry.flag_bits & _UTF8 or entry.filename.isascii():
        return entry.filename
    try:
        said = entry.filename.encode("cp437")
    except UnicodeEncodeError:
        return entry.filename
    for encoding in _NAME_ENCODINGS:
        try:
            return said.decode(encoding)
        except UnicodeDecodeError:
            continue
    return entry.filename
