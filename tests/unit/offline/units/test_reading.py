"""The first units in the order of both scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from hopping_world import book
from weft.agents.answering import Caution
from weft.domain.answer import Outcome
from weft.offline.units.order import RankedUnits, rank_units
from weft.offline.units.reading import read_again, shipped_reading, under
from weft.ports.embedder import TextUnder

QUESTION = "When was the harbour of Port Vell built?"
TEXT = "The harbour of Port Vell was built in 1931. It has 40 berths. A pilot is needed in fog."


class UnitsAlone:
    """A reader that needs nothing, and reads no plans."""

    def prepare(self) -> None:
        """Need nothing."""

    def read_plans(self, question: str, plans: Sequence[str]) -> None:
        return None


class Prefers(UnitsAlone):
    """A reader of one liking."""

    def __init__(self, word: str) -> None:
        self._word = word
        self.asked: list[str] = []
        self.texts: list[str] = []

    def read(self, question: str, texts: Sequence[TextUnder]) -> npt.NDArray[np.float64]:
        self.asked.append(question)
        self.texts += [one.text for one in texts]
        liked = [100.0 * (self._word in one.text) for one in texts]
        return np.array([[one, one] for one in liked])


class Says(UnitsAlone):
    """A reader to whom all units answer alike."""

    def __init__(self, logit: float) -> None:
        self._logit = logit

    def read(self, question: str, texts: Sequence[TextUnder]) -> npt.NDArray[np.float64]:
        return np.array([[0.0, self._logit]] * len(texts))


class Blind(UnitsAlone):
    """A reader whose network cannot be had."""

    def read(self, question: str, texts: Sequence[TextUnder]) -> None:
        return None


def ranked(question: str, text: str = TEXT) -> RankedUnits:
    held = book(harbour=text)
    return rank_units(question, held.terms, entries=held.entries())


def apart(found: RankedUnits, gap: float) -> RankedUnits:
    """Return units each of which lies so far behind the one before it."""
    return replace(found, scores=tuple(-gap * at for at in range(len(found.units))))


def test_what_lies_far_behind_is_not_read() -> None:
    reader, within = Prefers("pilot"), shipped_reading().within
    was = apart(ranked(QUESTION), within / 1.5)
    found = read_again(QUESTION, was, reader=reader)
    assert reader.texts == [one.text for one in was.units[:2]]
    assert found.units == was.units


def test_what_the_reader_likes_best_comes_first() -> None:
    was = apart(ranked(QUESTION), 0.1)
    found = read_again(QUESTION, was, reader=Prefers("pilot"))
    assert "1931" in was.units[0].text
    assert "pilot" in found.units[0].text
    assert {one.text for one in found.units} == {one.text for one in was.units}


def test_units_that_are_not_read_stay_behind() -> None:
    many = " ".join(f"The harbour of Port Vell has berth {n}." for n in range(20))
    was = ranked(QUESTION, many)
    found = read_again(QUESTION, was, reader=Prefers(was.units[-1].text))
    assert [one.text for one in found.units] == [one.text for one in was.units]
    assert len(was.units) > shipped_reading().most


def test_without_a_reader_all_stays() -> None:
    was = ranked(QUESTION)
    assert read_again(QUESTION, was, reader=None) is was
    assert read_again(QUESTION, was, reader=Blind()) is was


def test_what_it_cannot_read_it_is_not_asked() -> None:
    reader, was = Prefers("pilot"), ranked(QUESTION)
    assert read_again("항구는 언제 지어졌나요?", was, reader=reader) is was
    assert not reader.asked


@pytest.mark.parametrize(("says", "outcome"), [(20.0, Outcome.ANSWERED), (-15.0, Outcome.NEAREST)])
def test_what_it_says_of_the_first_unit_makes_an_answer_of_it(
    says: float, outcome: Outcome
) -> None:
    for text in (TEXT, "The harbour of Port Vell was built in 1931."):
        found = read_again(QUESTION, ranked(QUESTION, text), reader=Says(says))
        assert found.outcome(Caution.ANSWERING) is outcome


def test_of_several_things_it_says_only_what_is_near() -> None:
    both = "Was the harbour of Port Vell or the harbour of Port Soller built first?"
    was = ranked(both)
    found = [read_again(both, was, reader=Says(said)) for said in (50.0, -50.0)]
    answers = was.outcome(Caution.ANSWERING) is Outcome.ANSWERED
    assert {one.logit for one in found} == {was.logit}
    assert [one.outcome(Caution.ANSWERING) for one in found] == [
        Outcome.ANSWERED if answers else Outcome.NEAREST,
        Outcome.NOTHING,
    ]


def test_the_more_caution_the_surer() -> None:
    points = shipped_reading().points
    answering, cautious = points[Caution.ANSWERING], points[Caution.CAUTIOUS]
    assert answering.answered < cautious.answered
    assert all(0 < one.nearest <= one.answered < 1 for one in points.values())


def test_a_unit_is_read_under_each_heading_once() -> None:
    was = ranked(QUESTION, "# Harbour\n\n## Fees\n\n**Fees**\n\nA berth in Port Vell is free.")
    head = under(was.units[0]).head
    assert len(set(head)) == len(head)
    assert head[-1] == "Fees"


def test_what_is_labelled_is_read_as_a_sentence_about_its_thing() -> None:
    was = ranked("Who is the pilot of Port Vell?", "# Port Vell\n\nPilot: Ana Ruiz\nBerths: 40\n")
    told = {one.text: under(one).text for one in was.units}
    assert told["Pilot: Ana Ruiz"] == "The Pilot of Port Vell is Ana Ruiz."
    plain = "A pilot is needed: the fog is thick."
    was = ranked("Is a pilot needed in Port Vell?", f"# Port Vell\n\n{plain}")
    assert [under(one).text for one in was.units] == [plain]
