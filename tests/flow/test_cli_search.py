"""`weft search`: the passages for a question and how they were reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from flow.command import Command, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command in a folder that holds `docs`."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs")
    return Command(home=home, folder=folder)


def test_the_best_passage_comes_first_with_its_way(weft: Command) -> None:
    found = weft("search", "Who does the dredging?", "docs", "--json", "--explain").json
    best = found["hits"][0]
    assert best["document"] == "file:docs/harbour.md"
    assert "Nordwerk Marine" in best["text"]
    assert best["path"]
    assert found["passages"] > len(found["hits"]) / 2
    assert found["explanations"]


def test_the_ways_are_drawn(weft: Command) -> None:
    said = weft("search", "Who keeps the lighthouse?", "docs", "--explain")
    assert said.code == 0
    assert "Berta Lind" in said.out


@pytest.mark.parametrize("words", [[""], ["a", "docs", "more"], ["a", "nowhere"]])
def test_bad_input_is_named(weft: Command, words: list[str]) -> None:
    said = weft("search", *words)
    assert said.code == 2
    assert said.err.startswith("weft: ")
