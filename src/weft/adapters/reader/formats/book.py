"""Books (epub): the chapters in the order of reading, a chapter a page."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from weft.adapters.reader.dates import instant
from weft.adapters.reader.draft import TextDraft, sane_title
from weft.adapters.reader.formats.webpage import page_text
from weft.adapters.reader.packed.markup import attribute, child, local, tree, within
from weft.adapters.reader.packed.package import Package
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.ledger import FileStatus
from weft.domain.record import Record

_CONTAINER = "META-INF/container.xml"
_RIGHTS = "META-INF/encryption.xml"
# Fonts may be scrambled in a book whose text is open.
_FONTS = (".otf", ".ttf", ".woff", ".woff2")
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read_book(source: RawFile) -> ParsedFile:
    """Return a book as one record; a chapter that cannot be read is named."""
    package = Package(source.data)
    _refuse_protected(package)
    place = _place(package)
    book = tree(package.read(place), place)
    draft, skipped = TextDraft(), list[str]()
    parts = list(_chapters(book, posixpath.dirname(place)))
    for number, part in enumerate(parts, 1):
        try:
            chapter = page_text(RawFile(data=package.read(part), name=part))
        except Unread as wrong:
            if wrong.status is FileStatus.HOSTILE:
                raise
            if wrong.status is not FileStatus.NO_TEXT:
                skipped.append(f"chapter {number}: {wrong.message}")
            continue
        for block in chapter.found:
            words = chapter.content[block.start : block.end]
            draft.add(words, block.kind, level=block.level, page=number)
    said = {local(each): " ".join("".join(each.itertext()).split()) for each in _facts(book)}
    record = Record(
        content=draft.content,
        title=draft.title(sane_title(said.get("title", "")), source.name),
        blocks=tuple(draft.found),
        metadata={"author": said["creator"][:300]} if said.get("creator") else {},
        created=instant(said.get("date")),
    )
    return ParsedFile(records=[record], skipped=skipped)


def _refuse_protected(package: Package) -> None:
    if _RIGHTS not in package:
        return
    targets = within(tree(package.read(_RIGHTS), _RIGHTS), "CipherReference")
    if any(not attribute(each, "URI").casefold().endswith(_FONTS) for each in targets):
        raise Unread(FileStatus.ENCRYPTED, "the book is protected; use a copy without protection")


def _place(package: Package) -> str:
    for element in within(tree(package.read(_CONTAINER), _CONTAINER), "rootfile"):
        return unquote(attribute(element, "full-path"))
    raise Unread(FileStatus.CORRUPT, "the book does not say where its contents are")


def _chapters(book: etree._Element, folder: str) -> Iterator[str]:
    listed = {attribute(each, "id"): each for each in within(child(book, "manifest"), "item")}
    seen: set[str] = set()
    for each in within(child(book, "spine"), "itemref"):
        item = listed.get(attribute(each, "idref"))
        if item is None or attribute(item, "media-type") not in _PAGES:
            continue
        if "nav" in attribute(item, "properties").split():
            continue
        part = posixpath.normpath(posixpath.join(folder, unquote(attribute(item, "href"))))
        if part not in seen:
            seen.add(part)
            yield part


def _facts(book: etree._Element) -> Iterator[etree._Element]:
    """Yield what the book says of itself, the first of each name last."""
    found = child(book, "metadata")
    yield from reversed(list(found) if found is not None else [])
