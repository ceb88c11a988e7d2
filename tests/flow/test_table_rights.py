"""What a reader may not read of a table changes nothing that is worked out for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from principals import somebody
from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.flows.asking import Asking
from weft.platform.identity import (
    local_owner,
)
from weft.sdk.weft import Weft

READERS = ("blue", "red")
COLUMNS = "id,ship,harbour,load,sails,acl"
QUESTIONS = (
    "How many ships are in Oslo?",
    "What is the total load of the ships in Turku?",
    "Which ship has the largest load?",
    "What is the average load?",
    "Which ships sail after June 2024?",
    "How many ships are there by harbour?",
    "What is the load of the Kittiwake?",
    "Which harbours are there?",
    "How big is the Gannet?",
    "Which vessel is the latest?",
)
OF_MONTHS = (
    "In which month was the most carried?",
    "Which ship carried the most in February?",
    "How much did the Kittiwake carry from January to March?",
    "How much was carried in total from February to April?",
)
Ship = tuple[str, str, int, str, str]


def drawn(seed: int) -> list[Ship]:
    """Return ships, each readable by some; the names and loads of the others are their canaries."""
    random = Random(seed)
    names = ["Kittiwake", "Gannet", "Puffin", "Skua", "Fulmar", "Tern", "Petrel", "Razorbill"]
    return [
        (
            name,
            random.choice(["Oslo", "Turku", "Lyme"]),
            random.randint(1, 9) * 1000 + at,
            f"2024-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
            random.choice(["group:blue", "group:red", "group:blue;group:red"]),
        )
        for at, name in enumerate(names)
    ]


def written(ships: Sequence[tuple[int, Ship]]) -> str:
    lines = [f"{at},{','.join(map(str, ship))}" for at, ship in ships]
    return "\n".join([COLUMNS, *lines, ""])


def laid_out(ships: Sequence[tuple[int, Ship]]) -> list[tuple[int, Ship]]:
    """Return ships by harbour, of which only the first of each says where it is."""
    found: list[tuple[int, Ship]] = []
    above = ""
    for at, (name, harbour, load, sails, acl) in sorted(ships, key=lambda one: one[1][1]):
        found.append((at, (name, "" if harbour == above else harbour, load, sails, acl)))
        above = harbour
    return found


async def answers(home: Path, reader: str, questions: Sequence[str] = QUESTIONS) -> list[Answer]:
    """Return what a reader is answered, without what differs from run to run."""
    app = await open_app(load_settings(home))
    scope = somebody(reader, f"group:{reader}", "tenant:*")
    try:
        [known] = await app.records.bases.listed(local_owner())
        flows = build_flows(app)
        asked = [Asking(question=one, knowledge_bases=(known.name,)) for one in questions]
        return [(await flows.run(scope, one)).answer for one in asked]
    finally:
        await app.close()


def by_harbour(ships: Sequence[tuple[int, Ship]]) -> str:
    """Return ships with the harbour in front, where a name may stand over several rows."""
    lines = [
        f"{harbour},{at},{name},{load},{sails},{acl}"
        for at, (name, harbour, load, sails, acl) in ships
    ]
    return "\n".join(["harbour,id,ship,load,sails,acl", *lines, ""])


def by_month(ships: Sequence[tuple[int, Ship]]) -> str:
    """Return what ships carried in each of four months, side by side; the load is a canary."""
    lines = [
        f"{at},{name},{load},{load % 7},{load % 11},{load % 13},{acl}"
        for at, (name, _, load, _, acl) in ships
    ]
    return "\n".join(["id,ship,Jan,Feb,Mar,Apr,acl", *lines, ""])


def filled(
    place: Path, ships: Sequence[tuple[int, Ship]], *, write: Callable[..., str] = written
) -> Path:
    folder, home = place / "harbour", place / "home"
    folder.mkdir(parents=True)
    home.mkdir()
    (folder / "ships.csv").write_text(write(ships), encoding="utf-8")
    (home / "weft.yaml").write_text("embedder: none\n")
    with Weft.open(folder, home=home) as opened:
        opened.sync()
    return home


def told(answer: Answer) -> tuple[object, ...]:
    cited = [(one.text, [c.doc_id for c in one.citations]) for one in answer.sentences]
    near = [one.snippet for one in answer.nearest]
    notes = [one for one in answer.notes if "ranked by full text" not in one]
    return answer.short, cited, near, notes, answer.missing, answer.meanings


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("seed", range(3))
def test_a_hidden_row_changes_no_byte(tmp_path: Path, seed: int) -> None:
    ships = list(enumerate(drawn(seed), 1))
    whole = filled(tmp_path / "whole", ships)
    shorts = set()
    for reader in READERS:
        seen = [(at, one) for at, one in ships if f"group:{reader}" in one[4]]
        part = filled(tmp_path / reader, seen)
        with_all, with_part = (asyncio.run(answers(home, reader)) for home in (whole, part))
        assert list(map(told, with_all)) == list(map(told, with_part))
        hidden = [str(one[2]) for at, one in ships if (at, one) not in seen]
        assert not [one for one in hidden if one in str(list(map(told, with_all)))]
        shorts |= {answer.short for answer in with_all}
    assert len(shorts) > len(READERS) * 2  # they are worked out, and not alike for both


@pytest.mark.slow
def test_a_name_over_rows_is_not_told_to_who_may_not_read_where_it_stands(tmp_path: Path) -> None:
    ships = laid_out(list(enumerate(drawn(1), 1)))
    whole = filled(tmp_path / "whole", ships, write=by_harbour)
    for reader in READERS:
        seen = [(at, one) for at, one in ships if f"group:{reader}" in one[4]]
        part = filled(tmp_path / reader, seen, write=by_harbour)
        with_all, with_part = (asyncio.run(answers(home, reader)) for home in (whole, part))
        assert list(map(told, with_all)) == list(map(told, with_part))
        hidden = {one[1] for _, one in ships} - {one[1] for _, one in seen}
        # What was asked for and not found is named in the question's own words.
        shown = str([told(answer)[:3] for answer in with_all])
        assert hidden
        assert not [one for one in hidden if one in shown]


@pytest.mark.slow
def test_a_hidden_row_changes_nothing_that_is_told_by_months(tmp_path: Path) -> None:
    ships = list(enumerate(drawn(2), 1))
    whole = filled(tmp_path / "whole", ships, write=by_month)
    shorts = set()
    for reader in READERS:
        seen = [(at, one) for at, one in ships if f"group:{reader}" in one[4]]
        part = filled(tmp_path / reader, seen, write=by_month)
        with_all, with_part = (
            asyncio.run(answers(home, reader, OF_MONTHS)) for home in (whole, part)
        )
        assert list(map(told, with_all)) == list(map(told, with_part))
        hidden = [str(one[2]) for at, one in ships if (at, one) not in seen]
        assert hidden
        assert not [one for one in hidden if one in str(list(map(told, with_all)))]
        shorts |= {answer.short for answer in with_all if answer.short}
    assert len(shorts) > 1
