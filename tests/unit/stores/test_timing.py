"""Calls of a store, timed: what comes back is what the store gives, whatever it gives."""

from __future__ import annotations

from typing import Any, cast

import pytest

from weft.domain.errors import NotFound, StoreUnavailable
from weft.ports.store import Store
from weft.stores.timing import StoreCall, timed


class Port:
    """Answers, has nothing, or is down."""

    async def text(self, scope: str, document: str) -> str:
        if document == "gone":
            raise NotFound("no such document")
        if document == "down":
            raise StoreUnavailable("the store is down")
        return f"{scope} {document}"

    def export(self, scope: str) -> list[str]:
        return [scope]


def opened(told: list[StoreCall], *, is_on_server: bool = False) -> Store:
    port = cast("Any", Port())
    return timed(
        Store(
            name="docs",
            knowledge=port,
            publishing=port,
            holdings=port,
            ledger=port,
            links=port,
            documents=port,
            made_with={},
            lifetime=port,
            is_on_server=is_on_server,
        ),
        told.append,
    )


@pytest.mark.parametrize(("is_on_server", "kind"), [(False, "sqlite"), (True, "neo4j")])
async def test_a_call_is_told_and_gives_what_the_store_gives(is_on_server: bool, kind: str) -> None:
    told: list[StoreCall] = []
    store = cast("Any", opened(told, is_on_server=is_on_server))
    assert await store.knowledge.text("me", document="one") == "me one"
    assert await store.knowledge.text("me", "two") == "me two"
    assert [(one.store, one.operation, one.is_done) for one in told] == [(kind, "text", True)] * 2
    assert all(one.seconds >= 0 for one in told)


async def test_what_is_not_there_is_no_failure_of_the_store() -> None:
    told: list[StoreCall] = []
    store = cast("Any", opened(told))
    with pytest.raises(NotFound):
        await store.knowledge.text("me", "gone")
    with pytest.raises(StoreUnavailable):
        await store.knowledge.text("me", "down")
    assert [one.is_done for one in told] == [True, False]


def test_what_is_not_waited_for_is_the_ports_own() -> None:
    told: list[StoreCall] = []
    store = cast("Any", opened(told))
    assert store.holdings.export("me") == ["me"]
    assert not told
