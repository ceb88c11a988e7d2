from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_world import Shelf, plain_search
from weft.domain.answer import Tier
from weft.domain.document import Span
from weft.domain.evidence import Evidence
from weft.platform.identity import local_owner, principal_scope
from weft.ports.knowledge import Knowledge
from weft.ports.store import Base
from weft.retrieval.hits import Query
from weft.verification.citations import Draft, Unsupported, Verified, verify

pytestmark = pytest.mark.anyio
FIRST = "Ada Lindqvist opened the Harbour Bridge in 1932."
SECOND = "It carries two tram lines."
TEXT = f"Bridges of the town.\n\n{FIRST} {SECOND}"
OWNER = local_owner()


def library() -> tuple[Shelf, list[Base]]:
    shelf = Shelf()
    shelf.put("a.md", TEXT, title="Bridges")
    return shelf, [Base(name="docs", knowledge=cast(Knowledge, shelf))]


async def evidence(bases: list[Base]) -> Evidence:
    found = await plain_search(bases, None, OWNER, query=Query(text="Lindqvist bridge tram"))
    return found.hits[0].evidence


async def test_offsets_are_those_of_the_document() -> None:
    _, bases = library()
    found = await evidence(bases)
    checked = await verify(bases, OWNER, [Draft(text=SECOND, evidence=(found,))])
    (citation,) = checked.sentences[0].citations
    assert TEXT[citation.start : citation.end] == citation.snippet == SECOND
    assert citation.title == "Bridges"
    assert citation.n == 1


async def test_numbers_follow_first_use_and_the_same_span_keeps_its_number() -> None:
    _, bases = library()
    found = await evidence(bases)
    texts = [SECOND, FIRST, SECOND, "The moon is cheese.", FIRST]
    drafts = [Draft(text=text, evidence=(found, found)) for text in texts]
    checked = await verify(bases, OWNER, drafts)
    numbers = [[c.n for c in s.citations] for s in checked.sentences]
    assert numbers == [[1], [2], [1], [2]]
    assert [one.text for one in checked.dropped] == ["The moon is cheese."]


async def test_a_chosen_span_must_still_stand_there() -> None:
    shelf, bases = library()
    found = await evidence(bases)
    at = found.text.index(SECOND)
    draft = Draft(text=SECOND, evidence=(found,), span=Span(start=at, end=at + len(SECOND)))
    assert (await verify(bases, OWNER, [draft])).sentences[0].tier is Tier.QUOTE
    shifted = replace(draft, evidence=(replace(found, text=f"x{found.text}"),))
    shifted = replace(shifted, span=Span(start=at + 1, end=at + 1 + len(SECOND)))
    moved = await verify(bases, OWNER, [shifted])
    assert moved.sentences[0].citations[0].snippet == SECOND
    stale = replace(draft, evidence=(replace(found, text=found.text.replace("two", "six")),))
    assert (await verify(bases, OWNER, [stale])).sentences == ()
    shelf.remove(found.document_id)
    assert (await verify(bases, OWNER, [draft])).sentences == ()


async def test_what_the_caller_may_not_read_cannot_be_cited() -> None:
    shelf, bases = library()
    found = await evidence(bases)
    other = principal_scope(tenant="local", actor="user:bob", groups=(), permissions=("ask",))
    shelf.put("a.md", TEXT, title="Bridges", acl={"user:owner"})
    drafts = [Draft(text=FIRST, evidence=(found,))]
    assert (await verify(bases, OWNER, drafts)).sentences
    assert (await verify(bases, other, drafts)).sentences == ()


async def test_marking_keeps_what_is_related_and_lists_what_is_missing() -> None:
    _, bases = library()
    found = await evidence(bases)
    text = "Ada Lindqvist opened the Harbour Bridge in 1950."
    drafts = [Draft(text=text, evidence=(found,)), Draft(text="Cheese.", evidence=(found,))]
    marked = await verify(bases, OWNER, drafts, unsupported=Unsupported.MARK)
    assert [(s.tier, s.missing) for s in marked.sentences] == [(Tier.PARTLY, ("1950",))]
    dropped = await verify(bases, OWNER, drafts)
    assert dropped.dropped[0].missing == ("1950",)


async def test_a_quotation_cut_from_its_negation_is_dropped() -> None:
    shelf = Shelf()
    shelf.put("a.md", "Not all keys are kept after a restart.", title="Keys")
    bases = [Base(name="docs", knowledge=cast(Knowledge, shelf))]
    found = (await plain_search(bases, None, OWNER, query=Query(text="keys"))).hits[0].evidence
    drafts = [Draft(text="all keys are kept after a restart.", evidence=(found,))]
    assert (await verify(bases, OWNER, drafts)).sentences == ()


async def test_a_citation_that_does_not_bear_the_sentence_out_is_left_off() -> None:
    shelf, bases = library()
    shelf.put("b.md", "The Harbour Bridge is painted grey.", title="Paint")
    hits = (await plain_search(bases, None, OWNER, query=Query(text="Harbour Bridge"))).hits
    draft = Draft(text=FIRST, evidence=tuple(hit.evidence for hit in hits))
    (sentence,) = (await verify(bases, OWNER, [draft])).sentences
    assert [c.snippet for c in sentence.citations] == [FIRST]


@given(cut=st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))))
async def test_whatever_is_quoted_the_span_is_true(cut: tuple[int, int]) -> None:
    _, bases = library()
    found = await evidence(bases)
    text = TEXT[min(cut) : max(cut)]
    checked = await verify(bases, OWNER, [Draft(text=text, evidence=(found,))])
    for citation in (c for s in checked.sentences for c in s.citations):
        assert TEXT[citation.start : citation.end] == citation.snippet


MARKED = """# Cranes

- The [north crane](https://x.org/north) lifts **120 tonnes** as of *June*.
- ~~The south crane lifts 90 tonnes.~~
"""
READ = "The north crane lifts 120 tonnes as of June."


async def marked(*said: str, uri: str = "file:///docs/cranes.md", text: str = MARKED) -> Verified:
    shelf = Shelf()
    shelf.put("cranes.md", text, title="Cranes")
    bases = [Base(name="docs", knowledge=cast(Knowledge, shelf))]
    found = await plain_search(bases, None, OWNER, query=Query(text="the north south crane"))
    given = (replace(found.hits[0].evidence, uri=uri),)
    return await verify(bases, OWNER, [Draft(text=one, evidence=given) for one in said])


@pytest.mark.parametrize("said", [MARKED.splitlines()[2].removeprefix("- "), READ])
async def test_a_sentence_leaves_without_signs_and_its_snippet_as_it_is_stored(said: str) -> None:
    (sentence,) = (await marked(said)).sentences
    assert (sentence.text, sentence.tier) == (READ, Tier.QUOTE)
    (citation,) = sentence.citations
    assert citation.snippet == MARKED.splitlines()[2].removeprefix("- ")
    assert MARKED[citation.start : citation.end] == citation.snippet


async def test_a_snippet_holds_no_half_of_a_link() -> None:
    words = "The north crane"
    for said in (words, "The [north crane](https://x.org/north)"):
        (sentence,) = (await marked(f"{said} lifts 120 tonnes")).sentences
        assert sentence.text == f"{words} lifts 120 tonnes"
        (citation,) = sentence.citations
        assert citation.snippet == "The [north crane](https://x.org/north) lifts **120 tonnes**"
    (sentence,) = (await marked("The south crane", text="**The** [south crane](x.md).")).sentences
    assert sentence.citations[0].snippet == "**The** [south crane](x.md)"


async def test_without_signs_no_more_is_borne_out_than_with_them() -> None:
    wrong = "The north crane lifts 210 tonnes as of June."
    assert (await marked(wrong, wrong.replace("210", "**210**"))).sentences == ()
    struck = "~~The south crane lifts 90 tonnes.~~"
    assert [one.text for one in (await marked(struck)).sentences] == [struck]


async def test_what_is_cited_of_a_program_keeps_its_signs() -> None:
    said = MARKED.splitlines()[2].removeprefix("- ")
    (sentence,) = (await marked(said, uri="file:///docs/cranes.py")).sentences
    assert sentence.text == said
