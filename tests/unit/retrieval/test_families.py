"""What stands beside a passage in a real store: all that may be read of it, and no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

import weft.retrieval.families
from contract.stores import Store, sqlite
from weft.domain.evidence import Evidence
from weft.domain.scope import Scope
from weft.platform.identity import narrow
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.families import FamilyKind, SiblingQuery, family_of, named_stems, siblings
from weft.retrieval.lookup import LookupQuery, lookup
from worlds import SMALL, WRITER, put_drafts, scope_of

pytestmark = pytest.mark.anyio


async def fill(store: Store) -> Base:
    await put_drafts(store, *SMALL)
    return Base(name="World", knowledge=store.knowledge)


async def some_evidence(base: Base) -> Evidence:
    found = await lookup([base], WRITER, LookupQuery(names=["apollo", "li wei", "ada lovelace"]))
    return next(hit.evidence for hits in found.values() for hit in hits)


async def documents(base: Base, scope: Scope, beside: SiblingQuery) -> dict[FamilyKind, list[str]]:
    found = await siblings([base], scope, beside)
    return {one.kind: [hit.evidence.document_id for hit in one.hits] for one in found}


async def test_pages_of_a_folder_come_in_order_and_inside_the_scope() -> None:
    async with sqlite() as store:
        base = await fill(store)
        beside = SiblingQuery(evidence=[await some_evidence(base)])
        whole = await documents(base, WRITER, beside)
        assert list(dict.fromkeys(whole[FamilyKind.PAGES])) == [
            "file:world/doc0",
            "file:world/doc1",
            "file:world/doc2",
        ]
        assert whole[FamilyKind.PAGES].count("file:world/doc0") == 2  # the head alone
        part = await documents(base, scope_of("group:green"), beside)
        assert "file:world/doc2" not in part[FamilyKind.PAGES]
        assert await documents(base, narrow(WRITER, ["nowhere"]), beside) == {}
        one = replace(beside, within=DocumentFilter(contains={"uri": "doc1"}))
        kept = await documents(base, WRITER, one)
        assert set(kept[FamilyKind.PAGES]) == {"file:world/doc1"}


async def test_a_document_comes_whole_and_a_folder_by_its_name() -> None:
    async with sqlite() as store:
        base = await fill(store)
        found = await documents(
            base, WRITER, SiblingQuery(evidence=[], whole=frozenset({"file:world/doc0"}))
        )
        assert found == {FamilyKind.DOCUMENT: ["file:world/doc0"] * 3}
        named = await documents(base, WRITER, SiblingQuery(evidence=[], stems=named_stems("world")))
        assert list(named) == [FamilyKind.PAGES]
        assert await documents(base, WRITER, SiblingQuery(evidence=[])) == {}


async def test_a_family_that_is_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weft.retrieval.families, "MOST_MEMBERS", 2)
    async with sqlite() as store:
        base = await fill(store)
        beside = SiblingQuery(evidence=[await some_evidence(base)])
        assert await documents(base, WRITER, beside) == {}
        part = await documents(base, scope_of("group:green"), beside)
        assert set(part[FamilyKind.PAGES]) == {"file:world/doc0", "file:world/doc1"}


def test_rows_belong_to_their_file_and_pages_to_their_folder() -> None:
    assert family_of("record:kb/people/staff.csv#p1") == (FamilyKind.ROWS, "kb/people/staff.csv")
    assert family_of("file:kb/teams/data.md") == (FamilyKind.PAGES, "kb/teams")
    assert family_of("issue:PAY-12") is None
    assert named_stems("kb/people/offices.csv") == {"offic"}
