"""What a parser process says, checked: after a hostile file nothing it sends is trusted."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from weft.domain.acl import checked
from weft.domain.document import Value
from weft.domain.ledger import FileStatus
from weft.domain.record import Block, BlockKind, Record

_Plain = Annotated[str, Field(strict=True)]
_BlockRow = tuple[NonNegativeInt, NonNegativeInt, BlockKind, NonNegativeInt, NonNegativeInt | None]


class RecordMessage(BaseModel):
    """One record as it comes over the pipe."""

    model_config = ConfigDict(extra="forbid")

    content: _Plain
    title: Annotated[str, Field(max_length=1_000)]
    fragment: Annotated[str, Field(max_length=1_000)]
    category: str
    blocks: list[_BlockRow]
    metadata: dict[str, Value]
    acl: list[str] | None
    created: AwareDatetime | None
    updated: AwareDatetime | None
    links: list[str]

    @model_validator(mode="after")
    def _in_order(self) -> RecordMessage:
        at = 0
        for start, end, *_ in self.blocks:
            if not at <= start < end <= len(self.content):
                raise ValueError(f"a block at {start} to {end} is out of place")
            at = end
        for principal in self.acl or ():
            checked(principal)
        return self

    def record(self) -> Record:
        """Return the record that this is."""
        return Record(
            content=self.content,
            title=self.title,
            fragment=self.fragment,
            category=self.category,
            blocks=tuple(
                Block(start=start, end=end, kind=kind, level=level, page=page)
                for start, end, kind, level, page in self.blocks
            ),
            metadata=self.metadata,
            acl=None if self.acl is None else frozenset(self.acl),
            created=self.created.astimezone(UTC) if self.created else None,
            updated=self.updated.astimezone(UTC) if self.updated else None,
            links=tuple(self.links),
        )


class ReaderMessage(BaseModel):
    """Records, or with a `status` the last message about a file.

    The very first says `ready`, and what the process could do although it should not.
    """

    model_config = ConfigDict(extra="forbid")

    ready: bool = False
    breaches: list[_Plain] = []
    records: list[RecordMessage] = []
    status: FileStatus | None = None
    reason: Annotated[str, Field(max_length=1_000)] = ""
    skipped: list[str] = []
    next_page: NonNegativeInt = 0
    members: list[tuple[_Plain, NonNegativeInt]] = []


def joined(first: Record, second: Record) -> Record:
    """Return two batches of one document's pages as one record."""
    if not second.content or not first.content:
        return first if first.content else second
    shift = len(first.content) + 2
    moved = (replace(b, start=b.start + shift, end=b.end + shift) for b in second.blocks)
    content = f"{first.content}\n\n{second.content}"
    return replace(first, content=content, blocks=(*first.blocks, *moved))
