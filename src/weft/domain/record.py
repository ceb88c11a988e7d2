"""What a source yields: records of text with their structure, not yet split."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from weft.domain.document import Value
from weft.domain.frozen import dataclass

# Between the names of headings, in the section of a chunk.
SECTION_SIGN = " > "

_IMAGE_OR_TAG = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])|<[^<>]{1,300}>")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKS = re.compile(
    r"^#{1,6}\s+|^\.\.\s+[a-z][\w.+:-]*::\s+|\s+#+\s*$|(?<!\w):[a-z][\w.+:-]*:(?=`)|[*`]+"
)
_UNDERLINE = re.compile(r"[^\w\s]{3,}\s*")


class BlockKind(StrEnum):
    """What a stretch of text is in its document's structure."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    CODE = "code"
    ROW = "row"
    FIELD = "field"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a record's text with its place; `level` is a heading's own depth.

    Any other block stands below no heading that is as deep as its `level`, where that is not 0.
    """

    start: int
    end: int
    kind: BlockKind
    level: int = 0
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One document as its source gives it: `blocks` cover `content` in order and do not overlap.

    `fragment` tells a record from others of the same file (a row's id or number), empty where the
    file is one document. `base` resolves relative links.
    """

    content: str
    title: str
    fragment: str = ""
    category: str = ""
    blocks: tuple[Block, ...] = ()
    metadata: Mapping[str, Value] = field(default_factory=dict)
    acl: frozenset[str] | None = None
    created: datetime | None = None
    updated: datetime | None = None
    links: tuple[str, ...] = ()


def heading_name(text: str) -> str:
    """Return what a heading says, at most 120 characters: no marks, links, images or underline."""
    lines = [
        line for line in text.strip()[:2000].splitlines() if not _UNDERLINE.fullmatch(line.strip())
    ]
    said = _LINK.sub(r"\1", _IMAGE_OR_TAG.sub("", " ".join(line.strip() for line in lines)))
    return " ".join(_MARKS.sub("", said.strip()).split())[:120].rstrip()
