"""The inbox of a knowledge base: what is handed over, kept as files like those of any folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path, PurePosixPath

from weft.domain.document import Value
from weft.domain.errors import BadInput, NotFound
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.domain.scope import Scope
from weft.ingest.sources.folder import COLUMNS_FILE, is_acl_file
from weft.ingest.sources.labels import Label, label_path, read_label, write_label
from weft.language.patterns import pattern
from weft.platform.workspace import is_within_own, write_whole

RECORDS = "_records"
# How the address of what was handed over begins: its name follows, not where it is kept.
INBOX = "inbox:"
_OWN = frozenset(
    "acl category content created created_at document id links name references text title updated"
    " updated_at uri".split()
)
_LONGEST_PART, _DEEPEST = 120, 16
_UNSAFE = pattern(r"[\x00-\x1f\x7f\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedRecord:
    """A record as a program hands it over; without `acl` it is for the base's default readers."""

    id: str
    content: str
    title: str = ""
    uri: str = ""
    metadata: Mapping[str, Value] = field(default_factory=dict)
    acl: frozenset[str] | None = None
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """The files handed over to one knowledge base; because they are files, it can be made anew."""

    path: Path

    def place(self, name: str) -> Path:
        """Return where a file of that relative name goes.

        Raises `BadInput` for a name that leads out, is hidden, too long, or means something here.
        """
        parts = PurePosixPath(name).parts
        reason = _refused(name, parts)
        if reason:
            raise BadInput(f"'{name[:200]}' cannot be taken in: {reason}.", name=name[:200])
        return self.path.joinpath(*parts)

    def has_room_for(self, name: str) -> bool:
        """Tell whether a file of that relative name can lie here: no folder, and below no file."""
        place = self.place(name)
        above = (self.path / parent for parent in PurePosixPath(name).parents)
        return not place.is_dir() and not any(each.is_file() for each in above)

    def take(self, name: str, *, draft: Path, label: Label) -> str:
        """Move a complete file in under a name, with its label; return its relative path."""
        target = self.place(name)
        if not self.has_room_for(name):
            raise BadInput(f"'{name}' is the name of a folder here.", name=name)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_label(target, label)
        draft.replace(target)
        return target.relative_to(self.path).as_posix()

    def put(self, record: HandedRecord) -> str:
        """Write a record in place of the former one of its id; return its relative path."""
        refuse_reserved(record)
        value: dict[str, object] = {
            **record.metadata,
            "id": record.id,
            "title": record.title or record.id,
            "content": record.content,
        }
        if record.uri:
            value["uri"] = record.uri
        if record.category:
            value["category"] = record.category
        if record.acl is not None:
            value["acl"] = sorted(record.acl)
        folder = self.path / RECORDS
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / record_file(record.id)
        write_whole(path, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        return path.relative_to(self.path).as_posix()

    def change(
        self,
        relative: str,
        *,
        acl: frozenset[str] | None,
        metadata: Mapping[str, Value] | None,
        title: str | None,
    ) -> None:
        """Change what is said of a file or record that is here; None leaves a part as it is."""
        path = self._held(relative)
        if relative.startswith(f"{RECORDS}/"):
            record = _read(path)
            self.put(
                replace(
                    record,
                    acl=record.acl if acl is None else acl,
                    metadata=record.metadata if metadata is None else metadata,
                    title=record.title if title is None else title,
                )
            )
            return
        label = read_label(path) or Label()
        write_label(
            path,
            replace(
                label,
                acl=label.acl if acl is None else acl,
                metadata=label.metadata if metadata is None else metadata,
                title=label.title if title is None else title,
            ),
        )

    def remove(self, relative: str) -> None:
        """Remove a file with its label, or raise `NotFound`."""
        path = self._held(relative)
        path.unlink()
        label_path(path).unlink(missing_ok=True)
        with suppress(OSError):  # the first that is not empty
            label_path(path).parent.rmdir()
            for folder in path.relative_to(self.path).parents[:-1]:
                (self.path / folder).rmdir()

    def is_readable(self, relative: str, principals: frozenset[str]) -> bool:
        """Tell whether a file or record may be replaced: it is not there, or for one of these."""
        acl = self.readers(relative)
        return acl is None or not acl.isdisjoint(principals)

    def readers(self, relative: str) -> frozenset[str] | None:
        """Return whom a file or record names as its readers; None if none, or it is not there."""
        path = self.path / relative
        if not path.is_file():
            return None
        if relative.startswith(f"{RECORDS}/"):
            return _read(path).acl
        label = read_label(path)
        return None if label is None else label.acl

    def _held(self, relative: str) -> Path:
        path = self.path / relative
        if not path.is_file() or not path.resolve().is_relative_to(self.path.resolve()):
            raise NotFound("There is no such document.")
        return path


def inboxes_of(home: Path) -> Path:
    """Return the folder of a workspace below which all inboxes are."""
    return home / "inbox"


def inbox_of(home: Path, scope: Scope, base: str) -> Inbox:
    """Return the inbox of a knowledge base in a workspace."""
    tenant = digest(scope.tenant)[:12]
    return Inbox(path=inboxes_of(home) / tenant / base / "inbox")


def texts_of(home: Path, base: str) -> Path:
    """Return the folder of the texts that a program handed over to a knowledge base."""
    return home / "texts" / base


def refuse_own(root: Path, *, home: Path, scope: Scope, base: str) -> None:
    """Raise `BadInput` for what is Weft's own in its workspace, but for what this base was handed.

    `root` and `home` are real paths. There are keys, and the documents of all.
    """
    handed = (inbox_of(home, scope, base).path, texts_of(home, base))
    if root not in handed and is_within_own(root, home):
        raise BadInput(f"'{root}' is Weft's own, and not read.", path=str(root))


def refuse_reserved(record: HandedRecord) -> None:
    """Raise `BadInput` for metadata that would say again what a record has a place for."""
    reserved = sorted({key for key in record.metadata if key.strip().casefold() in _OWN})
    if reserved:
        raise BadInput(f"metadata: '{reserved[0]}' has a meaning of its own here.")


def record_file(key: str) -> str:
    """Return the file name of a record's id: readable, and another for every other id."""
    return (
        f"{re.sub(r'[^A-Za-z0-9]+', '-', key)[:60].strip('-') or 'record'}-{digest(key)[:8]}.json"
    )


def _refused(name: str, parts: tuple[str, ...]) -> str:
    if not parts or name.startswith("/") or ".." in parts or _UNSAFE.search(name):
        return "it must be a relative path without '..', backslash or control character"
    if any(part.startswith(".") for part in parts):
        return "it is hidden"
    if len(parts) > _DEEPEST or any(len(part.encode()) > _LONGEST_PART for part in parts):
        return f"at most {_DEEPEST} folders and {_LONGEST_PART} bytes a part"
    if is_acl_file(parts[-1]) or parts[-1] == COLUMNS_FILE:
        return "it rules over a folder of this machine; leave it out and name the readers instead"
    if parts[0] == RECORDS or set(parts) & {"__pycache__", "node_modules"}:
        return "that name has a meaning of its own here"
    return ""


def _read(path: Path) -> HandedRecord:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotFound("There is no such document.") from error
    acl = value.pop("acl", None)
    return HandedRecord(
        id=value.pop("id"),
        content=value.pop("content"),
        title=value.pop("title"),
        uri=value.pop("uri", ""),
        category=value.pop("category", ""),
        acl=None if acl is None else frozenset(acl),
        metadata=value,
    )
