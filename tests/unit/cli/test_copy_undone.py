"""A copy that fails takes away what was made for it, unless it holds something already."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from fault.workshop import OWNER
from weft.cli.bases.choice import undoing
from weft.domain.errors import StoreUnavailable
from weft.domain.scope import Scope

pytestmark = pytest.mark.anyio


@dataclass
class Base:
    """A knowledge base by the versions of its documents; what is dropped is noted."""

    documents: dict[str, str] = field(default_factory=dict)
    dropped: list[object] = field(default_factory=list)

    @property
    def holdings(self) -> Base:
        return self

    @property
    def library(self) -> Base:
        return self

    async def versions(self, scope: Scope, source: str | None) -> dict[str, str]:
        assert (scope, source) == (OWNER, None)
        return self.documents

    async def drop(self, scope: Scope, store: object) -> None:
        self.dropped.append(store)


@pytest.mark.parametrize(
    ("is_new", "documents", "stays"),
    [(True, {}, False), (True, {"a": "1"}, True), (False, {}, True)],
)
async def test_only_what_is_new_and_empty_is_taken_away(
    is_new: bool, documents: dict[str, str], stays: bool
) -> None:
    base = Base(documents)
    with pytest.raises(StoreUnavailable):
        async with undoing(cast(Any, base), cast(Any, base), is_new=is_new):
            raise StoreUnavailable
    assert base.dropped == ([] if stays else [base])


async def test_a_copy_that_went_well_stays() -> None:
    base = Base()
    async with undoing(cast(Any, base), cast(Any, base), is_new=True):
        pass
    assert not base.dropped
