"""Where a document's file lies on this machine: told to whoever may bring in its folders."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, unquote

from weft.domain.document import Document
from weft.domain.scope import SEES_PLACES, Scope

_ON_THIS_MACHINE = "file://"


def tells_places(scope: Scope) -> bool:
    """Tell whether a caller is told where files lie: may it bring in folders of this machine?"""
    return SEES_PLACES in scope.permissions


def as_seen(document: Document, scope: Scope) -> Document:
    """Return a document as a caller may know it.

    Whoever may not bring in folders of this machine is told the file's path within its source,
    `file:SOURCE/PATH`, in place of `file:///…`; any other address stays as it is.
    """
    is_own = document.metadata.get("uri") == document.uri  # a record says it of itself
    if tells_places(scope) or is_own or not document.uri.startswith(_ON_THIS_MACHINE):
        return document
    kind, _, place = document.id.partition(":")
    # What stands in one file has one address, as it has on this machine.
    path = unquote(place.partition("#")[0]) if kind == "record" else place
    return replace(document, uri=f"file:{quote(path, errors='surrogateescape')}")
