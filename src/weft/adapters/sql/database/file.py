"""Where the records are: a file, made where there is none, and how a connection to it is set up."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from weft.domain.errors import ConfigurationError, StoreUnavailable

# Tables that live as long as the process, for what is not to be stored.
MEMORY = "memory:"
BUSY_MS = 10_000
_SQLITE = "sqlite:///"
_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_MS}",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    # What is deleted is overwritten with zeros: a forgotten answer must not stay in the file.
    "PRAGMA secure_delete = ON",
)


def file_of(url: str) -> str | None:
    """Return the path that `sqlite:///PATH` names, None for any other address.

    The file is made, readable by its owner alone, where there is none. Raises
    `ConfigurationError` where no file is named, `StoreUnavailable` where it cannot be written.
    """
    if not url.startswith(_SQLITE):
        return None
    path = url.removeprefix(_SQLITE)
    if not path or path.startswith(":memory:"):
        raise ConfigurationError("Records need a file: sqlite:///PATH.")
    _make(Path(path))
    return path


def set_up(connection: sqlite3.Connection) -> None:
    """Make a new connection one of the records': transactions by hand, and how it waits."""
    connection.isolation_level = None  # the driver would begin too late, and never before a read
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _make(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Only a new file is opened here: to close one that is there would let go of every lock that
        # this process has on it, and another process could then remove the log under an open one.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        _check_writable(path)
    except OSError as error:
        raise StoreUnavailable(
            f"The records '{path}' cannot be opened: {error.strerror}.", path=str(path)
        ) from error


def _check_writable(path: Path) -> None:
    """Raise `OSError` saying why a file cannot be written, without opening it."""
    if os.access(path, os.W_OK):
        return
    is_frozen = hasattr(os, "statvfs") and os.statvfs(path).f_flag & os.ST_RDONLY
    kind = errno.EROFS if is_frozen else errno.EACCES
    raise OSError(kind, os.strerror(kind))
