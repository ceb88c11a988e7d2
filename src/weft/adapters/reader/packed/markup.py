"""XML from strangers: no entity is resolved, nothing is fetched, no tree is huge."""

from __future__ import annotations

import io
from collections.abc import Iterator

from lxml import etree

from weft.adapters.reader.parsed import Unread
from weft.domain.ledger import FileStatus

_SAFE = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}


def tree(data: bytes, part: str = "") -> etree._Element:
    """Return the root of an XML text; `Unread` where it is none, or declares entities."""
    try:
        root = etree.fromstring(data, etree.XMLParser(**_SAFE))
    except (etree.XMLSyntaxError, ValueError) as wrong:
        raise _broken(part, wrong) from wrong
    if root is None:
        raise Unread(FileStatus.CORRUPT, f"its part '{part}' is empty")
    _refuse_entities(root, part)
    return root


def elements(data: bytes, name: str, *, part: str = "") -> Iterator[etree._Element]:
    """Yield the elements of a local name one after the other; each is gone when the next comes."""
    try:
        for number, (_, element) in enumerate(
            etree.iterparse(io.BytesIO(data), tag=f"{{*}}{name}", events=("end",), **_SAFE)
        ):
            if not number:
                _refuse_entities(element, part)
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except (etree.XMLSyntaxError, ValueError) as wrong:
        raise _broken(part, wrong) from wrong


def local(element: etree._Element) -> str:
    """Return an element's name without its namespace; empty for what is no element."""
    tag: object = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: etree._Element, name: str, *, otherwise: str = "") -> str:
    """Return an attribute by its local name, whatever its namespace."""
    plain: str | None = element.get(name)
    if plain is not None:
        return plain
    ending = f"}}{name}"
    return next((str(value) for key, value in element.items() if key.endswith(ending)), otherwise)


def child(element: etree._Element | None, *path: str) -> etree._Element | None:
    """Return the first child along a path of local names, None where there is none."""
    for name in path:
        if element is None:
            return None
        element = next((each for each in element if local(each) == name), None)
    return element


def within(element: etree._Element | None, *names: str) -> Iterator[etree._Element]:
    """Yield the elements of these local names at any depth, in the order of the text."""
    if element is not None:
        yield from element.iter(*(f"{{*}}{name}" for name in names))


def _refuse_entities(element: etree._Element, part: str) -> None:
    declared = element.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        raise Unread(FileStatus.HOSTILE, f"its part '{part}' declares entities")


def _broken(part: str, wrong: Exception) -> Unread:
    return Unread(FileStatus.CORRUPT, f"its part '{part}' is not XML ({str(wrong)[:150]})")
