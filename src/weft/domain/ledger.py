"""The ledger: every file and every chunk has an outcome, and nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from weft.domain.frozen import dataclass
from weft.domain.ids import digest, is_bytes_hash


class FileStatus(StrEnum):
    """How reading a file ended."""

    READ = "read"
    UNSUPPORTED = "unsupported"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    HOSTILE = "hostile"
    NO_TEXT = "no_text"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"


# What to do about a file that gave no text.
_ADVICE: Mapping[FileStatus, str] = {
    FileStatus.UNSUPPORTED: "convert it to a kind that is read: PDF, HTML, text",
    FileStatus.ENCRYPTED: "take its password off, then read the folder again",
    FileStatus.CORRUPT: "open it in the program that made it and save it again",
    FileStatus.HOSTILE: "look at it before you trust it: it broke a limit of time, memory or size",
    FileStatus.NO_TEXT: "nothing, if it is meant to be empty; else write its text and save it",
    FileStatus.TOO_LARGE: "split it, or raise WEFT_MAX_FILE_MB",
    FileStatus.UNREADABLE: "give yourself the right to open it (chmod u+r)",
}
_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
_SCANNED = (*_PICTURES, ".pdf")
_SCAN = "if it is a scan, set WEFT_OCR=on (weft doctor says what that needs); else it is empty"
_PICTURE = (
    "set WEFT_OCR=on, which reads what is written on pictures (weft doctor says what it needs)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSource:
    """A file or folder that documents come from: its unique name, and who may read what has no
    ACL of its own.
    """

    name: str
    root: str
    acl: frozenset[str]


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return a name for a source: the wanted one, or the next free one like it."""
    numbered = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
    return next(name for name in (wanted, *numbered) if name not in taken)


def file_version(content: str, recipe: str) -> str:
    """Return a file's version: the hash of its bytes, then that of all that reads and derives.

    Where `content` is no hash but says why there is none, all of it is in one.
    """
    return f"{content}-{recipe}" if is_bytes_hash(content) else digest(content, recipe)


def content_of(version: str) -> str:
    """Return the hash of a file's bytes out of its version; empty if they were not read."""
    return version.partition("-")[0] if "-" in version else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One file of one source: `version` is that of its bytes, its label and the tools.

    `documents` and `characters` count what came of it; `skipped` counts its records that could not
    be read, each named in `reason`.
    """

    source: str
    path: str
    status: FileStatus
    version: str
    acl: frozenset[str]
    reason: str = ""
    documents: int = 0
    chunks: int = 0
    characters: int = 0
    skipped: int = 0

    @property
    def content(self) -> str:
        """Return the hash of the bytes that were read, of a file within a file the outermost's.

        Empty where nothing was read, so that there is nothing to show.
        """
        return content_of(self.version) if self.status is FileStatus.READ else ""

    @property
    def advice(self) -> str:
        """Return what to do about a file that gave no text; nothing about one that did."""
        name = self.path.casefold()
        if self.status is FileStatus.UNSUPPORTED and name.endswith(_PICTURES):
            return _PICTURE
        if self.status is FileStatus.NO_TEXT and name.endswith(_SCANNED):
            return _SCAN
        return _ADVICE.get(self.status, "")
