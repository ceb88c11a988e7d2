"""Files that hold files: archives and mails, each member unpacked when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weft.adapters.reader.parsed import RawFile, Unread
from weft.domain.ledger import FileStatus
from weft.domain.record import Record
from weft.ports.reader import Member

DEEPEST = 5
_LONGEST_NAME = 200


class Container(Protocol):
    """An opened file that holds others: its own records, and its members by their names."""

    @property
    def records(self) -> Sequence[Record]:
        """Return what the file itself says; an archive says nothing."""
        ...

    @property
    def members(self) -> Sequence[Member]:
        """Return the files in it, each under a relative path of its own."""
        ...

    def read(self, name: str) -> bytes:
        """Return a member's bytes, or raise `Unread`."""
        ...


def taken_out(container: Container, name: str, *, most_bytes: int) -> RawFile:
    """Return a member as a file of its own; `Unread` where there is none or it is too large."""
    size = next((each.size for each in container.members if each.name == name), None)
    if size is None:
        raise Unread(FileStatus.CORRUPT, f"there is no '{name[:_LONGEST_NAME]}' in it")
    if size > most_bytes:
        raise Unread(FileStatus.TOO_LARGE, f"larger than {most_bytes} bytes")
    data = container.read(name)
    if not data:
        raise Unread(FileStatus.NO_TEXT, "the file is empty")
    return RawFile(data=data, name=name.rpartition("/")[2])


def relative_names(said: Sequence[str]) -> list[str]:
    """Return names as relative paths, each once: none leads out, none holds a control character."""
    found: dict[str, None] = {}
    for raw in said:
        name = _relative(raw)
        stem, dot, ending = name.rpartition(".")
        number, given = 1, name
        while given in found:
            number += 1
            given = f"{stem} ({number}).{ending}" if dot and stem else f"{name} ({number})"
        found[given] = None
    return list(found)


def _relative(raw: str) -> str:
    parts = raw.replace("\\", "/").split("/")
    plain = ("".join(c if c.isprintable() else "_" for c in part).strip() for part in parts)
    kept = [part[:_LONGEST_NAME] for part in plain if part not in ("", ".", "..")]
    return "/".join(kept) or "unnamed"
