"""What a plain handbook states by labels, front matter and tables are claims with their spans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flow.command import write
from flow.handbook import HANDBOOK
from weft.cli.verbs import command_line


def called(*words: str) -> str:
    """Return what a call writes to standard output."""
    done = CliRunner().invoke(command_line(words[0]), words)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Return the lines of the handbook's knowledge base."""
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    called("ingest", str(write(tmp_path / "handbook", HANDBOOK)), "--kb", "Handbook")
    stats = json.loads(called("kb", "stats", "Handbook", "--json"))
    assert len(HANDBOOK) == 16
    assert stats["claims"] >= 50
    return [json.loads(line) for line in called("kb", "export", "Handbook").splitlines()]


def test_a_handbook_states_who_owns_leads_and_belongs_to_what(
    exported: list[dict[str, object]],
) -> None:
    texts = {line["id"]: str(line["text"]) for line in exported if line["kind"] == "document"}
    claims = [line for line in exported if line["kind"] == "claim"]
    told = {
        (line["subject_name"], line["predicate"], line["object_name"] or line["value"])
        for line in claims
    }
    assert {
        ("portal", "led_by", "mira okafor"),
        ("portal", "part_of", "product engineering"),
        ("mira okafor", "reports_to", "ines barreto"),
        ("mira okafor", "role", "Engineering manager"),
        ("travel policy", "owned_by", "ruth calder"),
        ("travel policy", "valid_from", "2025-03-01"),
        ("quay gateway", "owned_by", "portal"),
        ("quay gateway", "tier", "1"),
        ("ledger", "led_by", "seo min a"),
        ("invoice run", "part_of", "ledger"),
        ("invoice run", "contact", "#billing"),
        ("north house", "located_in", "gothenburg"),
        ("river house", "led_by", "mira okafor"),
        ("castline", "renewal", "2026-05-31"),
        ("product review", "led_by", "ines barreto"),
    } <= told
    assert ("papirus", "renewal", "–") not in told
    for line in claims:
        start, end = line["start"], line["end"]
        assert isinstance(start, int)
        assert isinstance(end, int)
        said = texts[str(line["doc_id"])][start:end]
        assert said
        assert "\n" not in said
        words = str(line["object_name"] or line["value"]).casefold()
        assert words.split()[0] in said.casefold()
