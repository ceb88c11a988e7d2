"""What a reader may not read of a table changes nothing that is worked out for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.domain.answer import Answer
from weft.flows.asking import Asking
from weft.platform.identity import (
    LOCAL_TENANT,
    OWNER_PERMISSIONS,
    local_owner,
    principal_scope,
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


async def answers(home: Path, reader: str) -> list[Answer]:
    """Return what a reader is answered, without what differs from run to run."""
    app = await open_app(load_settings(home))
    scope = principal_scope(
        tenant=LOCAL_TENANT,
        actor=f"user:{reader}",
        groups=[f"group:{reader}", "tenant:*"],
        permissions=OWNER_PERMISSIONS,
    )
    try:
        [known] = await app.records.bases.listed(local_owner())
        flows = build_flows(app)
        asked = [Asking(question=one, knowledge_bases=(known.name,)) for one in QUESTIONS]
        return [(await flows.run(scope, one)).answer for one in asked]
    finally:
        await app.close()


def filled(place: Path, ships: Sequence[tuple[int, Ship]]) -> Path:
    folder, home = place / "harbour", place / "home"
    folder.mkdir(parents=True)
    home.mkdir()
    (folder / "ships.csv").write_text(written(ships), encoding="utf-8")
    (home / "weft.yaml").write_text("embedder: none\n")
    with Weft.open(folder, home=home) as opened:
        opened.sync()
    return home


def told(answer: Answer) -> tuple[object, ...]:
    cited = [(one.text, [c.doc_id for c in one.citations]) for one in answer.sentences]
    near = [one.snippet for one in answer.nearest]
    notes = [one for one in answer.notes if "ranked by full text" not in one]
    return answer.short, cited, near, notes, answer.missing


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
