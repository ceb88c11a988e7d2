"""What is advised about files that gave no text."""

from __future__ import annotations

import pytest

from weft.domain.ledger import FileEntry, FileStatus


def advice(path: str) -> str:
    acl = frozenset({"everyone"})
    status = FileStatus.NO_TEXT
    return FileEntry(source="s", path=path, status=status, version="", acl=acl).advice


@pytest.mark.parametrize("path", ["scan.pdf", "a/SCAN.PDF", "page.png", "page.tiff"])
def test_what_may_be_a_scan_is_to_be_read_as_one(path: str) -> None:
    assert "WEFT_OCR=on" in advice(path)


@pytest.mark.parametrize("path", ["empty.txt", "empty.md", "pdf", "a.pdf/empty.html"])
def test_what_is_no_scan_is_not(path: str) -> None:
    assert "WEFT_OCR" not in advice(path)
    assert "empty" in advice(path)
