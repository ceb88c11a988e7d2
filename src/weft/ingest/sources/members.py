"""Files within files, of archives and mails: each has a path of its own in the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from weft.domain.frozen import dataclass
from weft.ingest.sources.folder import IGNORED, FoundFile
from weft.ingest.sources.path_patterns import Patterns
from weft.ports.reader import Member

MOST_MEMBERS = 10_000
MOST_BYTES = 2 * 2**30
# What the programs that pack leave beside the files.
_LEFT_BESIDE = ("__MACOSX/", "Thumbs.db", "desktop.ini")


@dataclass(slots=True)
class Holding:
    """How much one file has been found to hold so far, nested ones included."""

    members: int = 0
    size: int = 0

    def add(self, found: Iterable[Member]) -> str:
        """Count what was found; return why it is too much, empty if it is not."""
        for member in found:
            self.members += 1
            self.size += member.size
        if self.members > MOST_MEMBERS:
            return f"holds more than {MOST_MEMBERS} files, nested ones included"
        if self.size > MOST_BYTES:
            return f"unpacks to more than {MOST_BYTES} bytes, nested ones included"
        return ""


def member_file(file: FoundFile, member: Member) -> FoundFile:
    """Return a member as a file of the source: its path goes on where its container's ends."""
    parts = member.name.split("/")
    folders = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
    pattern = next(filter(None, (_ignored().match(each, folder=True) for each in folders)), "")
    pattern = pattern or _ignored().match(member.name, folder=False) or ""
    return replace(
        file,
        relative=f"{file.relative}/{member.name}",
        within=f"{file.within}/{member.name}".removeprefix("/"),
        size=member.size,
        skipped=f"ignored by pattern {pattern}" if pattern else "",
    )


@cache
def _ignored() -> Patterns:
    return Patterns((*IGNORED, *_LEFT_BESIDE))


def holder(path: str, files: Mapping[str, object] | frozenset[str]) -> str:
    """Return the file, of those given, within which a path lies; empty if it lies in none."""
    at = path.rfind("/")
    while at > 0:
        if path[:at] in files:
            return path[:at]
        at = path.rfind("/", 0, at)
    return ""


def by_holder(paths: Iterable[str], files: frozenset[str]) -> dict[str, Sequence[str]]:
    """Return the paths that lie within files, by the file."""
    found: dict[str, list[str]] = {}
    for path in paths:
        if held := holder(path, files):
            found.setdefault(held, []).append(path)
    return {file: sorted(within) for file, within in found.items()}
