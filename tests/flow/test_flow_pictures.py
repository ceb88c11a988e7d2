"""The pictures of flows in the docs are those that `weft flow show` draws."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from flow.command import Command
from house.source import ROOT
from weft.flows.catalog import FlowCatalog
from weft.runtime.mermaid import draw

PAGES = {
    "debate": "debate-across-knowledge-bases.md",
    "rag": "answer-from-a-folder.md",
    "research": "research-a-question.md",
    "router": "ask-the-graph.md",
    "semantic": "ask-the-graph.md",
}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_picture_in_the_docs_is_the_flow(name: str) -> None:
    page = (ROOT / "docs" / "how-to" / PAGES[name]).read_text(encoding="utf-8")
    drawn = re.findall(r"```mermaid\n(.*?)```", page, re.DOTALL)
    assert draw(FlowCatalog().find(name).spec) in drawn


def test_flows_are_listed_and_shown(tmp_path: Path) -> None:
    weft = Command(home=tmp_path, folder=tmp_path)
    listed = json.loads(weft("flow", "list", "--json").out)
    assert next(one["name"] for one in listed) == "rag"
    assert "debate: " in weft("flow", "list").out
    assert weft("flow", "show", "debate").out == draw(FlowCatalog().find("debate").spec)
    unknown = weft("flow", "show", "nothing")
    assert unknown.code != 0
    assert "debate" in unknown.err
