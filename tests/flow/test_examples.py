"""The example organisation, asked through the product: what its questions are worth, as a floor.

`bench/bench_examples.py` prints the same figures by kind and language.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from bench_examples import Outcome, ask_all, fill, read_questions, row_of

from flow.conftest import workspace

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory, network: Path) -> list[Outcome]:
    home = workspace(tmp_path_factory.mktemp("examples"), network)
    fill(home)
    return asyncio.run(ask_all(read_questions(), home))


def test_most_answers_are_found_and_four_in_five_gaps_are_not_answered(
    outcomes: list[Outcome],
) -> None:
    row = row_of("all", outcomes)
    assert float(str(row["shown"])) >= 0.78, row
    assert float(str(row["lost"])) <= 0.06, row
    assert float(str(row["refused"])) >= 0.8, row


def test_nothing_restricted_is_shown_to_who_may_not_read_it(outcomes: list[Outcome]) -> None:
    assert [one.question.text for one in outcomes if one.leaked] == []
    assert sum(bool(one.question.hidden) for one in outcomes) >= 8


def test_namesakes_are_kept_apart(outcomes: list[Outcome]) -> None:
    row = row_of("homonym", [one for one in outcomes if one.question.kind == "homonym"])
    assert float(str(row["shown"])) >= 0.9, row
