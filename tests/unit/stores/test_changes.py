"""Older workers and wrong versions are refused, the same version is no change."""

from __future__ import annotations

import pytest

from weft.domain.document import Document
from weft.domain.errors import FenceRefused, VersionConflict
from weft.domain.ids import DocumentId
from weft.ports.publishing import Fence
from weft.stores.changes import check_fence, is_new

DOCUMENT = Document(
    id=DocumentId("file:x/a.md"),
    source="x",
    type="text",
    title="A",
    uri="",
    version="2",
    acl=frozenset({"tenant:*"}),
)


def test_a_worker_with_an_older_fence_is_refused() -> None:
    check_fence(Fence(key="k", number=3), 3)
    for last in (4, None):
        with pytest.raises(FenceRefused):
            check_fence(Fence(key="k", number=3), last)


@pytest.mark.parametrize("expected", [None, "1", "2"])
def test_the_version_that_is_stored_changes_nothing_whatever_was_expected(
    expected: str | None,
) -> None:
    assert not is_new(DOCUMENT, stored="2", expected=expected)


def test_a_document_replaces_only_the_version_that_was_expected() -> None:
    assert is_new(DOCUMENT, stored=None, expected=None)
    assert is_new(DOCUMENT, stored="1", expected="1")
    with pytest.raises(VersionConflict):
        is_new(DOCUMENT, stored="1", expected=None)
