"""Web pages: the main text with its headings, lists and tables; never scripts or styles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field

import trafilatura
from lxml import etree, html

from weft.adapters.reader.dates import instant
from weft.adapters.reader.decoding import decode
from weft.adapters.reader.outline import first_heading
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.document import Value
from weft.domain.ledger import FileStatus
from weft.domain.record import Block, BlockKind, Record

_CHARSET = re.compile(
    rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_:-]{2,40})", re.IGNORECASE
)
_NOT_TEXT = ("script", "style", "template", "noscript", "svg", "head")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PARTS = {
    "p": BlockKind.PARAGRAPH,
    "quote": BlockKind.PARAGRAPH,
    "item": BlockKind.ITEM,
    "li": BlockKind.ITEM,
    "row": BlockKind.ROW,
    "tr": BlockKind.ROW,
    "pre": BlockKind.CODE,
    "code": BlockKind.CODE,
}
_INLINE = frozenset(
    "a abbr b bdi bdo big cite code del em font hi i img ins kbd label lb br mark q ref s samp "
    "small span strong sub sup time tt u var wbr graphic".split()
)
_MOST_LINKS = 1_000
_TOO_DEEP = "xcessive depth"
# Less than this share of the page's text is no main text: then all of the page is read.
_LEAST_SHARE = 0.1
_META = ("description", "author", "keywords")


def read_page(source: RawFile) -> ParsedFile:
    """Return a page as one record; its title is the page's own, else the first heading or name."""
    tree = _tree(source)
    page = _Page()
    main = _main_text(tree)
    if main is not None:
        _walk(main, page)
    facts = {key: value for key in _META if (value := _meta(tree, key))}
    title, links = _title(tree), _links(tree)
    created, updated = _meta(tree, "article:published_time"), _meta(tree, "article:modified_time")
    etree.strip_elements(tree, *_NOT_TEXT, with_tail=False)
    visible = len("".join("".join(tree.itertext()).split()))
    if page.length < visible * _LEAST_SHARE or len(page.found) == 1:
        page = _fuller(tree, page)
    if not page.found:
        raise Unread(FileStatus.NO_TEXT, "the page has no text")
    content = "".join(page.parts)
    metadata: dict[str, Value] = {**facts}
    record = Record(
        content=content,
        title=title or first_heading(content, page.found) or source.name,
        blocks=tuple(page.found),
        metadata=metadata,
        created=instant(created),
        updated=instant(updated),
        links=links,
    )
    return ParsedFile(records=[record])


def _fuller(tree: html.HtmlElement, main: _Page) -> _Page:
    """Return all of the page where its main text was not found, or found without structure."""
    page = _Page()
    _walk(tree, page)
    return page if len(page.found) > len(main.found) else main


@dataclass(slots=True)
class _Page:
    parts: list[str] = field(default_factory=list)
    found: list[Block] = field(default_factory=list)
    length: int = 0

    def add(self, text: str, kind: BlockKind, *, level: int = 0) -> None:
        """Put one block at the end; items and rows stand close, all else is set apart."""
        if not text:
            return
        if self.found:
            close = kind in (BlockKind.ITEM, BlockKind.ROW) and self.found[-1].kind is kind
            gap = "\n" if close else "\n\n"
            self.parts.append(gap)
            self.length += len(gap)
        end = self.length + len(text)
        self.found.append(Block(start=self.length, end=end, kind=kind, level=level))
        self.parts.append(text)
        self.length = end


def _tree(source: RawFile) -> html.HtmlElement:
    text = _declared(source.data) or decode(source)
    if not text.strip():
        raise Unread(FileStatus.NO_TEXT, "the page is empty")
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError) as wrong:
        _refuse_depth(parser)
        raise Unread(FileStatus.NO_TEXT, "the page has no text") from wrong
    _refuse_depth(parser)
    return tree


def _refuse_depth(parser: html.HTMLParser) -> None:
    """Raise where the parser gave up for elements within elements, and took what came before."""
    if any(_TOO_DEEP in each.message for each in parser.error_log):
        raise Unread(FileStatus.HOSTILE, "its elements are nested too deeply")


def _declared(data: bytes) -> str:
    """Return the page in the encoding that it names; empty if it names none or a wrong one."""
    named = _CHARSET.search(data[:4096])
    if named is None:
        return ""
    try:
        return data.decode(named[1].decode("ascii")).replace("\0", "").replace("\r\n", "\n")
    except (LookupError, UnicodeError):
        return ""


def _main_text(tree: html.HtmlElement) -> etree._Element | None:
    found = trafilatura.bare_extraction(
        deepcopy(tree),
        include_comments=False,
        include_tables=True,
        favor_recall=True,
        with_metadata=False,
    )
    body = getattr(found, "body", None)
    return body if body is not None and len(body) else None


def _walk(element: etree._Element, page: _Page) -> None:
    """Add the blocks under an element, in the order in which they are read."""
    tag = element.tag if isinstance(element.tag, str) else ""
    if level := _heading_level(element, tag):
        page.add(_words(element), BlockKind.HEADING, level=level)
    elif tag in ("row", "tr"):
        page.add(_cells(element), BlockKind.ROW)
    elif tag in ("code", "pre"):
        page.add("".join(element.itertext()).strip("\n").rstrip(), BlockKind.CODE)
    else:
        kind = _PARTS.get(tag, BlockKind.PARAGRAPH)
        _walk_inside(element, page, kind=kind)


def _walk_inside(element: etree._Element, page: _Page, *, kind: BlockKind) -> None:
    """Add runs of inline content as blocks of `kind`; other elements between them add their own."""
    run = [element.text or ""]
    for child in element:
        if _is_inline(child):
            run += _inline(child)
        else:
            page.add(_plain(run), kind)
            run = []
            _walk(child, page)
        run.append(child.tail or "")
    page.add(_plain(run), kind)


def _heading_level(element: etree._Element, tag: str) -> int:
    if tag == "head":
        return _HEADINGS.get(element.get("rend", ""), 2)
    return _HEADINGS.get(tag, 0)


def _is_inline(element: etree._Element) -> bool:
    """Code is inline unless it has lines; a wrapper is inline as long as no block is within."""
    if element.tag not in _INLINE:
        return False
    if element.tag == "code" and "\n" in "".join(element.itertext()):
        return False
    return all(child.tag in _INLINE for child in element.iterdescendants())


def _inline(element: etree._Element) -> Iterator[str]:
    if element.tag in ("lb", "br"):
        yield "\n"
    if element.text:
        yield element.text
    for child in element:
        yield from _inline(child)
        if child.tail:
            yield child.tail


def _words(element: etree._Element) -> str:
    return " ".join("".join(_inline(element)).split())


def _cells(row: etree._Element) -> str:
    cells = [_words(cell) for cell in row]
    return " | ".join(cells) if any(cells) else ""


def _plain(run: list[str]) -> str:
    return " ".join("".join(run).split())


def _title(tree: html.HtmlElement) -> str:
    found = tree.find(".//title")
    return " ".join(found.text_content().split())[:300] if found is not None else ""


def _meta(tree: html.HtmlElement, name: str) -> str:
    for element in tree.iterfind(".//meta"):
        if name in (element.get("name", "").lower(), element.get("property", "").lower()):
            return " ".join(element.get("content", "").split())[:300]
    return ""


def _links(tree: html.HtmlElement) -> tuple[str, ...]:
    """Return where the page's links point, each once; relative ones as they stand."""
    found: dict[str, None] = {}
    for element in tree.iterfind(".//a[@href]"):
        target = element.get("href", "").strip()
        if target and not target.lower().startswith(("#", "javascript:", "mailto:", "data:")):
            found[target] = None
        if len(found) >= _MOST_LINKS:
            break
    return tuple(found)
