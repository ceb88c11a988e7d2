"""What a parser hands over, and how it says that a file cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from weft.domain.errors import UnreadableFile
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import Record
from weft.ports.reader import Member

# What is said of a page beside others that have text.
NO_TEXT_LAYER = "no text layer, it may be a scanned image"


class Unread(UnreadableFile):
    """The file cannot be read, and this is how the ledger says so."""

    def __init__(self, status: FileStatus, reason: str) -> None:
        """Take the row's status and the reason in words."""
        super().__init__(reason, status=status)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFile:
    """A file to be parsed: its bytes, and its name as a person sees it.

    `columns` are the columns of its tables that mean another one, by their names; of one record
    `most_columns` named values are taken.
    """

    data: bytes
    name: str
    columns: Mapping[str, str] = field(default_factory=dict)
    most_columns: int = 1_000

    @property
    def suffix(self) -> str:
        """Return the name's extension in lower case, without the dot; empty if it has none."""
        stem, dot, suffix = self.name.rpartition(".")
        return suffix.lower() if dot and stem else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFile:
    """The records of a file and the names of those left out.

    `next_page` is where to go on when only a batch of pages was read, 0 when that was all.
    `members` are the files that it holds.
    """

    records: list[Record]
    skipped: list[str] = field(default_factory=list)
    next_page: int = 0
    members: list[Member] = field(default_factory=list)
