"""Web pages: the main text with its headings, lists and tables; never scripts or what is hidden."""

from __future__ import annotations

import re
from copy import deepcopy

import trafilatura
from lxml import etree, html

from weft.adapters.reader.dates import instant
from weft.adapters.reader.decoding import decode
from weft.adapters.reader.draft import TextDraft
from weft.adapters.reader.formats.webpage_tables import INLINE, inline, spread_tables, words_of
from weft.adapters.reader.outline import first_heading
from weft.adapters.reader.parsed import ParsedFile, RawFile, Unread
from weft.domain.document import Value
from weft.domain.ledger import FileStatus
from weft.domain.record import BlockKind, Record

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
_MOST_LINKS = 1_000
_TOO_DEEP = "xcessive depth"
# Less than this share of the page's text is no main text: then all of the page is read.
_LEAST_SHARE = 0.1
# Where nearly all of it is main text there is nothing to leave out, and the page's own structure
# is whole: what finds the main text may lose headings.
_NEARLY_ALL = 0.85
_META = ("description", "author", "keywords")


def read_page(source: RawFile) -> ParsedFile:
    """Return a page as one record; its title is the page's own, else the first heading or name."""
    tree = _tree(source)
    page = TextDraft()
    main = _main_text(tree)
    if main is not None:
        _walk(main, page)
    facts = {key: value for key in _META if (value := _meta(tree, key))}
    title, links = _title(tree), _links(tree)
    created, updated = _meta(tree, "article:published_time"), _meta(tree, "article:modified_time")
    etree.strip_elements(tree, *_NOT_TEXT, with_tail=False)
    share = _letters(page.content) / max(_letters("".join(tree.itertext())), 1)
    if share < _LEAST_SHARE or share > _NEARLY_ALL or len(page.found) == 1:
        page = _fuller(tree, page)
    if not page.found:
        raise Unread(FileStatus.NO_TEXT, "the page has no text")
    metadata: dict[str, Value] = {**facts}
    record = Record(
        content=page.content,
        title=title or first_heading(page.content, page.found) or source.name,
        blocks=tuple(page.found),
        metadata=metadata,
        created=instant(created),
        updated=instant(updated),
        links=links,
    )
    return ParsedFile(records=[record])


def page_text(source: RawFile) -> TextDraft:
    """Return all of a page that is text, without looking for what is main in it."""
    tree = _tree(source)
    etree.strip_elements(tree, *_NOT_TEXT, with_tail=False)
    page = TextDraft()
    _walk(tree, page)
    if not page.found:
        raise Unread(FileStatus.NO_TEXT, "the page has no text")
    return page


def _letters(text: str) -> int:
    return len("".join(text.split()))


def _fuller(tree: html.HtmlElement, main: TextDraft) -> TextDraft:
    """Return all of the page where its main text was not found, or found without structure."""
    page = TextDraft()
    _walk(tree, page)
    return page if len(page.found) > len(main.found) else main


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
    _leave_out_hidden(tree)
    spread_tables(tree)
    return tree


def _leave_out_hidden(tree: html.HtmlElement) -> None:
    """Remove what says of itself that nobody who reads the page sees it.

    The page as a whole is shown: scripts hide it until it is there.
    """
    for element in [*tree.iter(etree.Element)]:
        if element.tag not in ("html", "body", "head") and _is_hidden(element):
            element.drop_tree()


def _is_hidden(element: html.HtmlElement) -> bool:
    """Tell it by the element's own attributes; what a search in the page finds is not hidden."""
    own = (part.partition(":") for part in element.get("style", "").lower().split(";"))
    styles = {name.strip(): value.split("!")[0].strip() for name, _, value in own}
    if styles.get("display") == "none" or styles.get("visibility") in ("hidden", "collapse"):
        return True
    said = element.get("hidden")
    return said is not None and said.lower() != "until-found" and not styles.get("display")


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


def _walk(element: etree._Element, page: TextDraft) -> None:
    """Add the blocks under an element, in the order in which they are read."""
    tag = element.tag if isinstance(element.tag, str) else ""
    if level := _heading_level(element, tag):
        page.add(words_of(element), BlockKind.HEADING, level=level)
    elif tag in ("row", "tr"):
        heads = [cell.tag == "th" or cell.get("role") == "head" for cell in element]
        page.row([words_of(cell) for cell in element], is_header=bool(heads) and all(heads))
    elif tag in ("code", "pre"):
        page.add("".join(element.itertext()).strip("\n").rstrip(), BlockKind.CODE)
    else:
        kind = _PARTS.get(tag, BlockKind.PARAGRAPH)
        _walk_inside(element, page, kind=kind)


def _walk_inside(element: etree._Element, page: TextDraft, *, kind: BlockKind) -> None:
    """Add runs of inline content as blocks of `kind`; other elements between them add their own."""
    run = [element.text or ""]
    for child in element:
        if _is_inline(child):
            run += inline(child)
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
    if element.tag not in INLINE:
        return False
    if element.tag == "code" and "\n" in "".join(element.itertext()):
        return False
    return all(child.tag in INLINE for child in element.iterdescendants())


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
