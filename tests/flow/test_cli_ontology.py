"""`weft ontology`, and knowledge bases that are read by an ontology of their own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flow.command import Said, write
from weft.cli.verbs import command_line

HARBOUR = """
name: harbour
mode: strict
classes:
  crane: {keywords: crane, members: "Big Bess, Little Lou"}
  pilot: {aliases: person, before: pilot, beginnings: "Ada, Berta"}
relations:
  steered_by: {domain: crane, range: pilot, cues: [steered by, is steered by]}
"""
TEXT = "# Cranes\n\nBig Bess is steered by Ada Novak. Nordwerk Marine was founded by Jun Ito.\n"
TURTLE = """
@prefix : <http://x/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Vessel a owl:Class ; rdfs:label "vessel", "선박"@ko .
:Tug a owl:Class ; rdfs:subClassOf :Vessel .
:tows a owl:ObjectProperty ; rdfs:label "tows away" ; rdfs:domain :Tug ; rdfs:range :Vessel .
"""


@dataclass(frozen=True)
class Here:
    """The command line in this process, in a folder with a workspace of its own."""

    folder: Path

    @property
    def home(self) -> Path:
        """Return the workspace."""
        return self.folder / "home"

    def __call__(self, *words: str) -> Said:
        done = CliRunner().invoke(command_line(words[0]), words)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Said(code=done.exit_code, out=done.stdout, err=done.stderr)


@pytest.fixture
def weft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Return the command line with a workspace that has an ontology of its own."""
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WEFT_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "home" / "ontologies", {"harbour.yaml": HARBOUR})
    write(tmp_path / "docs", {"cranes.md": TEXT})
    return Here(tmp_path)


def test_ontologies_are_listed_checked_and_shown(weft: Here) -> None:
    listed = {row["name"]: row for row in weft("ontology", "list", "--json").json}
    assert set(listed) == {"baseline", "finance", "harbour", "software", "tracing"}
    assert listed["harbour"]["from"] == "workspace"
    assert "harbour" in weft("ontology", "list").out
    checked = weft("ontology", "check", "--json").json
    assert checked["ok"] is True
    shown = weft("ontology", "show", "harbour").out
    assert shown.startswith("harbour\n\nEntity types:\n- crane")
    assert "crane steered_by pilot" in shown
    relations = weft("ontology", "show", "finance", "--json").json["relations"]
    assert {"lei", "issued_by"} <= {each["name"] for each in relations}
    hints = json.loads(weft("ontology", "hints", "harbour").out)
    assert hints["aliases"]["person"] == "pilot"
    assert hints["label_keywords"]["crane"] == ["crane"]


def test_what_is_wrong_is_named_and_ends_with_2(weft: Here) -> None:
    write(weft.home / "ontologies", {"broken.yaml": "name: broken\nclasses: {A: {}}\n"})
    said = weft("ontology", "check")
    assert said.code == 2
    assert "broken: classes.A" in said.out
    assert "ok      harbour" in said.out
    assert weft("ontology", "show", "nobody", "--json").error["code"] == "bad_input"
    write(weft.folder, {"no.ttl": "<http://x/a> <http://x/b>"})
    assert "no.ttl" in weft("ontology", "import", "no.ttl").err


def test_a_vocabulary_is_brought_in_once_and_can_be_used(weft: Here) -> None:
    write(weft.folder, {"vessels.ttl": TURTLE})
    assert "2 classes" in weft("ontology", "import", "vessels.ttl").out
    assert "already" in weft("ontology", "import", "vessels.ttl").err
    shown = weft("ontology", "show", "vessels").out
    assert "tug tows vessel" in shown
    assert "person born_in place" in shown
    alone = weft("ontology", "show", "vessels.ttl").out
    assert "born_in" not in alone
    written = weft("ontology", "hints", "vessels.ttl", "-o", "output/hints.json")
    assert written.code == 0
    kept = json.loads((weft.folder / "output" / "hints.json").read_text(encoding="utf-8"))
    assert kept["aliases"]["선박"] == "vessel"


def claims(weft: Here, name: str) -> list[tuple[str, str, str]]:
    """Return what the claims of a knowledge base say."""
    lines = [json.loads(line) for line in weft("kb", "export", name).out.splitlines()]
    found = [line for line in lines if line["kind"] == "claim"]
    return sorted((c["subject_name"], c["predicate"], c["object_name"]) for c in found)


def test_a_base_is_read_by_its_own_ontology(weft: Here) -> None:
    assert weft("kb", "create", "Port", "--ontology", "harbour").code == 0
    assert weft("ingest", "docs", "--kb", "Port").code == 0
    assert claims(weft, "Port") == [("big bess", "steered_by", "ada novak")]
    assert weft("ingest", "docs", "--kb", "Plain").code == 0
    assert ("nordwerk marine", "founded_by", "jun ito") in claims(weft, "Plain")
    assert weft("kb", "create", "No", "--ontology", "nobody").code == 2


def test_a_changed_ontology_asks_for_a_new_index(weft: Here) -> None:
    weft("kb", "create", "Port", "--ontology", "harbour")
    weft("ingest", "docs", "--kb", "Port")
    path = weft.home / "ontologies" / "harbour.yaml"
    path.write_text(path.read_text() + "  painted_by: {domain: crane, range: pilot}\n")
    refused = weft("ingest", "docs", "--kb", "Port", "--json").error
    assert refused["code"] == "index_mismatch"
    assert "weft kb reindex Port" in refused["message"]
    assert "ontology" in refused["message"]
    (port,) = weft("kb", "list", "--json").json
    assert port["state"] == "degraded"
    assert weft("ask", "--kb", "Port", "Who steers Big Bess?").code in (0, 1)
    assert weft("kb", "reindex", "Port").code == 0
    assert weft("ingest", "docs", "--kb", "Port").code == 0
    assert claims(weft, "Port") == [("big bess", "steered_by", "ada novak")]


def test_a_base_can_be_read_anew_by_another_ontology(weft: Here) -> None:
    weft("ingest", "docs", "--kb", "Plain")
    assert len(claims(weft, "Plain")) > 1 or claims(weft, "Plain")[0][1] == "founded_by"
    assert weft("kb", "reindex", "Plain", "--ontology", "harbour").code == 0
    assert claims(weft, "Plain") == [("big bess", "steered_by", "ada novak")]
    assert weft("kb", "reindex", "Plain").code == 0
    assert claims(weft, "Plain") == [("big bess", "steered_by", "ada novak")]


def test_what_runs_did_is_taken_in_and_asked(weft: Here) -> None:
    weft("ask", "docs", "Who steers Big Bess?")
    (run,) = weft("runs", "list", "--json").json
    assert weft("runs", "export", run["run_id"][:8], "-o", "traces.jsonl").code == 0
    written = (weft.folder / "traces.jsonl").read_text(encoding="utf-8")
    assert written == weft("runs", "export", run["run_id"]).out
    records = [json.loads(line) for line in written.splitlines()]
    assert records[0]["title"] == f"Run {run['run_id'][:8]}"
    assert len({one["id"] for one in records}) == len(records)
    assert "Ada Novak" not in written
    assert "Status: finished" in records[0]["content"]
    assert any("Tool: rag_search\nStatus: ok" in one["content"] for one in records)
    weft("kb", "create", "Traces", "--ontology", "tracing")
    weft("ingest", "traces.jsonl", "--kb", "Traces")
    stats = weft("kb", "stats", "Traces", "--json").json
    assert stats["documents"] == len(records)
    exported = weft("kb", "export", "Traces").out
    for relation in ("called", "part_of_run", "parent_step", "asked_by", "duration"):
        assert f'"predicate":"{relation}"' in exported
    answer = weft("ask", "--kb", "Traces", "Which step called rag_search?", "--json").out
    assert "Step execute_tool rag_search of run" in answer
    assert weft("runs", "export", "nothing").code == 3
    for words in (("runs", "export", run["run_id"]), ("kb", "export", "Traces")):
        refused = weft(*words, "-o", "nowhere/x.jsonl")
        assert refused.code == 2
        assert "cannot be written" in refused.err
