"""Whoever may not bring in folders of this machine is not told where they lie."""

from __future__ import annotations

import pytest

from weft.domain.document import Document
from weft.domain.ids import DocumentId
from weft.platform.identity import local_owner
from weft.stores.places import as_seen
from worlds import scope_of


def document(key: str, uri: str, *, own: bool = False) -> Document:
    return Document(
        id=DocumentId(key),
        source="notes",
        type=key.partition(":")[0],
        title="Notes",
        uri=uri,
        version="v1",
        acl=frozenset({"tenant:*"}),
        metadata={"uri": uri} if own else {},
        created=None,
        updated=None,
    )


@pytest.mark.parametrize(
    ("key", "uri", "shown"),
    [
        ("file:notes/a b.md", "file:///home/ann/notes/a%20b.md", "file:notes/a%20b.md"),
        ("record:notes/50%25%23.csv#7", "file:///home/50%25%23.csv", "file:notes/50%25%23.csv"),
        ("file:notes/\udcff.md", "file:///home/%FF.md", "file:notes/%FF.md"),
        ("file:inbox/a.md", "inbox:a.md", "inbox:a.md"),
        ("file:notes/a.html", "https://example.org/a", "https://example.org/a"),
    ],
)
def test_a_reader_is_told_no_folder_of_this_machine(key: str, uri: str, shown: str) -> None:
    found = document(key, uri)
    assert as_seen(found, scope_of("tenant:*")).uri == shown
    assert as_seen(found, local_owner()) == found


def test_an_address_that_a_record_gives_itself_stays() -> None:
    found = document("record:notes/a.jsonl#1", "file:///share/a.md", own=True)
    assert as_seen(found, scope_of("tenant:*")) == found
