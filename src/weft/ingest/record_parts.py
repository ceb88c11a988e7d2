"""The records and members of one file on their way into a base, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from weft.domain.acl import acl_class
from weft.domain.document import Document, content_version, document_version
from weft.domain.errors import WeftError
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.domain.ledger import FileEntry, FileStatus
from weft.domain.record import Record
from weft.ingest.pace import Piece
from weft.ingest.sources.document_ids import document_key
from weft.ingest.sources.members import Holding
from weft.ingest.sources.plan import FileNeed, FileTask, Source
from weft.ports.publishing import Fence

_APART = "; "


@dataclass(slots=True)
class MemberWalk:
    """The way through one file and the files within it: what was seen, and why it was too much."""

    fence: Fence
    holding: Holding = field(default_factory=Holding)
    seen: set[str] = field(default_factory=set)
    too_much: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPart:
    """One record of a file: its number, from 0, of how many, and the chunks of those before it."""

    task: FileTask
    number: int
    of: int
    before: int = 0

    def share(self, own: float) -> float:
        """Return how much of the file is done when so much of this record is."""
        return (self.number + own) / self.of

    def said_before(self, record: Record) -> list[str]:
        """Return what the ledger's row says of a record that is left as it is."""
        parts = self.task.former.reason.split(_APART) if self.task.former else []
        return [part for part in parts if record.fragment and part.startswith(naming(record))]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldDocument:
    """A document that the store holds now, and how many chunks it has."""

    document: DocumentId
    chunks: int


@dataclass(slots=True)
class FileTally:
    """What came of a file so far, and what of it was left out, lost, or tried more than once."""

    left_out: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    kept: set[DocumentId] = field(default_factory=set)
    chunks: int = 0
    characters: int = 0

    def add(self, held: HeldDocument, record: Record) -> None:
        """Count a record that the store holds."""
        self.kept.add(held.document)
        self.chunks += held.chunks
        self.characters += len(record.content)

    def in_row(self, row: FileEntry) -> FileEntry:
        """Return a file's row with these counts."""
        return replace(
            row,
            documents=len(self.kept),
            chunks=self.chunks,
            characters=self.characters,
            reason=reason_of(row.reason, [*self.lost, *self.left_out]),
        )


class NotReady(WeftError):
    """A document cannot be made ready."""


def naming(record: Record) -> str:
    """Return what a remark about a record begins with; nothing for a file's only one."""
    return f"record {record.fragment}: " if record.fragment else ""


def key_alike(record: Record, task: FileTask, *, source: Source) -> DocumentId | None:
    """Return which document of the file that is alike has the same record."""
    if not task.alike:
        return None
    return document_key(source, task.alike, fragment=record.fragment)


def entry_of(task: FileTask, status: FileStatus, *, reason: str, source: Source) -> FileEntry:
    """Return the ledger's row of a file that gave nothing yet."""
    return FileEntry(
        source=source.name,
        path=task.file.relative,
        status=status,
        version=task.version,
        acl=task.acl,
        reason=reason,
    )


def with_readers(key: DocumentId, held: str, *, task: FileTask, source: Source) -> Document:
    """Return a stored document, of the version `held`, as its file's readers make it now."""
    return Document(
        id=key,
        source=source.name,
        type="file",
        title="",
        uri="",
        version=document_version(content_version(held), acl_class(task.acl)),
        acl=task.acl,
    )


def pieces_of(tasks: Iterable[FileTask]) -> dict[str, Piece]:
    """Return the files that must be read, by path, as pieces of work."""
    wanted = (task.file for task in tasks if task.need is FileNeed.READING)
    return {file.relative: Piece(kind=file.suffix, size=float(file.size)) for file in wanted}


def reason_of(reason: str, left_out: Sequence[str]) -> str:
    """Return why a file gave nothing, and what of it was left out."""
    if not left_out:
        return reason
    shown = _APART.join(left_out[:20])
    more = len(left_out) - 20
    return f"{reason} {shown}{f' and {more} more' if more > 0 else ''}".strip()
