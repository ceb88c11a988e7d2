"""OpenDocument files (odt, ods, odp): texts, sheets and slides of LibreOffice and its kin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from lxml import etree

from weft.adapters.reader.columns import Cell, RecordCollection, collection_of
from weft.adapters.reader.dates import instant
from weft.adapters.reader.draft import Aside, TextDraft, sane_title
from weft.adapters.reader.grids.grid import CellSheet, SheetRow, add_sheet, whole
from weft.adapters.reader.grids.number_formats import amount, share
from weft.adapters.reader.packed.markup import attribute, child, local, tree, within
from weft.adapters.reader.packed.package import Package
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.document import Value
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record
from weft.language.layout import with_names

_MANIFEST = "META-INF/manifest.xml"
# What stands beside the text, or was deleted from it, or is drawn by the program itself.
_NOT_SHOWN = frozenset(
    "annotation annotation-end note notes tracked-changes sequence-decls forms ruby-text "
    "bookmark-start desc title page-thumbnail".split()
)
_GROUPS = frozenset({"table-rows", "table-header-rows", "table-row-group"})
_FACTS = {"creator": "author", "initial-creator": "author", "subject": "subject"}
_MOST_REPEATED = 1_000
_SPACES_IN_A_ROW = 100


def read_text_document(source: RawFile) -> ParsedFile:
    """Return a text document (odt) as one record, notes and comments in sections at its end."""
    package = _package(source)
    body = _body(package, "text")
    text = _Text(titles=_title_styles(body))
    text.blocks(body)
    text.besides()
    return _document(source, package, text=text)


def read_presentation(source: RawFile) -> ParsedFile:
    """Return slides (odp) as one record; a slide's number is its page."""
    package = _package(source)
    text = _Text()
    pages = [each for each in _body(package, "presentation") if local(each) == "page"]
    for text.page, page in enumerate(pages, 1):
        frames = [each for each in page if local(each) != "notes"]
        for frame in sorted(frames, key=lambda each: attribute(each, "class") != "title"):
            if attribute(frame, "class") == "title":
                said = " ".join(map(_words, within(frame, "p")))
                text.heading(" ".join(said.split()), level=1)
            else:
                text.frame(frame)
        text.speaker(child(page, "notes"))
        text.besides(level=2)
    return _document(source, package, text=text, pages=len(pages))


def read_spreadsheet(source: RawFile) -> ParsedFile:
    """Return a record for each row of each sheet (ods): stored values, nothing computed."""
    package = _package(source)
    found = collection_of(source)
    for table in within(_body(package, "spreadsheet"), "table"):
        if any(local(above) in ("table", "tracked-changes") for above in table.iterancestors()):
            continue
        comments = [_comment(each) for each in within(table, "annotation")]
        sheet = CellSheet(
            name=attribute(table, "name"), rows=_rows(table, found), comments=comments
        )
        add_sheet(found, sheet)
    return whole(found)


def _package(source: RawFile) -> Package:
    package = Package(source.data)
    if _MANIFEST in package and b"encryption-data" in package.read(_MANIFEST):
        raise Unread(FileStatus.ENCRYPTED, "the file asks for a password; save it without one")
    return package


def _body(package: Package, kind: str) -> etree._Element:
    found = child(tree(package.read("content.xml"), "content.xml"), "body", kind)
    if found is None:
        raise Unread(FileStatus.CORRUPT, f"the file holds no {kind}")
    return found


def _title_styles(body: etree._Element) -> frozenset[str]:
    """Return the styles in which a document's title is written: the usual one and its variants."""
    named = within(body.getroottree().getroot(), "style")
    variants = (
        attribute(each, "name") for each in named if attribute(each, "parent-style-name") == "Title"
    )
    return frozenset({"Title", *variants})


def _document(source: RawFile, package: Package, *, text: _Text, pages: int = 0) -> ParsedFile:
    said = _facts(package)
    metadata: dict[str, Value] = {
        ours: said[theirs][:300] for theirs, ours in _FACTS.items() if said.get(theirs)
    }
    if pages:
        metadata["pages"] = pages
    record = Record(
        content=text.draft.content,
        title=text.draft.title(sane_title(said.get("title", "")) or text.title, source.name),
        blocks=tuple(text.draft.found),
        metadata=metadata,
        created=instant(said.get("creation-date")),
        updated=instant(said.get("date")),
        links=tuple(text.links),
    )
    return ParsedFile(records=[record])


def _facts(package: Package) -> dict[str, str]:
    if "meta.xml" not in package:
        return {}
    try:
        meta = child(tree(package.read("meta.xml"), "meta.xml"), "meta")
    except Unread as wrong:
        if wrong.status is not FileStatus.CORRUPT:
            raise
        return {}
    return {} if meta is None else {local(each): _plain(each) for each in meta}


@dataclass(slots=True)
class _Text:
    titles: frozenset[str] = frozenset()
    draft: TextDraft = field(default_factory=TextDraft)
    page: int | None = None
    title: str = ""
    footnotes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    links: dict[str, None] = field(default_factory=dict)

    def blocks(self, parent: etree._Element, *, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        """Add what a part holds, whatever wraps it; paragraphs become blocks of `kind`."""
        for element in parent:
            name = local(element)
            if name == "h":
                level = attribute(element, "outline-level", otherwise="1")
                self.heading(self._said(element), level=int(level) if level.isdigit() else 1)
            elif name == "p":
                self._paragraph(element, kind)
            elif name == "list-item":
                self.blocks(element, kind=BlockKind.ITEM)
            elif name == "table":
                self._table(element)
            elif name not in _NOT_SHOWN:
                self.blocks(element, kind=kind)

    def heading(self, said: str, *, level: int) -> None:
        """Add a heading."""
        self.draft.add(said, BlockKind.HEADING, level=max(level, 1), page=self.page)

    def frame(self, frame: etree._Element) -> None:
        """Add what a slide's frame holds, or the frames of a group."""
        if local(frame) not in ("notes", "forms", "annotation"):
            self.blocks([frame] if local(frame) == "table" else frame)
        elif local(frame) == "annotation":
            self.comments.append(_comment(frame))

    def speaker(self, notes: etree._Element | None) -> None:
        """Add what the speaker of a slide notes."""
        # Beside what was noted, a notes page shows the slide, its number and the date.
        frames = [each for each in within(notes, "frame") if attribute(each, "class") == "notes"]
        said = [_words(each) for frame in frames for each in within(frame, "p")]
        if any(each.strip() for each in said):
            self.draft.aside(Aside.SPEAKER, level=2, page=self.page)
        for each in said:
            self.draft.add(" ".join(each.split()), BlockKind.PARAGRAPH, page=self.page)

    def besides(self, *, level: int = 1) -> None:
        """Add the notes and comments gathered so far as sections of their own."""
        for which, said in ((Aside.FOOTNOTES, self.footnotes), (Aside.COMMENTS, self.comments)):
            if said:
                self.draft.aside(which, level=level, page=self.page)
            for each in said:
                self.draft.add(each, BlockKind.PARAGRAPH, page=self.page)
            said.clear()

    def _paragraph(self, element: etree._Element, kind: BlockKind) -> None:
        said = self._said(element)
        if attribute(element, "style-name") in self.titles and not self.title:
            self.title = said
            self.heading(said, level=1)
        else:
            self.draft.add(said, kind, page=self.page)
        for box in within(element, "text-box"):
            self.blocks(box)

    def _said(self, element: etree._Element) -> str:
        self.footnotes += [_note(each) for each in within(element, "note")]
        self.comments += [_comment(each) for each in within(element, "annotation")]
        for link in within(element, "a"):
            target = attribute(link, "href")
            if "://" in target:
                self.links[target] = None
        return " ".join(_words(element).split())

    def _table(self, table: etree._Element) -> None:
        found = list(_table_rows(table))
        rows = [
            [each for each in row if local(each) in ("table-cell", "covered-table-cell")]
            for row in found
        ]
        if max(map(len, rows), default=0) < 2:  # a frame round text, not a table
            for row in rows:
                for cell in row:
                    self.blocks(cell)
            return
        texts = with_names([[_words(cell) for cell in row] for row in rows])
        for said, row, cells in zip(found, rows, texts, strict=True):
            for cell in row:
                self.footnotes += [_note(each) for each in within(cell, "note")]
                self.comments += [_comment(each) for each in within(cell, "annotation")]
            is_header = local(said.getparent()) == "table-header-rows"
            self.draft.row(cells, page=self.page, is_header=is_header)


def _table_rows(table: etree._Element) -> Iterator[etree._Element]:
    for each in table:
        if local(each) == "table-row":
            yield each
        elif local(each) in _GROUPS:
            yield from _table_rows(each)


def _words(element: etree._Element) -> str:
    return "".join(_pieces(element))


def _pieces(element: etree._Element) -> Iterator[str]:
    yield element.text or ""
    for each in element:
        name = local(each)
        if name == "s":
            count = attribute(each, "c", otherwise="1")
            yield " " * min(int(count) if count.isdigit() else 1, _SPACES_IN_A_ROW)
        elif name in ("tab", "line-break"):
            yield "\n"
        elif name not in _NOT_SHOWN and name not in ("text-box", "object"):
            if name in ("p", "h", "list-item", "table-cell"):
                yield " "
            yield from _pieces(each)
        yield each.tail or ""


def _plain(element: etree._Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _note(element: etree._Element) -> str:
    body = child(element, "note-body")
    return "" if body is None else " ".join(_words(body).split())


def _comment(element: etree._Element) -> str:
    """Return what a comment says, its author first."""
    author = child(element, "creator")
    said = " ".join(" ".join(_words(each) for each in within(element, "p")).split())
    return said if author is None else f"{_plain(author)}: {said}"


def _rows(table: etree._Element, found: RecordCollection) -> Iterator[SheetRow]:
    """Yield a sheet's rows that hold anything; one that stands for several comes several times.

    One that stands for too many is named in `found`.
    """
    number = 1
    above: Mapping[int, _Tall] = {}
    for row in _table_rows(table):
        repeated = _count(row, "number-rows-repeated")
        tall: dict[int, _Tall] = {}
        cells = dict(_cells(row, number, above=above, tall=tall))
        if cells and repeated > _MOST_REPEATED:
            place = f"{attribute(table, 'name')}!{number}"
            found.skip(place, f"stands for {repeated} rows; the first {_MOST_REPEATED} are read")
        if cells:
            for more in range(min(repeated, _MOST_REPEATED)):
                yield SheetRow(number=number + more, cells=cells)
        number += repeated
        still = {key: each for key, each in above.items() if each.last >= number}
        above = {**still, **tall}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tall:
    """A cell that goes on in the rows below, up to the row `last`."""

    value: Cell
    last: int


def _cells(
    row: etree._Element, number: int, *, above: Mapping[int, _Tall], tall: dict[int, _Tall]
) -> Iterator[tuple[int, Cell]]:
    column = 0
    for cell in row:
        if local(cell) not in ("table-cell", "covered-table-cell"):
            continue
        repeated = _count(cell, "number-columns-repeated")
        value = _value(cell)
        if value == "" and local(cell) == "covered-table-cell" and column in above:
            value = above[column].value
        if value != "":
            rows = _count(cell, "number-rows-spanned")
            if rows > 1:
                tall[column] = _Tall(value=value, last=number + rows - 1)
            for more in range(min(repeated, _MOST_REPEATED)):
                yield column + more, value
        column += repeated


def _count(element: etree._Element, name: str) -> int:
    said = attribute(element, name, otherwise="1")
    return int(said) if said.isdigit() and len(said) < 8 else 1


def _value(cell: etree._Element) -> Cell:
    kind = attribute(cell, "value-type")
    if kind == "date":
        return attribute(cell, "date-value").replace("T", " ")
    if kind == "boolean":
        return attribute(cell, "boolean-value") == "true"
    if kind in ("float", "currency", "percentage"):
        try:
            number = float(attribute(cell, "value"))
        except ValueError:
            return " ".join(_words(cell).split())
        if kind == "percentage":
            return share(number)
        plain = int(number) if number.is_integer() and abs(number) < 1e15 else number
        unit = attribute(cell, "currency") if kind == "currency" else ""
        return amount(plain, unit) if unit else plain
    return "\n".join(" ".join(_words(each).split()) for each in cell if local(each) == "p")
