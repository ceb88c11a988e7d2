from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from rag_world import Shelf, plain_search
from weft.agents.answering import Caution
from weft.domain.answer import Outcome
from weft.offline.units.order import (
    RankedUnits,
    UnitModel,
    compare,
    outcome_row,
    rank_units,
    shipped,
    weigh_units,
)
from weft.offline.units.outcome_features import OUTCOME_FEATURES
from weft.offline.units.unit_features import UNIT_FEATURES, units_in
from weft.platform.identity import local_owner
from weft.ports.knowledge import Knowledge
from weft.ports.store import Base
from weft.retrieval.hits import Found, Query

pytestmark = pytest.mark.anyio

HARBOUR = """The harbour of Port Vell was built in 1931 by the engineer Olga Berg. It has 40 berths
for fishing boats. Boats longer than 20 metres need a pilot.

## Fees
- A berth costs 30 euros a night.
- Pilots are free of charge."""
KOREAN = """포트벨 항구는 1931년에 지어졌습니다.
항구에는 어선 자리가 40개 있습니다.
길이가 20미터를 넘는 배는 도선사가 필요합니다."""
TIDES = "Tides are drawn by the hour. A tide is a slow wave."


async def found(question: str) -> Found:
    shelf = Shelf()
    shelf.put("harbour.md", HARBOUR, title="Port Vell")
    shelf.put("korean.md", KOREAN, title="항구")
    shelf.put("tides.md", TIDES, title="Tides")
    bases = [Base(name="docs", knowledge=cast(Knowledge, shelf))]
    return await plain_search(bases, None, local_owner(), query=Query(text=question))


async def ranked(question: str) -> RankedUnits:
    was = await found(question)
    return rank_units(question, was.terms, entries=[(hit.evidence.id, hit) for hit in was.hits])


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Who built the harbour of Port Vell?", "1931"),
        ("How much does a berth cost?", "30 euros"),
        ("Which boats need a pilot?", "20 metres"),
        ("What is a tide?", "slow wave"),
        ("항구에는 어선 자리가 몇 개 있나요?", "40개"),
        ("어떤 배에 도선사가 필요한가요?", "20미터"),
    ],
)
async def test_the_unit_that_answers_comes_first(question: str, first: str) -> None:
    units = (await ranked(question)).units
    assert first in units[0].text


async def test_a_unit_is_a_span_of_its_passage() -> None:
    for one in (await ranked("Which boats need a pilot?")).units:
        assert one.text in one.hit.evidence.text


async def test_what_is_spoken_of_nowhere_is_less_likely_answered() -> None:
    asked = await ranked("Who built the harbour of Port Vell?")
    other = await ranked("How does Kafka choose the leader of a partition?")
    assert asked.probability > 0.5 > other.probability
    assert other.outcome(Caution.CAUTIOUS) is not Outcome.ANSWERED


@pytest.mark.parametrize("model", [shipped().plain, shipped().several])
async def test_caution_moves_the_point_and_never_the_order(model: UnitModel) -> None:
    points = model.points
    answering, cautious = points[Caution.ANSWERING], points[Caution.CAUTIOUS]
    assert answering.answered < cautious.answered
    assert all(0 < one.nearest <= one.answered < 1 for one in points.values())


@pytest.mark.parametrize(
    ("question", "is_weighed"),
    [
        ("Which vessels demand assistance amid haze at night?", True),
        ("Which vessels demand assistance at night in Reykjavik?", False),
    ],
)
async def test_other_words_are_weighed_for_who_reads_and_other_names_not(
    question: str, is_weighed: bool
) -> None:
    was = await found(question)
    weighed = weigh_units(question, was.terms, entries=[(h.evidence.id, h) for h in was.hits])
    assert bool(weighed.units) is is_weighed
    assert weighed.known.outcome(Caution.ANSWERING) is Outcome.NOTHING


async def test_nothing_is_near_to_what_is_spoken_of_in_no_word() -> None:
    assert (await ranked("Who is the king of Atlantis?")).outcome(Caution.ANSWERING) is (
        Outcome.NOTHING
    )


def test_nothing_found_is_nothing() -> None:
    units = rank_units("Who built it?", (), entries=())
    assert (units.units, units.outcome(Caution.ANSWERING)) == ((), Outcome.NOTHING)


@pytest.mark.parametrize("question", ["", "What is it?", "Who built the harbour?", "항구는?"])
async def test_features_are_numbers_for_any_question(question: str) -> None:
    was = await found("harbour boats 항구")
    entries = [(hit.evidence.id, hit) for hit in was.hits]
    compared = compare(question, was.terms, entries=entries)
    if compared is None:
        assert rank_units(question, was.terms, entries=entries).shown == 0
        return
    assert set(compared.features) == set(UNIT_FEATURES)
    for values in compared.features.values():
        assert values.shape == (len(compared.units),)
        assert not np.isinf(values).any()
    row = outcome_row(compared, np.zeros(len(compared.units)))
    assert row.shape == (1, len(OUTCOME_FEATURES))
    assert not np.isinf(row).any()


async def test_a_text_that_stands_twice_in_a_document_is_one_unit() -> None:
    was = await found("harbour")
    entries = [(hit.evidence.id, hit) for hit in was.hits]
    texts = [(u.hit.evidence.document_id, u.text) for u in units_in(entries * 2)]
    assert len(texts) == len(set(texts))


async def test_how_few_units_there_are_is_one_of_the_numbers() -> None:
    shelf, few = Shelf(), OUTCOME_FEATURES.index("few")
    shelf.put("a.md", "Apollo was founded by Li Wei.", title="a")
    bases = [Base(name="docs", knowledge=cast(Knowledge, shelf))]
    question = "Who founded Apollo?"
    values = []
    for more in (0, 1, 60):
        for number in range(more):
            text = " ".join(f"Apollo has a hangar {number} of {n} doors." for n in range(2, 6))
            shelf.put(f"b{number}.md", text, title="b")
        was = await plain_search(bases, None, local_owner(), query=Query(text=question))
        entries = [(hit.evidence.id, hit) for hit in was.hits]
        compared = compare(question, was.terms, entries=entries)
        assert compared is not None
        values.append(float(outcome_row(compared, np.zeros(len(compared.units)))[0, few]))
    assert values[0] == 1.0
    assert 1.0 > values[1] > values[2] == 0.0
