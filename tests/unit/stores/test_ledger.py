"""Sources keep their name and readers, and a row of the ledger comes back as it was."""

from __future__ import annotations

from weft.domain.acl import EVERYONE, acl_class
from weft.domain.ledger import FileEntry, FileStatus, KnownSource
from weft.stores.ledger import file_columns, source_at, to_file, to_source

HELD = KnownSource(name="docs", root="/a/docs", acl=frozenset({"group:x"}))


def test_a_known_source_keeps_its_name_and_without_another_its_readers() -> None:
    assert source_at("/a/docs", [HELD], wanted="other", acl=None) == HELD
    given = source_at("/a/docs", [HELD], wanted="other", acl=frozenset({"user:b"}))
    assert (given.name, given.acl) == ("docs", frozenset({"user:b"}))


def test_a_new_source_has_a_free_name_and_is_everybodys() -> None:
    found = source_at("/b/docs", [HELD], wanted="docs", acl=None)
    assert found.name != "docs"
    assert found.acl == {EVERYONE}


def test_rows_come_back_from_lists_and_from_json() -> None:
    entry = FileEntry(
        source="docs",
        path="a.md",
        status=FileStatus.READ,
        version="1",
        acl=frozenset({"user:b", "user:a"}),
        documents=1,
        chunks=2,
        characters=30,
    )
    columns = file_columns(entry, acl_class(entry.acl))
    head = [columns[name] for name in ("source", "path", "status", "version")]
    rest = [columns[name] for name in ("reason", "documents", "chunks", "characters", "skipped")]
    for acl in (["user:a", "user:b"], '["user:a", "user:b"]'):
        assert to_file((*head, acl, *rest)) == entry
        assert to_source(("docs", "/a/docs", acl)).acl == entry.acl
