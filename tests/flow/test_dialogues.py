"""Follow-up questions, asked through the product: 80 dialogues over three folders, as a floor.

`bench/bench_dialogues.py` prints the same figures by folder, kind and language.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from bench_dialogues import FOLDERS, HeldDialogue, fill, hold_all, missing_of, read_dialogues

from flow.conftest import workspace

pytestmark = pytest.mark.timeout(240)
# Of the dialogues whose second question is answered when somebody asks it whole.
RIGHT = 0.9
# Of all: what no conversation is at fault for counts here.
RIGHT_OF_ALL = 0.75


@pytest.fixture(scope="module", params=FOLDERS)
def held(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, network: Path
) -> list[HeldDialogue]:
    folder: str = request.param
    if missing := missing_of(folder):
        pytest.skip(f"the documents of {folder} are not on this machine: {missing[0]} ...")
    home = workspace(tmp_path_factory.mktemp(folder), network)
    fill(home, folder)
    return asyncio.run(hold_all(read_dialogues(folder), home))


def test_a_follow_up_is_answered_or_refused_as_a_person_would(held: list[HeldDialogue]) -> None:
    wrong = [one for one in held if not one.is_right]
    apart = [one for one in wrong if one.fails_whole]
    own = [one for one in wrong if not one.fails_whole]
    figures = (
        f"{len(held) - len(wrong)} of {len(held)} right; wrong asked whole as well: "
        f"{[one.dialogue.id for one in apart]}; wrong: {[one.dialogue.id for one in own]}"
    )
    print(figures)
    assert len(own) <= (1 - RIGHT) * (len(held) - len(apart)), figures
    assert len(held) - len(wrong) >= RIGHT_OF_ALL * len(held), figures


def test_no_follow_up_is_rewritten_into_another_question(held: list[HeldDialogue]) -> None:
    another = {one.dialogue.second: one.second.rewritten_question for one in held if one.is_another}
    assert another == {}


def test_what_was_not_made_whole_says_what_it_was_asked_with(held: list[HeldDialogue]) -> None:
    said = [
        one.second
        for one in held
        if any("spoken of last" in n or "앞에서" in n for n in one.second.notes)
    ]
    assert said
    assert [one for one in said if one.rewritten_question] == []


def test_the_folders_hold_80_dialogues_20_of_them_korean() -> None:
    every = [one for folder in FOLDERS for one in read_dialogues(folder)]
    assert len({one.id for one in every}) == 80
    assert sum(one.language == "ko" for one in every) == 20
