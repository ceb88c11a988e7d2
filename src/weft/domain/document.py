"""Documents and their chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from weft.domain.acl import AclClass
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId, digest

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What is known of one document, without its text.

    `source` is the unique name given when the source was added, `type` a lower-case word (`file`,
    `record`, `jira` ...). `version` changes with the bytes, the ACL, the metadata and the versions
    of the tools that read it; times are the source's own, aware UTC.
    """

    id: DocumentId
    source: str
    type: str
    title: str
    uri: str
    version: str
    acl: frozenset[str]
    metadata: Mapping[str, Value] = field(default_factory=dict)
    created: datetime | None = None
    updated: datetime | None = None


def document_version(content: str, acl: AclClass) -> str:
    """Return a document's version: what it was made from, then who may read it."""
    return f"{content}-{acl.number:016x}"


def content_version(version: str) -> str:
    """Return the part of a document's version that its ACL does not change."""
    return version.rpartition("-")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open range of characters."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A stretch of a document's text: `document_text[start:end] == text`, always.

    `sentences` are spans within the chunk's own text; `tokens` counts the title and the special
    tokens too, as the embedder sees them.
    """

    id: ChunkId
    document_id: DocumentId
    chunk_index: int
    text: str
    start: int
    end: int
    page: int | None = None
    section: str | None = None
    tokens: int = 0
    sentences: tuple[Span, ...] = ()


def chunk_id(document_id: DocumentId, text: str, *, chunk_index: int) -> ChunkId:
    """Return a chunk's id: the same content at the same place keeps it, whatever the ACL."""
    return ChunkId(digest(document_id, text, str(chunk_index)))


def file_name(uri: str) -> str:
    """Return the name of a file by its address, as people write it; empty where it has none."""
    return PurePosixPath(unquote(urlsplit(uri).path)).name
