"""Search over a real store: what it finds, how it is narrowed, what it says when vectors lack."""

from __future__ import annotations

import pytest

from contract.stores import Store, sqlite
from weft.domain.document import Span
from weft.platform.identity import narrow
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.hits import Found, Query
from weft.retrieval.search import search
from worlds import OPEN, SMALL, WRITER, Draft, Hashes, put_drafts, scope_of

pytestmark = pytest.mark.anyio
WORLD = (*SMALL, Draft("doc3", OPEN, ((7,),)))


async def fill(store: Store) -> Base:
    await put_drafts(store, *WORLD)
    return Base(name="World", knowledge=store.knowledge)


def documents(found: Found) -> list[str]:
    return [hit.evidence.document_id.removeprefix("file:world/") for hit in found.hits]


async def test_full_text_alone_finds_and_says_so() -> None:
    async with sqlite() as store:
        found = await search(
            [await fill(store)], None, WRITER, query=Query(text="who built a compiler?")
        )
        assert documents(found)[0] == "doc2"
        assert found.hits[0].cosines == ()
        assert found.notes == ("World: ranked by full text alone, without vectors",)
        nothing = await search([await fill(store)], None, WRITER, query=Query(text="zebra"))
        assert nothing.hits == ()


async def test_evidence_is_the_stored_text_with_its_place() -> None:
    async with sqlite() as store:
        base = await fill(store)
        asked = Query(text="Ada Lovelace wrote the first program.")
        found = await search([base], Hashes(), WRITER, query=asked)
        best = found.hits[0].evidence
        assert best.text == "Ada Lovelace wrote the first program."
        text = await store.knowledge.text(WRITER, best.document_id)
        assert text[best.start : best.end] == best.text
        assert best.sentences == (Span(start=0, end=len(best.text)),)
        assert best.path == ("full text", "vectors", "names ada lovelace")
        assert not found.notes


async def test_what_the_caller_may_not_read_is_not_there() -> None:
    async with sqlite() as store:
        base = await fill(store)
        asked = Query(text="The outage of Apollo began on 3 March 2024.")
        mine = await search([base], Hashes(), scope_of("group:blue"), query=asked)
        theirs = await search([base], Hashes(), scope_of(), query=asked)
        assert "doc2" in documents(mine)
        assert "doc2" not in documents(theirs)
        frequency = {term.stem: term.df for term in theirs.terms}
        assert frequency["outag"] == 2
        assert {term.stem: term.df for term in mine.terms}["outag"] == 3


async def test_sources_and_filters_narrow_candidates_and_not_statistics() -> None:
    async with sqlite() as store:
        base = await fill(store)
        asked = Query(text="outage of Apollo")
        everything = await search([base], None, WRITER, query=asked)
        narrowed = await search([base], None, narrow(WRITER, ["jira"]), query=asked)
        assert narrowed.hits == ()
        assert narrowed.terms == everything.terms
        wanted = DocumentFilter(contains={"title": "doc1"})
        one = await search(
            [base], None, WRITER, query=Query(text="outage of Apollo", filter=wanted)
        )
        assert set(documents(one)) == {"doc1"}
        scores = {hit.evidence.chunk_id: hit.score for hit in everything.hits}
        assert all(scores[hit.evidence.chunk_id] == hit.score for hit in one.hits)


async def test_where_nothing_fits_nothing_is_said_of_vectors() -> None:
    async with sqlite() as store:
        base = await fill(store)
        nowhere = DocumentFilter(contains={"title": "doc9"})
        asked = Query(text="outage of Apollo", filter=nowhere)
        found = await search([base], Hashes(), WRITER, query=asked)
        assert (found.hits, found.notes) == ((), ())


async def test_a_document_gives_a_few_passages_and_its_references_follow() -> None:
    async with sqlite() as store:
        base = await fill(store)
        query = Query(text="Apollo service Payments team", top_k=1, per_document=1)
        found = await search([base], None, WRITER, query=query)
        assert documents(found) == ["doc0", "doc1"]
        assert found.hits[1].evidence.path[-1] == "reference with file:world/doc0"


async def test_two_bases_are_one_ranking() -> None:
    async with sqlite() as one, sqlite() as other:
        first = Base(name="One", knowledge=(await fill(one)).knowledge)
        second = Base(name="Two", knowledge=(await fill(other)).knowledge)
        query = Query(text="who built a compiler?", top_k=4)
        found = await search([first, second], None, WRITER, query=query)
        assert [hit.evidence.knowledge_base for hit in found.hits[:2]] == ["One", "Two"]
        assert found.passages == 16


async def test_a_korean_question_finds_a_korean_document() -> None:
    async with sqlite() as store:
        base = await fill(store)
        found = await search(
            [base], Hashes(), WRITER, query=Query(text="김철수는 어디에서 일하나?")
        )
        assert documents(found)[0] == "doc3"
