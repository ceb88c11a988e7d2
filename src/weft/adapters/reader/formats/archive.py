"""Archives (zip, gzip, tar) as folders of the files in them; nothing is written to a disk."""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Sequence

from weft.adapters.reader.containers import relative_names
from weft.adapters.reader.packed.package import MOST_BYTES, MOST_MEMBERS, UNPACK_FAULTS, Package
from weft.adapters.reader.parsed import RawFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import Record
from weft.ports.reader import Member

_GZIP_WINDOW = 31  # the largest window, and gzip's own header and check
_MOST_UNPACKED = 128 * 2**20
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class _Zip:
    package: Package
    names: dict[str, tuple[str, int]]
    members: Sequence[Member]

    @property
    def records(self) -> Sequence[Record]:
        return ()

    def read(self, name: str) -> bytes:
        return self.package.read(*self.names[name])


def open_zip(source: RawFile) -> _Zip:
    """Return a zip file as a container; `Unread` if it is a bomb or broken.

    Of files that have one name the last one keeps it, as where they are unpacked one after the
    other; those before it are numbered.
    """
    package = Package(source.data)
    places = [(name, -1) for name in package]
    places += [(name, at) for name in package for at in range(package.count(name) - 1)]
    if not places:
        raise Unread(FileStatus.NO_TEXT, "the archive holds no files")
    names = dict(zip(relative_names([name for name, _ in places]), places, strict=True))
    sizes = [Member(name=name, size=package.size(*place)) for name, place in names.items()]
    return _Zip(package, names, sizes)


@dataclass(frozen=True, slots=True)
class _Unpacked:
    """Members that had to be unpacked, or found, in one pass."""

    data: dict[str, bytes]
    members: Sequence[Member]

    @property
    def records(self) -> Sequence[Record]:
        return ()

    def read(self, name: str) -> bytes:
        return self.data[name]


def open_gzip(source: RawFile) -> _Unpacked:
    """Return a gzip file as a container of one file, named as without its last extension."""
    stem, dot, suffix = source.name.rpartition(".")
    name = stem if dot and suffix.lower() in ("gz", "gzip") else source.name
    if suffix.lower() == "tgz":
        name = f"{stem}.tar"
    return _unpacked([name], [_ungzipped(source.data)])


def _unpacked(raw: Sequence[str], data: Sequence[bytes]) -> _Unpacked:
    held = dict(zip(relative_names(raw), data, strict=True))
    sizes = [Member(name=name, size=len(data)) for name, data in held.items()]
    return _Unpacked(held, sizes)


def _ungzipped(data: bytes) -> bytes:
    out = bytearray()
    try:
        while data:  # members of a gzip file follow one another
            unpacker = zlib.decompressobj(_GZIP_WINDOW)
            piece = unpacker.decompress(data, _BLOCK)
            while piece:
                out += piece
                if len(out) > _MOST_UNPACKED:
                    raise Unread(FileStatus.HOSTILE, f"unpacks to more than {_MOST_UNPACKED} bytes")
                piece = unpacker.decompress(unpacker.unconsumed_tail, _BLOCK)
            if not unpacker.eof:
                raise Unread(FileStatus.CORRUPT, "the gzip file ends too early")
            data = unpacker.unused_data.lstrip(b"\0")
    except zlib.error as wrong:
        raise Unread(FileStatus.CORRUPT, f"not a readable gzip file ({wrong})") from wrong
    return bytes(out)


def open_tar(source: RawFile) -> _Unpacked:
    """Return a tar file as a container of its regular files; links in it are not followed."""
    raw: list[str] = []
    data: list[bytes] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(source.data), mode="r:") as file:
            for each in file:
                if len(raw) >= MOST_MEMBERS:
                    raise Unread(FileStatus.HOSTILE, f"holds more than {MOST_MEMBERS} files")
                if not each.isreg() or each.issparse():
                    continue
                taken = file.extractfile(each)
                raw.append(each.name)
                data.append(b"" if taken is None else taken.read())
    except (tarfile.TarError, *UNPACK_FAULTS, ValueError) as wrong:
        raise Unread(FileStatus.CORRUPT, f"not a readable tar file ({wrong})") from wrong
    if not raw:
        raise Unread(FileStatus.NO_TEXT, "the archive holds no files")
    if sum(map(len, data)) > MOST_BYTES:
        raise Unread(FileStatus.HOSTILE, f"unpacks to more than {MOST_BYTES} bytes")
    return _unpacked(raw, data)
