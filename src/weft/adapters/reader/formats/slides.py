"""Slides (pptx, pptm): a page a slide, with its title, items, tables, notes and comments."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from weft.adapters.reader.draft import Aside, TextDraft
from weft.adapters.reader.packed import opc
from weft.adapters.reader.packed.markup import attribute, child, local, tree, within
from weft.adapters.reader.packed.package import Package
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record
from weft.language.layout import with_names

_TITLES = frozenset({"title", "ctrTitle"})
# Of a master's making, the same on every slide.
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})


def read_slides(source: RawFile) -> ParsedFile:
    """Return the slides as one record; a slide's number is its page, hidden ones included."""
    package = Package(source.data)
    part = opc.main_part(package)
    pointers = opc.relations(package, part)
    draft, skipped = TextDraft(), list[str]()
    deck = tree(package.read(part), part)
    authors = _authors(package, part)
    slides = [pointer_of(each) for each in within(deck, "sldId")]
    for page, key in enumerate(slides, 1):
        place = pointers[key].target if key in pointers else ""
        try:
            _slide(package, place, draft=draft, page=page)
            _beside(package, place, draft=draft, page=page, authors=authors)
        except Unread as wrong:
            if wrong.status is not FileStatus.CORRUPT:
                raise
            skipped.append(f"slide {page}: {wrong.message}")
    said = opc.facts(package)
    record = Record(
        content=draft.content,
        title=draft.title(said.title, source.name),
        blocks=tuple(draft.found),
        metadata={**said.metadata, "pages": len(slides)},
        created=said.created,
        updated=said.updated,
    )
    return ParsedFile(records=[record], skipped=skipped)


def pointer_of(element: etree._Element) -> str:
    """Return the id of the pointer that an element names, not its own id."""
    return next((value for key, value in element.items() if key.endswith("}id")), "")


def _slide(package: Package, part: str, *, draft: TextDraft, page: int) -> None:
    shapes = child(tree(package.read(part), part), "cSld", "spTree")
    if shapes is None:
        return
    found = list(_shapes(shapes))
    # The title is read first wherever it stands among the shapes.
    for shape in sorted(found, key=lambda each: _place(each) not in _TITLES):
        if _place(shape) in _FURNITURE:
            continue
        if _place(shape) in _TITLES:
            draft.add(_plain(shape), BlockKind.HEADING, level=1, page=page)
        else:
            _body(shape, draft=draft, page=page)
    for place in opc.related(package, part, kind="diagramData"):
        for point in within(tree(package.read(place), place), "pt"):
            draft.add(_plain(point), BlockKind.ITEM, page=page)


def _shapes(parent: etree._Element) -> Iterator[etree._Element]:
    for each in parent:
        name = local(each)
        if name in ("sp", "graphicFrame"):
            yield each
        elif name in ("grpSp", "AlternateContent", "Choice", "cxnSp"):
            yield from _shapes(each)


def _place(shape: etree._Element) -> str:
    """Return which placeholder a shape fills; empty for none."""
    found = next(within(child(shape, "nvSpPr"), "ph"), None)
    return "" if found is None else found.get("type", "body")


def _body(shape: etree._Element, *, draft: TextDraft, page: int) -> None:
    tables = list(within(shape, "tbl"))
    for table in tables:
        rows = [
            [" ".join(map(_words, within(cell, "p"))) for cell in row if local(cell) == "tc"]
            for row in within(table, "tr")
        ]
        for cells in with_names(rows):
            draft.row(cells, page=page)
    if tables:
        return
    is_list = _place(shape) in ("body", "obj")
    said = [each for each in within(shape, "p") if _words(each).strip()]
    for paragraph in said:
        item = _is_item(paragraph, otherwise=is_list and len(said) > 1)
        kind = BlockKind.ITEM if item else BlockKind.PARAGRAPH
        draft.add(" ".join(_words(paragraph).split()), kind, page=page)


def _is_item(paragraph: etree._Element, *, otherwise: bool) -> bool:
    own = child(paragraph, "pPr")
    if child(own, "buNone") is not None:
        return False
    marked = any(child(own, name) is not None for name in ("buChar", "buAutoNum", "buBlip"))
    return marked or otherwise


def _words(element: etree._Element) -> str:
    found = within(element, "t", "br", "tab")
    return "".join((each.text or "") if local(each) == "t" else "\n" for each in found)


def _plain(shape: etree._Element) -> str:
    return " ".join(" ".join(map(_words, within(shape, "p"))).split())


def _beside(
    package: Package, part: str, *, draft: TextDraft, page: int, authors: dict[str, str]
) -> None:
    """Add a slide's notes and comments, each under a heading of its own below the slide's."""
    notes = []
    for place in opc.related(package, part, kind="notesSlide"):
        shapes = child(tree(package.read(place), place), "cSld", "spTree")
        if shapes is not None:
            notes += [each for each in _shapes(shapes) if _place(each) not in _FURNITURE]
    said = [text for each in notes for text in map(_words, within(each, "p")) if text.strip()]
    if said:
        draft.aside(Aside.SPEAKER, level=2, page=page)
    for text in said:
        draft.add(" ".join(text.split()), BlockKind.PARAGRAPH, page=page)
    comments = []
    for place in opc.related(package, part, kind="comments"):
        comments += list(_comments(tree(package.read(place), place), authors))
    if comments:
        draft.aside(Aside.COMMENTS, level=2, page=page)
    for text in comments:
        draft.add(text, BlockKind.PARAGRAPH, page=page)


def _comments(root: etree._Element, authors: dict[str, str]) -> Iterator[str]:
    for each in within(root, "cm", "reply"):
        own = child(each, "text") if child(each, "text") is not None else child(each, "txBody")
        said = "" if own is None else " ".join(" ".join(own.itertext()).split())
        author = authors.get(attribute(each, "authorId"), "")
        if said:
            yield f"{author}: {said}" if author else said


def _authors(package: Package, part: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for kind in ("commentAuthors", "authors"):
        for place in opc.related(package, part, kind=kind):
            for each in within(tree(package.read(place), place), "cmAuthor", "author"):
                found[attribute(each, "id")] = attribute(each, "name")
    return found
