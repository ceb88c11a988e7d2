"""Where tables stand: in the records of a file, the pages of a folder, the rows of a text."""

from __future__ import annotations

from enum import StrEnum


class TableKind(StrEnum):
    """What the rows of a table are: records of a file, pages of a folder, rows in a text."""

    RECORDS = "records"
    PAGES = "pages"
    WRITTEN = "written"


# A kind and the id of the file, folder or document.
Place = tuple[TableKind, str]


def place_of(document_id: str) -> Place | None:
    """Return the table that a document is a row of: its file's for a record, else its folder's."""
    kind, _, place = document_id.partition(":")
    if kind == "record" and "#" in place:
        return TableKind.RECORDS, place.rpartition("#")[0]
    if kind == "file" and "/" in place:
        return TableKind.PAGES, place.rpartition("/")[0]
    return None
