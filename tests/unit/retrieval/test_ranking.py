"""Names that lead on, identifiers and phrases that win, and the ranker's data."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from contract.stores import Store, sqlite
from weft.language.terms import terms
from weft.ports.knowledge import DocumentFilter
from weft.ports.store import Base
from weft.retrieval.features import FEATURES, FeatureScale, pool, raw_features
from weft.retrieval.first_stage import SearchQuestion
from weft.retrieval.hits import Found, Query, SearchWeights
from weft.retrieval.identifiers import named_in
from weft.retrieval.ranker import Ranker, ShapeGate, ranker_of, shipped
from weft.retrieval.ranking import begin, stages_of
from weft.retrieval.search import search
from weft.retrieval.shape import SHAPE, shape
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
    assert len(ranker.single) == len(ranker.several) == 2 * len(FEATURES)
    assert ranker.scores(np.zeros((0, 40)), ranker.gate.mean).tolist() == []
    read = json.loads(files("weft.retrieval").joinpath("weights.json").read_text(encoding="utf-8"))
    for names in ("features", "shape"):
        other = json.dumps(read | {names: ["another", *read[names][1:]]})
        with pytest.raises(ValueError, match="other features"):
            ranker_of(other)


def test_the_gate_mixes_the_two_sets_of_weights() -> None:
    gate = ShapeGate(
        mean=np.zeros(2), deviation=np.ones(2), weights=np.eye(5)[0] * 9, intercept=0.0
    )
    usual = FeatureScale(mean=np.zeros(20), deviation=np.ones(20))
    single, several = np.eye(40)[0], np.eye(40)[1]
    ranker = Ranker(usual=usual, gate=gate, single=single, several=several, lean=0.0, intercept=0.0)
    rows = np.eye(40)[:2]
    assert gate.single(np.array([0.0, 5.0])) == 0.5
    assert ranker.scores(rows, np.array([0.0, 0.0])).tolist() == [0.5, 0.5]
    assert ranker.scores(rows, np.array([4.0, 0.0])) == pytest.approx([1.0, 0.0])
    assert ranker.scores(rows, np.array([-4.0, 0.0])) == pytest.approx([0.0, 1.0])
    # Past the border nothing grows further.
    assert gate.single(np.array([1e9, 0.0])) == gate.single(np.array([4.0, 0.0]))


@pytest.mark.parametrize("embedder", [Hashes(), None])
@pytest.mark.parametrize(
    "question", ["Who leads the service Apollo?", "zebra quagga", "", "PAY-12", "the of and"]
)
async def test_the_shape_of_any_question_is_finite(question: str, embedder: Hashes | None) -> None:
    async with sqlite() as store:
        base = await fill(store)
        vector = None if embedder is None else (await embedder.queries([question]))[0]
        asked = SearchQuestion(
            text=question, stems=frozenset(terms(question)), vector=vector, weights=SearchWeights()
        )
        stages = stages_of(begin(await base.knowledge.view(WRITER), asked), [])
        slots = pool(stages, stages.named_view.view.readable)
        if slots:
            found = shape(stages, slots, raw=raw_features(stages, slots, within=slots))
            assert found.shape == (len(SHAPE),)
            assert np.isfinite(found).all()
            assert 0.0 <= found[SHAPE.index("held")] <= 1.0
        found_hits = await search([base], embedder, WRITER, query=Query(text=question))
        assert all(0.0 <= hit.score <= 1.0 for hit in found_hits.hits)


async def test_the_shape_tells_what_the_first_passage_holds() -> None:
    async with sqlite() as store:
        base = await fill(store)
        view = await base.knowledge.view(WRITER)
        found = []
        for text in ("outage of Apollo", "outage of Apollo, quagga"):
            asked = SearchQuestion(
                text=text, stems=frozenset(terms(text)), vector=None, weights=SearchWeights()
            )
            stages = stages_of(begin(view, asked), [])
            slots = pool(stages, view.readable)
            row = shape(stages, slots, raw=raw_features(stages, slots, within=slots))
            found.append(dict(zip(SHAPE, row.tolist(), strict=True)))
        whole, partly = found
        assert whole["held"] == pytest.approx(1.0)
        assert whole["missing"] == whole["gain"] == 0.0
        assert partly["held"] < 1.0
        assert partly["missing"] > 0.0
        assert partly["gain"] == 0.0  # no passage has the other word
