"""`weft ingest` and `weft kb`: what is brought in, counted, exported, made anew and dropped."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from flow.command import DOCUMENTS, Command, Said, write

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command beside `docs`, read into a base of its own and into `Harbour`."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs")
    made = Command(home=home, folder=folder, settings={"WEFT_EMBEDDER": "none"})
    assert made("ingest", "docs", "--json").code == 0
    assert made("ingest", "docs", "--kb", "Harbour", "--json").code == 0
    return made


def rows(said: Said) -> list[Any]:
    """Return the JSON lines that a call wrote."""
    assert said.code == 0, said.err
    return [json.loads(line) for line in said.out.splitlines()]


def test_ingest_says_what_it_did_and_does_nothing_twice(weft: Command) -> None:
    folder = write(weft.folder / "twice", DOCUMENTS)
    (first,) = weft("ingest", str(folder), "--json").json
    assert first["files"] == first["files_done"] == len(DOCUMENTS)
    assert first["documents"] == first["chunks"] == 6  # the table has two rows
    assert first["failed"] == first["unchanged"] == 0
    (again,) = weft("ingest", str(folder), "--json").json
    assert again["unchanged"] == len(DOCUMENTS)
    assert again["documents"] == 0
    assert again["knowledge_base"] == first["knowledge_base"]
    assert f"nothing has changed in {len(DOCUMENTS)} files" in weft("ingest", str(folder)).out


def test_a_removed_file_goes_only_when_asked_to(weft: Command) -> None:
    write(weft.folder / "prune", {"a.txt": "One.\n", "b.txt": "Two.\n"})
    ingest = ("ingest", "prune", "--kb", "Pruned", "--json")
    assert weft(*ingest).code == 0
    (weft.folder / "prune" / "b.txt").unlink()
    assert weft(*ingest).json[0]["removed"] == 0
    assert weft("kb", "stats", "Pruned", "--json").json["documents"] == 2
    assert weft(*ingest, "--prune").json[0]["removed"] == 1
    assert weft("kb", "stats", "Pruned", "--json").json["documents"] == 1


def test_a_knowledge_base_is_known_by_name_and_by_folder(weft: Command) -> None:
    listed = {row["folder"]: row["name"] for row in weft("kb", "list", "--json").json}
    name = listed[str((weft.folder / "docs").resolve())]
    by_folder = weft("kb", "stats", "docs", "--json").json
    assert by_folder["name"] == name
    assert by_folder == weft("kb", "stats", name, "--json").json
    assert by_folder["documents"] == 6
    assert by_folder["sources"] == {"docs": str((weft.folder / "docs").resolve())}
    assert "documents" in weft("kb", "stats", name).out


def test_the_base_of_a_folder_is_called_by_its_path_everywhere(weft: Command) -> None:
    path = str((weft.folder / "docs").resolve())
    (row,) = [row for row in weft("kb", "list", "--json").json if row["folder"] == path]
    made_up = row["name"]
    assert row["title"] == path
    assert weft("kb", "stats", "docs", "--json").json["title"] == path
    shown = [weft("kb", *verb).out for verb in (["list"], ["stats", "docs"], ["ledger", "docs"])]
    shown.append(weft("ingest", "docs").out)
    shown.append(weft("search", "crane", "docs", "--explain").out)
    asked = weft("ask", "docs", "What does the new crane lift?")
    shown += [asked.out, asked.err]
    assert all(made_up not in said for said in shown)
    assert all(path in said for said in (shown[0], shown[1], shown[4], asked.out))
    refused = weft("kb", "create", "docs/x")
    assert refused.code == 2
    assert "weft ingest docs/x" in refused.err


@pytest.mark.parametrize("title", ["Handbuch für Köche", "사내 위키", "Pläne, Listen"])
def test_a_base_is_known_by_its_title(weft: Command, title: str) -> None:
    made = weft("kb", "create", title, "--json").json
    assert made["title"] == title
    assert title in weft("kb", "list").out
    assert weft("kb", "create", title.upper(), "--json").error["code"] == "knowledge_base_exists"
    (row,) = weft("ingest", "docs", "--kb", title, "--json").json
    assert (row["knowledge_base"], row["title"]) == (made["name"], title)
    question = "What does the new crane lift?"
    assert "120" in weft("ask", question, "--kb", title, "--json").json["answer"]
    assert (
        "120" in weft("ask", question, "--kb", f"{made['name']},Harbour", "--json").json["answer"]
    )
    assert weft("kb", "stats", title, "--json").json["documents"] == 6
    assert "no_text" not in weft("kb", "ledger", title).out
    dropped = weft("kb", "drop", title, "--yes", "--json").json
    assert dropped == {"dropped": made["name"], "title": title}
    assert title not in weft("kb", "list").out


def test_the_ledger_knows_every_file(weft: Command) -> None:
    ledger = weft("kb", "ledger", "Harbour", "--json").json
    assert {row["path"] for row in ledger["files"]} == set(DOCUMENTS)
    assert ledger["totals"] == {
        "files": len(DOCUMENTS),
        "chunks": sum(ledger["chunks"].values()),
        "characters": sum(row["characters"] for row in ledger["files"]),
        "statuses": {"read": len(DOCUMENTS)},
    }


def test_the_export_is_canonical_and_survives_making_anew(weft: Command) -> None:
    before = rows(weft("kb", "export", "Harbour"))
    assert {row["kind"] for row in before} >= {"document", "chunk", "evidence", "mention"}
    assert "wrote" not in weft("kb", "export", "Harbour", "-o", "out.jsonl").err
    written = (weft.folder / "out.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line) for line in written.splitlines()] == before
    assert weft("kb", "reindex", "Harbour", "--json").json["chunks"] == 6
    assert rows(weft("kb", "export", "Harbour")) == before


def test_a_made_base_is_empty_until_filled(weft: Command) -> None:
    assert weft("kb", "create", "Fresh", "--json").json == {"name": "Fresh", "title": "Fresh"}
    assert weft("kb", "stats", "Fresh", "--json").json["documents"] == 0
    refused = weft("ask", "What is here?", "--kb", "Fresh", "--json").json
    assert refused["refused"] is True


def test_a_dropped_base_is_gone_and_its_files_are_not(weft: Command) -> None:
    folder = write(weft.folder / "brief", {"a.txt": "The mooring rope is blue.\n"})
    (row,) = weft("ingest", "brief", "--json").json
    base = weft.home / "kb" / f"{row['knowledge_base']}.db"
    assert base.exists()
    dropped = weft("kb", "drop", "brief", "--yes", "--json").json
    assert dropped == {"dropped": row["knowledge_base"], "title": str(folder.resolve())}
    assert not list(base.parent.glob(f"{base.stem}*"))
    assert (folder / "a.txt").exists()
    assert weft("kb", "stats", "brief").code == 2


def test_a_drop_asks_first(weft: Command) -> None:
    asked = weft("kb", "drop", "harbour", told="")
    assert asked.code == 1  # nobody answered
    assert "Remove Harbour (6 documents) for good?" in asked.out
    assert weft("kb", "drop", "Harbour", told="n\n").code == 1
    assert weft("kb", "stats", "Harbour").code == 0
    assert weft("kb", "create", "Brief").code == 0
    assert "Removed Brief." in weft("kb", "drop", "Brief", told="y\n").out


@pytest.mark.parametrize("options", [(), ("--forget",)])
def test_nobody_is_asked_about_a_base_that_is_not_there(
    weft: Command, options: tuple[str, ...]
) -> None:
    said = weft("kb", "drop", "Nowhere", *options, told="y\n")
    assert said.code == 2
    assert "no knowledge base 'Nowhere'" in said.err
    assert "?" not in said.out


@pytest.mark.parametrize("given", ["x" * 5000, "\udcff", " ", "~nobody/x", "a\x1b[31mb"])
def test_whatever_is_no_base_is_told_in_a_line(weft: Command, given: str) -> None:
    said = weft("kb", "stats", given)
    assert said.code == 2
    assert said.err.startswith("weft: There is no knowledge base")
    assert len(said.err.splitlines()) == 1
    assert weft("kb", "stats", given, "--json").error["code"] == "unknown_knowledge_base"


def test_a_base_whose_folder_is_gone_is_still_known_by_its_path(weft: Command) -> None:
    folder = write(weft.folder / "moved", {"a.txt": "The mooring rope is blue.\n"})
    assert weft("ingest", "moved", "--json").code == 0
    shutil.rmtree(folder)
    assert weft("kb", "drop", "moved", "--yes").code == 0


def test_who_may_read_is_kept_with_the_document(weft: Command) -> None:
    write(weft.folder / "private", {"a.txt": "The vault opens at dawn.\n"})
    allowed = "user:alice,group:board"
    assert weft("ingest", "private", "--kb", "Private", "--acl", allowed, "--json").code == 0
    (document,) = [
        row for row in rows(weft("kb", "export", "Private")) if row["kind"] == "document"
    ]
    assert document["acl"] == ["group:board", "user:alice", "user:owner"]
    answer = weft("ask", "When does the vault open?", "--kb", "Private", "--json").json
    assert "dawn" in answer["answer"]


def test_who_may_read_stays_when_nothing_is_said_of_it(weft: Command) -> None:
    write(weft.folder / "closed", {"a.txt": "The vault opens at dusk.\n"})
    assert weft("ingest", "closed", "--acl", "user:alice", "--json").code == 0

    def readers() -> list[str]:
        lines = rows(weft("kb", "export", "closed"))
        return next(row["acl"] for row in lines if row["kind"] == "document")

    assert "dusk" in weft("ask", "closed", "When does the vault open?", "--json").json["answer"]
    assert readers() == ["user:alice", "user:owner"]
    assert weft("kb", "reindex", "closed", "--json").code == 0
    assert readers() == ["user:alice", "user:owner"]
    assert weft("ingest", "closed", "--acl", "tenant:*", "--json").code == 0
    assert "tenant:*" in readers()


def test_a_folder_read_without_vectors_gets_them_when_it_is_asked_with_them(weft: Command) -> None:
    path = str(write(weft.folder / "plain", {"a.txt": "The mooring rope is blue.\n"}).resolve())
    question = ("What colour is the mooring rope?", "--json")
    assert "blue" in weft("ask", "plain", *question).json["answer"]
    assert weft("kb", "stats", "plain", "--json").json["made_with"]["embedder"] == "none"
    told = weft("ask", "plain", question[0], WEFT_EMBEDDER="local")
    assert f"{path} was read without vectors; it is read anew with them." in told.err
    with_them = weft("kb", "stats", "plain", "--json").json
    assert "minilm" in with_them["made_with"]["embedder"]
    assert with_them["documents"] == 1
    assert "anew" not in weft("ask", "plain", question[0], WEFT_EMBEDDER="local").err
    # One that goes by a name is left as it is: its full text answers, and more needs a reindex.
    named = ("--kb", "Harbour", "--json")
    asked = weft("ask", "What does the new crane lift?", *named, WEFT_EMBEDDER="local")
    assert "120" in asked.json["answer"]
    refused = weft("ingest", "plain", *named, WEFT_EMBEDDER="local").error
    assert refused["message"].endswith("weft kb reindex Harbour")
