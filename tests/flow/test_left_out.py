"""The router and the graph go on without what cannot be asked, and name it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from debate_world import GONE, OPENED, QUESTION, Losses, debate_world, shelf
from flow.command import Command
from flow.http_world import served, workspace
from weft import Weft
from weft.domain.notes import note
from weft.flows.asking import Asking
from weft.platform.identity import local_owner

FLOWS = ("router", "semantic")
TEXT = "# Apollo\n\nApollo was founded by Li Wei in Seoul.\n"
ASKED = "Who founded Apollo?"


@pytest.mark.anyio
@pytest.mark.parametrize("flow", FLOWS)
async def test_a_run_names_what_it_goes_on_without(flow: str) -> None:
    losses = Losses(stale=["City"])
    world = debate_world({"Archive": shelf(OPENED), "City": shelf(OPENED)}, losses)
    asking = Asking(question=QUESTION, knowledge_bases=("Archive", "City"), flow=flow)
    answer = (await world.flows.run(local_owner(), asking)).answer
    assert note("left_out", base="City", reason=GONE) in answer.notes
    assert {c.knowledge_base for one in answer.sentences for c in one.citations} <= {"Archive"}
    assert all("City" not in names for names in losses.searched)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return workspace(tmp_path)


@pytest.fixture
def names(home: Path) -> list[str]:
    """Return two knowledge bases, of which the second lost its file."""
    made: list[str] = []
    for name in ("here", "gone"):
        folder = home / name
        folder.mkdir()
        (folder / "apollo.md").write_text(TEXT)
        with Weft.open(folder, home=home) as weft:
            weft.sync()
            made.append(weft.name)
    for part in (home / "kb").glob(f"{made[1]}.db*"):
        part.unlink()
    return made


@pytest.fixture
def client(home: Path, names: list[str]) -> Iterator[TestClient]:
    with served(home) as opened:
        yield opened


@pytest.mark.parametrize("mode", FLOWS)
def test_over_http(client: TestClient, names: list[str], mode: str) -> None:
    def asked(*kb: str) -> Any:
        body = {"message": ASKED, "mode": mode, "kb": list(kb)}
        return client.post("/platform/chat/send", json=body)

    told = asked(*names)
    assert told.status_code == 200, told.text
    assert told.text.count("was left out") >= 1
    alone = asked(names[1])
    assert alone.status_code == 503, alone.text
    assert asked(*names, "Nowhere").status_code == 404


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("flow", FLOWS)
def test_on_the_command_line(home: Path, names: list[str], flow: str) -> None:
    weft = Command(home=home, folder=home, settings={"WEFT_EMBEDDER": "none"})
    told = weft("ask", ASKED, "--flow", flow, "--kb", ",".join(names), "--json").json
    assert sum("was left out" in one for one in told["notes"]) == 1
    assert weft("ask", ASKED, "--flow", flow, "--kb", names[1]).code > 1
