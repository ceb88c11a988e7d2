"""Reports over the example organisation: every reference opens where it says it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from house.source import ROOT
from model_server import Body, Say, evidence_of, hand_in, model_server
from research_world import Researcher, plan
from weft.sdk.weft import Weft

QUESTION = "Write a report on incidents and what was done about them"
OUTLINE = plan(
    ("The ferry", "What happened to the ferry that was not there?"),
    ("Double charging", "What was changed after the double charging?"),
)

pytestmark = pytest.mark.timeout(180)


def reading(body: Body) -> Say:
    """Search, then hand in the first sentence of the best passage."""
    found = evidence_of(body)
    if not found:
        return Say(calls=[("rag_search", {"query": body["messages"][1]["content"]})])
    lines = [one for one in found[0]["text"].splitlines() if len(one.split()) > 4]
    return hand_in(body, (lines[0].lstrip("-*# "), [found[0]["id"]]))


def looked_into(home: Path, **options: Any) -> Any:
    with Weft.open(ROOT / "examples" / "engineering", home=home) as weft:
        *_, outcome = weft.research(QUESTION, mode="deep", **options)
        report: Any = outcome.payload["report"]  # type: ignore[union-attr]
        for one in report["references"]:
            (found,) = [e for e in weft.search(one["snippet"], 20) if e.chunk_id == one["chunk_id"]]
            assert one["snippet"] in found.text
    return report


def test_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "weft.yaml").write_text("embedder: none\n")
    report = looked_into(tmp_path)
    assert len(report["sections"]) > 1
    assert len(report["references"]) > 3


def test_with_a_scripted_model(tmp_path: Path) -> None:
    script = Researcher(outline=OUTLINE, instead={"read": reading})
    with model_server(script) as server:
        settings = f"model: openai:scripted\nopenai_base_url: {server.base_url}\nembedder: none\n"
        (tmp_path / "weft.yaml").write_text(settings)
        report = looked_into(tmp_path)
    assert [one["status"] for one in report["sections"]] == ["complete", "complete"]
    assert report["summary"]
    assert not report["offline"]
