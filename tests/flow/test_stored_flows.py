"""Flows that are written down in files, and research as a plain chain of agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flow.command import Command
from flow.http_world import workspace
from rag_world import make_world
from research_world import Researcher, modelled, report_of, researched, shelf_of_three
from weft.domain.errors import InvalidFlow, NotFound
from weft.domain.event import EventType
from weft.flows.catalog import stored_flow
from weft.flows.research.chain import RESEARCH_CHAIN

QUESTION = "Who founded Apollo?"
SHORT = """
base: rag
name: short
nodes:
  - {id: guard_input, uses: guard_input}
  - {id: think, uses: think, kind: agent}
  - {id: verify, uses: verify, kind: agent}
  - {id: finish, uses: finish}
  - {id: guard_output, uses: guard_output}
edges:
  - {source: guard_input, target: think}
  - {source: think, target: verify}
  - {source: verify, target: finish}
  - {source: finish, target: guard_output}
budget: {tool_calls: 50}
"""


def test_a_flow_of_a_file_is_run_and_on_the_record(tmp_path: Path) -> None:
    home = workspace(tmp_path)
    (home / "short.yaml").write_text(SHORT)
    weft = Command(home=home, folder=home)
    told = json.loads(weft("flow", "run", "short.yaml", "notes", QUESTION, "--json").out)
    assert "Li Wei" in told["answer"]
    shown = json.loads(weft("runs", "show", told["run_id"], "--json").out)
    assert shown["flow"] == "short"
    started = [e["node"] for e in shown["events"] if e["type"] == "node_started"]
    assert started == ["guard_input", "think", "verify", "finish", "guard_output"]
    assert weft("flow", "run", "gone.yaml", "notes", QUESTION).code == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- a", "base"),
        ("base: rag\nnodes: 3", "nodes"),
        ("base: rag\nentry: think\n", "cannot be reached"),
        (SHORT.replace("uses: guard_input", "uses: rewrite"), "entry"),
        ("base: rag\nexits: [finish]\n", "exit"),
        ("base: rag\nentry: nowhere\n", "nowhere"),
        ("base: rag\nedges:\n  - {source: guard_input, target: nowhere}\n", "nowhere"),
        ("{", "YAML"),
    ],
)
def test_what_is_no_flow_is_named(text: str, says: str) -> None:
    with pytest.raises(InvalidFlow, match=says):
        stored_flow(text)


def test_a_base_that_there_is_not_is_named() -> None:
    with pytest.raises(NotFound, match="rag"):
        stored_flow("base: nobody")


@pytest.mark.anyio
async def test_a_chain_of_agents_writes_the_report_of_the_graph() -> None:
    async with modelled(Researcher()) as (world, _):
        graph = await researched(world, mode="deep")
    async with modelled(Researcher(), flows=(RESEARCH_CHAIN,)) as (world, _):
        chain = await researched(world, mode="deep")
        nodes = {e.node for e in world.runs.written if e.type is EventType.NODE_STARTED}
    assert report_of(chain) == report_of(graph)
    assert nodes == {"guard_input", "chain", "report", "guard_output"}


@pytest.mark.anyio
async def test_a_chain_is_ended_by_its_budget_too() -> None:
    world = make_world(shelf=shelf_of_three(), flows=(RESEARCH_CHAIN,))
    report = report_of(await researched(world, "Report on the Harbour Bridge", tool_calls=3))
    assert (report["is_partial"], report["ended_by"]) == (True, "tool_calls")
    assert report["references"]


def test_the_setting_chooses_the_chain(tmp_path: Path) -> None:
    home = workspace(tmp_path, "embedder: none\nuse_graph_execution: false\n")
    weft = Command(home=home, folder=home)
    told = json.loads(weft("research", "notes", "Report on Apollo and Borealis", "--json").out)
    assert "Li Wei" in told["markdown"]
    shown = json.loads(weft("runs", "show", told["run_id"], "--json").out)
    assert "chain" in {e["node"] for e in shown["events"]}
