"""What is in each file, by its hash: a file that did not change since is not read again."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from weft.domain.ids import bytes_hash

_BLOCK = 1 << 20
# The most that the setting `max_file_mb` allows.
_LARGEST = 4096 * _BLOCK
# More files than this process remembers; about 300 bytes each.
_MOST = 200_000
# Within so many nanoseconds a second change may leave the times of the first.
_TICK_NS = 2_000_000_000
# Where "changed" is the time of making, what was put in another's place may look like it.
_KNOWS_CHANGES = os.name == "posix"

FileState: TypeAlias = tuple[int, int, int, int, int]


class ContentHashes:
    """The hashes of files read by this process, kept as long as nothing about a file changed.

    What a file is known by is its place on the disk, its size, and when its content and its
    description changed last: of these the last cannot be set by anybody. Nothing is kept on disk.
    What the system remembers of a disk of the network may be seconds old: a change is seen then.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._known: dict[str, tuple[FileState, str]] = {}

    def of(self, path: str, state: FileState | None = None) -> str:
        """Return the hash of a file's bytes; of its error where it cannot be read.

        `state` is what it was known by a moment ago, where somebody has just looked at it.
        """
        known = self._known.get(path)
        if known is not None and known[0] == state:
            return known[1]
        before = _state(path)
        if known is not None and known[0] == before:
            return known[1]
        found = content_hash(path)
        if before is not None and before == _state(path) and _is_settled(before):
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[path] = before, found
        else:
            self._known.pop(path, None)
        return found


def content_hash(path: str | Path) -> str:
    """Return the hash of a file's bytes; of its error where it cannot be read.

    A file that is larger than any that is read is known by its size alone.
    """
    try:
        # What has become a pipe since it was found is not waited for.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            found = os.fstat(handle)
            # A folder may be opened, but what is read of it is the error.
            if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
                return "unreadable: not a regular file"
            if found.st_size > _LARGEST:
                return f"{found.st_size} bytes"
            return bytes_hash(_blocks(handle))
        finally:
            os.close(handle)
    except OSError as error:
        return f"cannot be opened: {error.strerror}"


def _blocks(handle: int) -> Iterator[bytes]:
    return iter(lambda: os.read(handle, _BLOCK), b"")


def _state(path: str) -> FileState | None:
    try:
        return state_of(os.stat(path))
    except OSError:
        return None


def state_of(seen: os.stat_result) -> FileState | None:
    """Return what a regular file is known by, None where that says nothing of its content."""
    if not _KNOWS_CHANGES or not stat.S_ISREG(seen.st_mode):
        return None
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def _is_settled(state: FileState) -> bool:
    """Tell whether any later change will show in the times."""
    return max(state[3], state[4]) < time.time_ns() - _TICK_NS
