"""Office Open XML packages: which part is the document, how parts point at each other."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import unquote

from weft.adapters.reader.dates import instant
from weft.adapters.reader.draft import sane_title
from weft.adapters.reader.packed.markup import local, tree, within
from weft.adapters.reader.packed.package import Package
from weft.adapters.reader.parsed import Unread
from weft.domain.document import Value
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus

CONTENT_TYPES = "[Content_Types].xml"
_FACTS = {"creator": "author", "subject": "subject", "keywords": "keywords"}
_LONGEST_FACT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPointer:
    """A pointer of one part: the last word of its type, and the part or address it leads to."""

    kind: str
    target: str
    external: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeFacts:
    """What a document says of itself."""

    title: str = ""
    metadata: dict[str, Value]
    created: datetime | None = None
    updated: datetime | None = None


def main_part(package: Package) -> str:
    """Return the name of the part that is the document."""
    for relation in relations(package, "").values():
        if relation.kind == "officeDocument" and not relation.external:
            return relation.target
    raise Unread(FileStatus.CORRUPT, "the Office file does not say where its document is")


def main_type(package: Package) -> str:
    """Return the content type of the document's part, empty if the package names none."""
    part = main_part(package)
    types = tree(package.read(CONTENT_TYPES), CONTENT_TYPES)
    by_ending = ""
    for element in types:
        said = str(element.get("ContentType", ""))
        if element.get("PartName", "").lstrip("/").casefold() == part.casefold():
            return said
        ending = element.get("Extension", "")
        if ending and part.casefold().endswith(f".{ending.casefold()}"):
            by_ending = said
    return by_ending


def relations(package: Package, part: str) -> dict[str, PartPointer]:
    """Return where a part points, by the ids it uses; the package itself is the part ''."""
    folder, _, name = part.rpartition("/")
    place = posixpath.join(folder, "_rels", f"{name}.rels")
    if place not in package:
        return {}
    return dict(_relations(package, place, folder=folder))


def _relations(package: Package, place: str, *, folder: str) -> Iterator[tuple[str, PartPointer]]:
    for element in within(tree(package.read(place), place), "Relationship"):
        target, external = element.get("Target", ""), element.get("TargetMode") == "External"
        if not external:
            target = unquote(target)
            inside = target[1:] if target.startswith("/") else posixpath.join(folder, target)
            target = posixpath.normpath(inside)
        kind = element.get("Type", "").rpartition("/")[2]
        yield element.get("Id", ""), PartPointer(kind=kind, target=target, external=external)


def related(package: Package, part: str, *, kind: str) -> list[str]:
    """Return the parts that are there and that a part points at by a type, in the file's order."""
    return [
        relation.target
        for relation in relations(package, part).values()
        if relation.kind == kind and not relation.external and relation.target in package
    ]


def links(package: Package, part: str) -> tuple[str, ...]:
    """Return the addresses outside the package that a part's links lead to, each once."""
    targets = (
        relation.target
        for relation in relations(package, part).values()
        if relation.kind == "hyperlink" and relation.external
    )
    return tuple(dict.fromkeys(target for target in targets if not target.startswith("mailto:")))


def facts(package: Package) -> OfficeFacts:
    """Return what the document says of itself; a broken part says nothing."""
    said: dict[str, str] = {}
    for part in related(package, "", kind="core-properties"):
        try:
            root = tree(package.read(part), part)
        except Unread:
            continue
        said |= {local(each): " ".join("".join(each.itertext()).split()) for each in root}
    metadata: dict[str, Value] = {
        ours: said[theirs][:_LONGEST_FACT] for theirs, ours in _FACTS.items() if said.get(theirs)
    }
    return OfficeFacts(
        title=sane_title(said.get("title", "")),
        metadata=metadata,
        created=instant(said.get("created")),
        updated=instant(said.get("modified")),
    )
