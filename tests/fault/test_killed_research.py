"""Research whose process is killed at any save goes on in another one, to the same report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fault.test_killed_runs import Desk, told
from model_server import model_server
from research_world import COST, OPENED, SHIPS, Researcher

pytestmark = [pytest.mark.fault, pytest.mark.timeout(900)]
QUESTION = "What is known of the Harbour Bridge?"
# A deep run is saved some thirty times.
SOME, EVERY = (13,), range(1, 60)


@pytest.mark.parametrize("engine", ["simple", "langgraph"])
def test_a_report_killed_at_some_saves_is_that_of_calm(tmp_path: Path, engine: str) -> None:
    if engine != "simple":
        pytest.importorskip(engine)
    check(tmp_path, engine, SOME)


@pytest.mark.chaos
@pytest.mark.parametrize("engine", ["simple", "langgraph"])
def test_a_report_killed_at_every_save_is_that_of_calm(tmp_path: Path, engine: str) -> None:
    if engine != "simple":
        pytest.importorskip(engine)
    check(tmp_path, engine, EVERY)


def check(folder: Path, engine: str, saves: range | tuple[int, ...]) -> None:
    docs = folder / "docs"
    docs.mkdir()
    for name, text in (("opening", OPENED), ("cost", COST), ("ships", SHIPS)):
        (docs / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n")
    script = Researcher()
    with model_server(script) as server:
        desk = Desk(home=folder / "home", docs=docs, server=server, engine=engine)
        words = ("research", str(docs), QUESTION, "--mode", "deep")
        calm = desk.json(*words)
        said = " ".join(one["text"] for one in calm["sentences"])
        assert all(one in said for one in (OPENED, COST, SHIPS))
        calls, killed = len(server.requests), 0
        for save in saves:
            server.requests.clear()
            run_id = desk.killed(save, *words)
            if not run_id:
                break
            killed += 1
            assert told(desk.json("runs", "resume", run_id)) == told(calm)
            # Whoever was asked while the process died is asked once more: three sections at most.
            assert len(server.requests) <= calls + 3
            shown = desk.json("runs", "show", run_id)
            assert shown["status"] == "finished"
            assert set(Counter(one["action_id"] for one in shown["tool_runs"]).values()) == {1}
            seqs = [event["seq"] for event in shown["events"]]
            assert seqs == list(range(1, len(seqs) + 1))
        assert killed >= min(len(saves), 2)
