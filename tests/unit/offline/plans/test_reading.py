"""Plans read once more with the question: what is read, what it weighs, and when it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from unit.offline.plans.read_tables import ReadTables
from unit.retrieval.tables.made_tables import table_of
from weft.offline.plans.answers.answering import TableAnswer, answer_from_tables
from weft.offline.plans.reading import how_many_likely, shipped_plan_reading
from weft.ports.embedder import TextUnder
from weft.retrieval.tables.describing import Describer

QUESTION = "How long is the Heron?"
BOATS = table_of(
    "my_boats.csv",
    ["Name", "length", "draught", "crew"],
    [["Heron", 34, 6, 3], ["Tern", 40, 5, 4], ["Gull", 28, 7, 2]],
)


class Reads:
    """A reader of plans: how likely each is meant, in log-odds; None where it cannot read."""

    def __init__(self, likes: Callable[[str], float] | None) -> None:
        self._likes = likes
        self.plans: list[str] = []

    def prepare(self) -> None:
        """Need nothing."""

    def read(self, question: str, texts: Sequence[TextUnder]) -> None:
        return None

    def read_plans(self, question: str, plans: Sequence[str]) -> npt.NDArray[np.float64] | None:
        self.plans = list(plans)
        return self._likes and np.array([[0.0, self._likes(one)] for one in plans])


def answer_by(reader: Reads | None, question: str = QUESTION) -> TableAnswer | None:
    """Return what the boats answer."""

    async def run() -> TableAnswer | None:
        told = await Describer().described(question, [BOATS], embedder=None)
        return await answer_from_tables(question, ReadTables([BOATS]), told=told, reader=reader)

    return asyncio.run(run())


def test_the_likeliest_plans_are_read_in_words() -> None:
    reader = Reads(lambda _: 0.0)
    answer_by(reader)
    assert 0 < len(reader.plans) <= shipped_plan_reading().most
    assert "cell: my boats; Name is Heron; show length = 34" in reader.plans
    assert not any(sign in "".join(reader.plans) for sign in "→↓↑≤≥·_")


def test_what_is_hardly_likely_is_not_read() -> None:
    plain, sure = Reads(lambda _: 0.0), Reads(lambda _: 0.0)
    answer_by(plain, "How is the Heron?")
    answer_by(sure, QUESTION)
    assert len(plain.plans) > len(sure.plans) >= 1
    assert how_many_likely(np.array([5.0, 4.0, 0.0, -9.0])) == 2
    assert how_many_likely(np.array([-50.0, 9.0])) == 1
    assert how_many_likely(np.zeros(40)) == shipped_plan_reading().most


def test_a_figure_is_told_in_words() -> None:
    reader = Reads(lambda _: 0.0)
    answer_by(reader, "What is the average length of boats with a draught of at least 6?")
    assert "average: my boats; draught at least 6; average length = 31" in reader.plans


def test_what_the_reader_prefers_comes_first() -> None:
    found = answer_by(Reads(lambda plan: 200.0 * ("show draught" in plan)), "How is the Heron?")
    assert found is not None
    assert (found.short, found.chance > 0.99) == ("6", True)


def test_what_the_reader_finds_in_no_plan_is_less_likely() -> None:
    plain, doubted = answer_by(None), answer_by(Reads(lambda _: -10.0))
    assert plain is not None
    assert doubted is not None
    assert plain.short == doubted.short == "34"
    assert doubted.chance < plain.chance


def test_without_a_reader_or_in_korean_all_stays_as_it_is() -> None:
    korean = "Heron의 length는 얼마인가요?"
    assert answer_by(Reads(None)) == answer_by(None)
    deaf = Reads(lambda _: -20.0)
    assert answer_by(deaf, korean) == answer_by(None, korean)
    assert deaf.plans == []
