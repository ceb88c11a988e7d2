"""`weft kb copy` from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from flow.command import DOCUMENTS, Command, write

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture
def weft(tmp_path: Path) -> Command:
    """Return the command in a workspace of its own."""
    (tmp_path / "home").mkdir()
    settings = {"WEFT_EMBEDDER": "none"}
    return Command(home=tmp_path / "home", folder=tmp_path, settings=settings)


def exported(weft: Command, name: str) -> str:
    said = weft("kb", "export", name)
    assert said.code == 0, said.err
    return said.out


def test_a_copy_answers_as_its_original(weft: Command, tmp_path: Path) -> None:
    folder = write(tmp_path / "papers")
    assert weft("ingest", str(folder), "--kb", "Harbour").code == 0
    done = weft("kb", "copy", "Harbour", "Twin", "--json").json
    assert (done["from"], done["name"]) == ("Harbour", "Twin")
    assert done["documents"] == done["written"] > 4
    assert exported(weft, "Twin") == exported(weft, "Harbour")
    asked = ("search", "crane that lifts 120 tonnes", "--json", "--kb")
    hits = [weft(*asked, name).json["hits"] for name in ("Harbour", "Twin")]
    places = [[(hit["document"], hit["score"]) for hit in found] for found in hits]
    assert places[0] == places[1] != []
    again = weft("kb", "copy", "Harbour", "Twin", "--json").json
    assert (again["written"], again["removed"]) == (0, 0)


def test_a_copy_follows_its_original(weft: Command, tmp_path: Path) -> None:
    folder = write(tmp_path / "papers")
    assert weft("ingest", str(folder), "--kb", "Harbour").code == 0
    assert weft("kb", "copy", "Harbour", "Twin").code == 0
    (folder / "tides.html").unlink()
    (folder / "harbour.md").write_text(DOCUMENTS["harbour.md"] + "\nIt rained.\n", encoding="utf-8")
    assert weft("ingest", str(folder), "--kb", "Harbour", "--prune").code == 0
    refused = weft("kb", "copy", "Harbour", "Twin", "--json")
    assert refused.error["code"] == "bad_input"
    done = weft("kb", "copy", "Harbour", "Twin", "--prune", "--json").json
    assert (done["written"], done["removed"]) == (1, 1)
    assert exported(weft, "Twin") == exported(weft, "Harbour")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("Nothing", "Twin"), "unknown_knowledge_base"),
        (("Empty", "Empty"), "bad_input"),
        (("Empty", "no/name"), "bad_input"),
        (("Empty", "Twin", "--store", "ftp://here"), "bad_input"),
    ],
)
def test_what_cannot_be_copied_is_said(weft: Command, words: tuple[str, ...], code: str) -> None:
    assert weft("kb", "create", "Empty").code == 0
    assert weft("kb", "copy", *words, "--json").error["code"] == code
