"""Word documents (docx, docm): text with headings, lists, tables, notes and comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial

from lxml import etree

from weft.adapters.reader.column_names import joined_name, said_again
from weft.adapters.reader.draft import Aside, TextDraft
from weft.adapters.reader.packed import opc
from weft.adapters.reader.packed.markup import attribute, child, local, tree, within
from weft.adapters.reader.packed.package import Package
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.frozen import dataclass
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record
from weft.language.layout import with_names

_SPACES = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# Deleted or moved away, or the same once more for older programs.
# What is repeated in a table whose cells reach over several places is no more than this.
_MOST_SPREAD, _WIDEST = 500_000, 60
_NOT_SHOWN = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText", "rPr", "pPr"})
_DEEPEST_STYLE = 20
_LEVELS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class WordStyle:
    """What a style says of its paragraphs: a heading's depth (0: none), whether they are items."""

    level: int = 0
    is_item: bool = False
    is_title: bool = False


def read_word(source: RawFile) -> ParsedFile:
    """Return a Word document as one record; notes and comments stand in sections at its end."""
    package = Package(source.data)
    part = opc.main_part(package)
    body = child(tree(package.read(part), part), "body")
    if body is None:
        raise Unread(FileStatus.CORRUPT, "the document has no body")
    text = _Text(styles=_styles(package, part), has_pages=_has_pages(body))
    text.blocks(body)
    text.page = None
    for place in opc.related(package, part, kind="diagramData"):
        for point in within(tree(package.read(place), place), "pt"):
            text.draft.add(_diagram(point), BlockKind.ITEM)
    for kind, name in (("footnotes", "footnote"), ("endnotes", "endnote")):
        text.beside(package, part, kind=kind, name=name)
    text.beside(package, part, kind="comments", name="comment")
    said = opc.facts(package)
    record = Record(
        content=text.draft.content,
        title=text.draft.title(said.title or text.title, source.name),
        blocks=tuple(text.draft.found),
        metadata=said.metadata,
        created=said.created,
        updated=said.updated,
        links=opc.links(package, part),
    )
    return ParsedFile(records=[record])


@dataclass(slots=True)
class _Text:
    styles: Mapping[str, WordStyle]
    has_pages: bool
    draft: TextDraft = field(default_factory=TextDraft)
    page: int | None = None
    title: str = ""

    def __post_init__(self) -> None:
        self.page = 1 if self.has_pages else None

    def blocks(self, parent: etree._Element) -> None:
        """Add the paragraphs and tables of a part, whatever wraps them."""
        for element in parent:
            name = local(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._table(element)
            elif name not in _NOT_SHOWN:
                self.blocks(element)

    def beside(self, package: Package, part: str, *, kind: str, name: str) -> None:
        """Add the notes or comments of a document as a section of its own."""
        which = Aside.COMMENTS if kind == "comments" else Aside.FOOTNOTES
        for place in opc.related(package, part, kind=kind):
            found = [_note(each) for each in within(tree(package.read(place), place), name)]
            found = [said for said in found if said]
            if found:
                self.draft.aside(which)
            for said in found:
                self.draft.add(said, BlockKind.PARAGRAPH)

    def _paragraph(self, element: etree._Element) -> None:
        style, page = self._style(element), self.page
        if self.has_pages:
            self.page = (page or 1) + sum(1 for _ in within(element, "lastRenderedPageBreak"))
            if _begins_with_break(element):
                page = self.page
        said = " ".join(_words(element).split())
        if style.is_title and not self.title:
            self.title = said
        if style.level or style.is_title:
            self.draft.add(said, BlockKind.HEADING, level=style.level or 1, page=page)
        else:
            kind = BlockKind.ITEM if style.is_item else BlockKind.PARAGRAPH
            self.draft.add(said, kind, page=page)
        for box in _boxes(element):
            self.blocks(box)

    def _style(self, element: etree._Element) -> WordStyle:
        own = child(element, "pPr")
        if own is None:
            return WordStyle()
        named = child(own, "pStyle")
        style = (
            WordStyle() if named is None else self.styles.get(attribute(named, "val"), WordStyle())
        )
        level = _outline(own)
        is_item = style.is_item if (numbered := _numbered(own)) is None else numbered
        return WordStyle(
            level=style.level if level is None else level,
            is_item=is_item,
            is_title=style.is_title,
        )

    def _table(self, element: etree._Element) -> None:
        found = list(_rows(element))
        rows = [list(_cells(row)) for row in found]
        if max(map(len, rows), default=0) < 2:  # a frame round text, not a table
            for row in rows:
                for cell in row:
                    self.blocks(cell)
            return
        texts, named = _spread(rows)
        texts = with_names(texts, named=named)
        for at, (said, row) in enumerate(zip(found, rows, strict=True)):
            page, marked = self.page, child(said, "trPr", "tblHeader")
            is_header = marked is not None and attribute(marked, "val") not in ("0", "false")
            if at == 0 or at >= named:
                self.draft.row(texts[at], page=page, is_header=is_header or (not at and named > 1))
            if self.has_pages:
                breaks = sum(1 for cell in row for _ in within(cell, "lastRenderedPageBreak"))
                self.page = (page or 1) + breaks


def _styles(package: Package, part: str) -> dict[str, WordStyle]:
    """Return what each style means, by its id; what it does not say its model says."""
    elements: dict[str, etree._Element] = {}
    for place in opc.related(package, part, kind="styles"):
        for element in within(tree(package.read(place), place), "style"):
            elements[attribute(element, "styleId")] = element
    return {key: _meaning(key, elements) for key in elements}


def _meaning(key: str, elements: Mapping[str, etree._Element]) -> WordStyle:
    is_item: bool | None = None
    level: int | None = None
    for _ in range(_DEEPEST_STYLE):
        element = elements.get(key)
        if element is None:
            break
        named = child(element, "name")
        name = "" if named is None else attribute(named, "val").casefold()
        if name == "title":
            return WordStyle(is_title=True)
        own = child(element, "pPr")
        if own is not None:
            level = _outline(own) if level is None else level
            is_item = _numbered(own) if is_item is None else is_item
        if level is None and name.startswith("heading ") and name[8:].isdigit():
            level = min(int(name[8:]), _LEVELS)
        model = child(element, "basedOn")
        key = "" if model is None else attribute(model, "val")
    return WordStyle(level=level or 0, is_item=bool(is_item))


def _outline(properties: etree._Element) -> int | None:
    """Return the depth that paragraph properties state; 0 for text, None if they do not say."""
    found = child(properties, "outlineLvl")
    value = "" if found is None else attribute(found, "val")
    if not value.isdigit():
        return None
    return int(value) + 1 if int(value) < _LEVELS else 0


def _numbered(properties: etree._Element) -> bool | None:
    found = child(properties, "numPr", "numId")
    return None if found is None else attribute(found, "val") != "0"


def _has_pages(body: etree._Element) -> bool:
    return next(within(body, "lastRenderedPageBreak"), None) is not None


def _begins_with_break(paragraph: etree._Element) -> bool:
    """Tell whether a paragraph's text stands wholly behind a page's end."""
    for element in within(paragraph, "lastRenderedPageBreak", "t"):
        return local(element) == "lastRenderedPageBreak"
    return False


def _words(element: etree._Element) -> str:
    return "".join(_runs(element))


def _runs(element: etree._Element) -> Iterator[str]:
    for each in element:
        name = local(each)
        if name == "t":
            yield each.text or ""
        elif name in _SPACES:
            yield _SPACES[name]
        elif name == "sym":
            yield _symbol(each)
        elif name not in _NOT_SHOWN and name != "txbxContent":
            yield from _runs(each)


def _symbol(element: etree._Element) -> str:
    code = attribute(element, "char")
    try:
        letter = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    return letter if letter.isprintable() and not "\ue000" <= letter <= "\uf8ff" else ""


def _boxes(element: etree._Element) -> Iterator[etree._Element]:
    """Yield the text boxes that hang on a paragraph, each once."""
    for each in element:
        if local(each) == "txbxContent":
            yield each
        elif local(each) not in _NOT_SHOWN:
            yield from _boxes(each)


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    for each in table:
        name = local(each)
        if name == "tr":
            yield each
        elif name in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _rows(each)


def _cells(row: etree._Element) -> Iterator[etree._Element]:
    for each in row:
        name = local(each)
        if name == "tc":
            yield each
        elif name in ("sdt", "sdtContent", "customXml"):
            yield from _cells(each)


def _spread(rows: Sequence[Sequence[etree._Element]]) -> tuple[list[list[str]], int]:
    """Return the texts of a table's cells, and how many rows its names stand in, joined in one.

    A cell that reaches over several columns or rows is in each place, where that makes a table.
    """
    plain = [[_cell(cell) for cell in row] for row in rows]
    texts: list[list[str]] = []
    named = 1
    while named < len(rows) and any(map(_goes_on, rows[named])) and _is_split(rows[0]):
        named += 1
    for number, (row, said) in enumerate(zip(rows, plain, strict=True)):
        line: list[str] = []
        for cell, text in zip(row, said, strict=True):
            above = texts[-1] if texts and _goes_on(cell) else []
            at = len(line)
            again = str if number < named else partial(said_again, column=at)
            held = again(above[at]) if at < len(above) else text
            # What heads a part of the table is said once.
            line += [held, *[again(held) if len(row) > 1 else ""] * (_reach(cell) - 1)]
        texts.append(line)
    size = sum(len(text) for line in texts for text in line)
    if len({len(line) for line in texts}) != 1 or size > _MOST_SPREAD:
        return plain, 1
    columns = zip(*texts[:named], strict=True)
    texts[0] = list(map(joined_name, columns))
    return texts, named


def _is_split(row: Sequence[etree._Element]) -> bool:
    return any(_reach(cell) > 1 for cell in row)


def _reach(cell: etree._Element) -> int:
    """Return over how many columns a cell reaches."""
    said = child(cell, "tcPr", "gridSpan")
    number = attribute(said, "val") if said is not None else ""
    return min(int(number), _WIDEST) if number.isdecimal() and 0 < len(number) <= 4 else 1


def _goes_on(cell: etree._Element) -> bool:
    """Tell whether a cell is only the lower part of the one above it."""
    said = child(cell, "tcPr", "vMerge")
    return said is not None and attribute(said, "val") in ("", "continue")


def _cell(element: etree._Element) -> str:
    return " ".join(_pieces(element))


def _pieces(element: etree._Element) -> Iterator[str]:
    for each in element:
        name = local(each)
        if name == "p":
            yield _words(each)
            for box in _boxes(each):
                yield from _pieces(box)
        elif name not in _NOT_SHOWN:
            yield from _pieces(each)


def _diagram(point: etree._Element) -> str:
    return " ".join(" ".join(each.text or "" for each in within(point, "t")).split())


def _note(element: etree._Element) -> str:
    """Return what a note or comment says, a comment's author first."""
    if attribute(element, "type") in ("separator", "continuationSeparator"):
        return ""
    said = " ".join(_cell(element).split())
    author = attribute(element, "author")
    return f"{author}: {said}" if author and said else said
