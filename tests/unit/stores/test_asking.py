"""Parameters say what a scope may see, and None where anything will do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from weft.platform.identity import local_owner
from weft.ports.knowledge import DocumentFilter
from weft.stores.asking import alternatives, conditions, scoped


def test_a_scope_without_chosen_sources_may_see_all_of_them() -> None:
    owner = local_owner()
    assert scoped(owner, id="x")["sources"] is None
    assert scoped(owner, id="x")["id"] == "x"
    assert scoped(owner)["principals"] == sorted(owner.principals)


def test_names_are_compared_without_case_and_in_order() -> None:
    wanted = DocumentFilter(types=frozenset({"Text", "PDF"}))
    assert conditions(wanted)["types"] == ["pdf", "text"]
    assert conditions(wanted)["origins"] is None
    since = replace(wanted, since=datetime(2025, 1, 2, tzinfo=UTC))
    assert "2025-01-02" in str(conditions(since)["since"])
    assert alternatives(frozenset()) is None
