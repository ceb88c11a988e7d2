"""Files turned into records of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file within a file: its path there, unlike any other's, and its size in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """What came of a file: its records if `status` is `read`, else why not.

    `skipped` names each record that could not be read, with its reason. `members` are the files
    that it holds, of an archive or a mail; they are read one by one. `pages` is how many pages a
    PDF has that holds no text. What is `in_use` may be read in a while.
    """

    status: FileStatus
    reason: str = ""
    records: tuple[Record, ...] = ()
    skipped: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    pages: int = 0
    in_use: bool = False


class Reader(Protocol):
    """Reads one file at a time; a hostile or broken file is an outcome, never an exception."""

    @property
    def version(self) -> str:
        """Return the version of the parsers: another version may read a file differently."""
        ...

    async def read(
        self,
        path: Path,
        inside: Sequence[str] = (),
        *,
        columns: Mapping[str, str] | None = None,
    ) -> FileReading:
        """Return the records of the file at `path`.

        `inside` leads to a member of it, to a member of that one, and so on. `columns` are the
        columns of its tables that mean another one, or a relation, by their names.
        """
        ...

    async def close(self) -> None:
        """End the processes this reader started."""
        ...
