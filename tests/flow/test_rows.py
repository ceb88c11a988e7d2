"""Questions over the rows of a table, from the folder to the checked citations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flow.conftest import workspace
from weft import Weft
from weft.agents.answering import Caution
from weft.agents.toolbox import RuleTools
from weft.offline.answerer import LEAST
from weft.offline.plans.answers import answering
from weft.retrieval.tables import shelf

SHIPS = """id,name,home_port,joined,seats,captain
s1,Heron,Tallinn,2011-04-02,240,Mari Kask
s2,Gannet,Riga,2018-09-17,12,Jonas Ozols
s3,Osprey,Tallinn,2018-03-05,410,Mari Kask
s4,Petrel,Turku,2003-11-30,6,Aino Salo
"""
ABOUT = (
    "# About the harbour\n\nWe keep ships for pilots and visitors. The oldest quay is of stone.\n"
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Iterator[Weft]:
    """Return a knowledge base with one table, opened once."""
    folder = tmp_path_factory.mktemp("rows") / "harbour"
    folder.mkdir()
    (folder / "ships.csv").write_text(SHIPS, encoding="utf-8")
    (folder / "about.md").write_text(ABOUT, encoding="utf-8")
    with Weft.open(folder, home=home) as made:
        yield made


@pytest.mark.parametrize(
    ("question", "short", "cited"),
    [
        ("How many ships are there?", "4", 4),
        ("Which ships joined in 2018?", "Gannet, Osprey", 2),
        ("Which ship has the most seats?", "Osprey", 1),
        ("Does Heron have more seats than Gannet?", "yes", 2),
    ],
)
def test_what_is_computed_cites_its_rows(
    opened: Weft, question: str, short: str, cited: int
) -> None:
    answer = opened.ask(question)
    assert answer.short == short
    assert answer.offline
    citations = [one for sentence in answer.sentences for one in sentence.citations]
    assert len({one.doc_id for one in citations}) == cited
    assert all(one.doc_id.startswith("record:") for one in citations)


@pytest.mark.parametrize(("chance", "is_plan"), [(0.7, False), (0.95, True)])
def test_a_sentence_comes_before_a_plan_that_is_not_sure(
    tmp_path: Path, network: Path, monkeypatch: pytest.MonkeyPatch, chance: float, is_plan: bool
) -> None:
    real = answering.answer_from_tables

    async def so_likely(question: str, tools: RuleTools, **given: Any) -> Any:
        found = await real(question, tools, **given)
        return None if found is None else replace(found, chance=chance)

    monkeypatch.setattr(answering, "answer_from_tables", so_likely)
    folder, home = tmp_path / "harbour", tmp_path / "home"
    folder.mkdir()
    (folder / "ships.csv").write_text(SHIPS, encoding="utf-8")
    told = "# The fleet\n\nHeron joined the fleet in spring, on the second of April 2011.\n"
    (folder / "fleet.md").write_text(told, encoding="utf-8")
    home.mkdir()
    with Weft.open(folder, home=workspace(home, network)) as made:
        answer = made.ask("When did Heron join the fleet?")
    cited = {one.doc_id for sentence in answer.sentences for one in sentence.citations}
    assert all(one.startswith("record:") for one in cited) == is_plan
    assert ("file:harbour/fleet.md" in cited) != is_plan


def make_likely(monkeypatch: pytest.MonkeyPatch, chance: float) -> None:
    """Make every answer of tables so likely."""
    real = answering.answer_from_tables

    async def likely(question: str, tools: RuleTools, **given: Any) -> Any:
        found = await real(question, tools, **given)
        return None if found is None else replace(found, chance=chance)

    monkeypatch.setattr(answering, "answer_from_tables", likely)


def test_a_row_does_not_come_before_a_likely_plan_over_its_rows(
    opened: Weft, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_likely(monkeypatch, LEAST[Caution.ANSWERING])
    assert opened.ask("Who is the captain of Heron?").short == "Mari Kask"


@pytest.mark.parametrize(("chance", "is_near"), [(0.4, True), (0.2, False)])
def test_the_row_of_a_likely_plan_is_near_where_nothing_is_told(
    opened: Weft, monkeypatch: pytest.MonkeyPatch, *, chance: float, is_near: bool
) -> None:
    make_likely(monkeypatch, chance)
    answer = opened.ask("Which ship has the most seats?")
    assert answer.refused
    assert any("Osprey" in one.snippet for one in answer.nearest[:2]) is is_near


def test_a_question_with_a_word_of_no_field_states_no_figure(opened: Weft) -> None:
    assert opened.ask("How many ships have a doctor?").short == ""


@pytest.mark.parametrize(("most", "short"), [(500, "2"), (2, "")])
def test_pages_of_a_folder_are_a_table_unless_they_are_too_many(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, most: int, short: str
) -> None:
    monkeypatch.setattr(shelf, "_MOST_PAGES", most)
    pages = tmp_path / "yard" / "boats"
    pages.mkdir(parents=True)
    for name, owner in (("Tern", "Ann Oak"), ("Kite", "Bo Elm"), ("Rook", "Ann Oak")):
        text = f"# {name}\n\n**Owner:** {owner} · **Harbour:** Riga\n"
        (pages / f"{name}.md").write_text(text, encoding="utf-8")
    with Weft.open(tmp_path / "yard", home=home) as made:
        assert made.ask("How many boats have the owner Ann Oak?").short == short


def test_what_only_a_table_is_called_by_is_not_said_to_stand_nowhere(
    tmp_path: Path, home: Path
) -> None:
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "trawlers.csv").write_text(SHIPS, encoding="utf-8")
    with Weft.open(folder, home=home) as made:
        found = made.ask("How many trawlers burn whale oil?")
    assert found.refused
    assert "trawlers" not in found.missing
