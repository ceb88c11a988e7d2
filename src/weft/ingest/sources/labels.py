"""Labels: what is said of a file beside it, in `.weft/NAME.json` of its own folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path

from weft.domain.acl import checked
from weft.domain.document import Value
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.record import Record
from weft.platform.workspace import write_whole

FOLDER = ".weft"  # hidden, so that no walk enters it


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A file's title, address, metadata and readers; what is empty or None is not said."""

    title: str = ""
    uri: str = ""
    metadata: Mapping[str, Value] = field(default_factory=dict)
    acl: frozenset[str] | None = None

    @property
    def said(self) -> str:
        """Return all but the readers as one text: it belongs to the version of the content."""
        parts = [self.title, self.uri, sorted(self.metadata.items())]
        return json.dumps(parts, ensure_ascii=False)

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing is said."""
        return self.acl is None and not (self.title or self.uri or self.metadata)


def label_path(file: Path) -> Path:
    """Return where a file's label lies."""
    return file.parent / FOLDER / f"{file.name}.json"


class FolderLabels:
    """The labels of many files: a folder that has none is looked into once."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._has_any: dict[str, bool] = {}

    def of(self, place: str) -> Label | None:
        """Return a file's label as `read_label` does."""
        folder, separator, _ = place.rpartition(os.sep)
        folder = folder or separator or "."
        has_any = self._has_any.get(folder)
        if has_any is None:
            has_any = self._has_any[folder] = os.path.isdir(f"{folder}/{FOLDER}")
        return read_label(place) if has_any else None


def read_label(file: Path | str) -> Label | None:
    """Return a file's label, None without one; raises `BadInput` for one that cannot be read."""
    folder, name = os.path.split(file)
    name = f"{name}.json"
    try:
        with open(f"{folder or '.'}/{FOLDER}/{name}", encoding="utf-8") as opened:
            found = json.loads(opened.read())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise BadInput(f"The label '{name}' cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise BadInput(f"The label '{name}' is not a JSON object.")
    return _label(found)


def write_label(file: Path, label: Label) -> None:
    """Put a label in place of the former one; an empty one takes it away."""
    path = label_path(file)
    if label.is_empty:
        path.unlink(missing_ok=True)
        return
    value: dict[str, object] = {
        "title": label.title,
        "uri": label.uri,
        "metadata": dict(label.metadata),
    }
    if label.acl is not None:
        value["acl"] = sorted(label.acl)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(path, json.dumps(value, ensure_ascii=False).encode("utf-8"))


def labelled(record: Record, label: Label | None) -> Record:
    """Return a record as its file's label describes it; its own fragment keeps its own title."""
    if label is None:
        return record
    metadata = {**record.metadata, **label.metadata}
    if label.uri:
        metadata["uri"] = label.uri
    title = label.title if label.title and not record.fragment else record.title
    return replace(record, title=title, metadata=metadata)


def _label(found: Mapping[str, object]) -> Label:
    metadata, acl = found.get("metadata", {}), found.get("acl")
    if not isinstance(metadata, dict) or not (acl is None or isinstance(acl, list)):
        raise BadInput("A label's metadata is an object, and its acl a list.")
    plain = {
        str(key): value
        for key, value in metadata.items()
        if value is None or isinstance(value, str | int | float)
    }
    readers = None if acl is None else frozenset(checked(str(one)) for one in acl)
    return Label(
        title=str(found.get("title", "")),
        uri=str(found.get("uri", "")),
        metadata=plain,
        acl=readers,
    )
