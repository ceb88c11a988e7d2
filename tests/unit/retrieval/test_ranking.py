"""Names that lead on, identifiers and phrases that win, and the ranker's data."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from contract.stores import Store, sqlite
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.features import FEATURES
from weft.retrieval.hits import Found, Query
from weft.retrieval.identifiers import named_in
from weft.retrieval.ranker import ranker_of, shipped
from weft.retrieval.search import search
from worlds import WRITER, Draft, Hashes, patch_of

pytestmark = pytest.mark.anyio
OPEN = frozenset({"tenant:*"})
WORLD = (
    Draft("doc0", OPEN, ((1, 2), (4,), (0,))),
    Draft("doc1", OPEN, ((3,), (6,))),
    Draft("doc2", OPEN, ((4,), (5,))),
    Draft("doc3", OPEN, ((7,), (8,), (9,))),
    Draft("PAY-12", OPEN, ((5,),)),
)


async def fill(store: Store) -> Base:
    fence = await store.publishing.issue_fence(WRITER, "world")
    for draft in WORLD:
        await store.publishing.publish(WRITER, patch_of(draft), expected_version=None, fence=fence)
    return Base(name="World", knowledge=store.knowledge)


async def ask(base: Base, question: str, *, explain: bool = False) -> Found:
    return await search([base], Hashes(), WRITER, query=Query(text=question, explain=explain))


async def test_a_document_wins_whose_own_identifier_is_asked_for() -> None:
    async with sqlite() as store:
        found = await ask(await fill(store), "What is said of PAY-12 and Apollo?")
        assert found.hits[0].evidence.document_id == "file:world/PAY-12"
        assert found.hits[1].evidence.text == "See PAY-12 for the outage of Apollo."


async def test_a_quoted_phrase_wins_where_it_stands() -> None:
    async with sqlite() as store:
        found = await ask(await fill(store), 'Which text says "leads the Payments team" of Apollo?')
        assert "leads the Payments team" in found.hits[0].evidence.text
        only = Query(
            text='"leads the Payments team"', filter=DocumentFilter(contains={"title": "doc0"})
        )
        narrowed = await search([await fill(store)], Hashes(), WRITER, query=only)
        assert {hit.evidence.document_id for hit in narrowed.hits} == {"file:world/doc0"}


async def test_the_way_names_the_passage_and_the_bridge() -> None:
    async with sqlite() as store:
        found = await ask(await fill(store), "Who leads the service Apollo?", explain=True)
        ways = [step for hit in found.hits for step in hit.evidence.path]
        assert any(step.startswith("file:world/doc0 → ") for step in ways)
        (told,) = found.explanations
        assert ("apollo", 4) in told.names
        assert any(bridge == "li wei" and "li wei" in text for _, bridge, text in told.requeries)
        assert {label for label, _ in told.stages} >= {"full text", "walk from names", "second hop"}


def test_what_a_question_names_outright() -> None:
    named = named_in('Where is "full disk" in docs/guide.md of PAY-12?')
    assert named.identifiers == ("docs/guide.md", "pay-12")
    assert named.phrases == ("full disk",)


def test_the_shipped_weights_are_for_these_features() -> None:
    ranker = shipped()
    assert len(ranker.weights) == 2 * len(FEATURES)
    assert ranker.scores(np.zeros((0, 40))).tolist() == []
    read = json.loads(files("weft.retrieval").joinpath("weights.json").read_text(encoding="utf-8"))
    read["features"][0] = "another"
    with pytest.raises(ValueError, match="other features"):
        ranker_of(json.dumps(read))
