"""Pictures of pages turned into text."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureText:
    """The text of each page, empty where none was found; `skipped` names pages that failed."""

    pages: tuple[str, ...]
    skipped: tuple[str, ...] = ()


class Ocr(Protocol):
    """Reads what is written on pictures, one file at a time."""

    @property
    def name(self) -> str:
        """Return in words what reads, and in which languages."""
        ...

    @property
    def version(self) -> str:
        """Return what a reading depends on: another version may read differently."""
        ...

    @property
    def missing(self) -> str:
        """Return what is not installed and how to mend it; empty where all is there."""
        ...

    async def read(self, path: Path, *, pages: int) -> PictureText:
        """Return the text of a PDF's pages, or with `pages` 0 of a picture."""
        ...
