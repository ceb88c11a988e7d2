"""A damaged knowledge base is removed as any other, and its folder read again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from flow.command import Command, write

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
DAMAGES = ["overwritten", "cut"]


@pytest.fixture
def weft(tmp_path: Path) -> Command:
    """Return the command in a workspace of its own, beside a folder `docs`."""
    write(tmp_path / "docs", {"ferry.txt": "The ferry sails at seven.\n"})
    return Command(home=tmp_path / "home", folder=tmp_path, settings={"WEFT_EMBEDDER": "none"})


def damage(file: Path, how: str) -> None:
    """Damage a file of SQLite: its first pages, or all that comes after them."""
    with file.open("r+b") as opened:
        if how == "cut":
            opened.truncate(8192)
        else:
            opened.write(os.urandom(4000))


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_base_is_dropped_with_its_files_and_no_others(weft: Command, how: str) -> None:
    for name in ("Office", "Offices"):
        assert weft("ingest", "docs", "--kb", name).code == 0
    kept = weft.home / "kb"
    damage(kept / "Office.db", how)
    assert "weft kb drop Office removes it" in weft("doctor", COLUMNS="400").out
    asked = weft("kb", "drop", "Office", told="y\n")
    assert (asked.code, "damaged" in asked.out) == (0, True), asked.err
    assert not list(kept.glob("Office.*"))
    assert weft("ingest", "docs", "--kb", "Office").code == 0
    assert weft("kb", "stats", "Offices", "--json").json["documents"] == 1


@pytest.mark.parametrize("how", DAMAGES)
def test_the_damaged_base_of_a_folder_is_dropped_and_made_anew(weft: Command, how: str) -> None:
    assert weft("ingest", "docs").code == 0
    (file,) = (weft.home / "kb").glob("*.db")
    damage(file, how)
    assert weft("ask", "docs", "When does the ferry sail?").code == 7
    assert weft("kb", "drop", "docs", "--yes").code == 0
    assert not file.exists()
    assert weft("ask", "docs", "When does the ferry sail?").code == 0


def test_a_damaged_file_that_was_left_is_named_where_it_is_in_the_way(weft: Command) -> None:
    assert weft("ingest", "docs", "--kb", "Office").code == 0
    damage(weft.home / "kb" / "Office.db", "overwritten")
    assert weft("kb", "drop", "Office", "--forget", "--yes").code == 0
    said = weft("ingest", "docs", "--kb", "Office")
    assert (said.code, "'kb/Office.db'" in said.err) == (7, True), said.err
    (weft.home / "kb" / "Office.db").unlink()
    assert weft("ingest", "docs", "--kb", "Office").code == 0


def records_of(weft: Command, **settings: str) -> tuple[int, dict[str, str]]:
    """Return how `doctor` ended and what it says of the records."""
    told = weft("doctor", "--json", **settings)
    (found,) = [one for one in json.loads(told.out)["findings"] if one["what"] == "records"]
    return told.code, found


def test_doctor_says_what_to_do_about_records_that_are_damaged(weft: Command) -> None:
    assert weft("ingest", "docs", "--kb", "Office").code == 0
    damage(weft.home / "records.db", "overwritten")
    said = weft("ask", "--kb", "Office", "When does the ferry sail?")
    assert (said.code, "weft doctor" in said.err) == (7, True), said.err
    code, found = records_of(weft)
    assert (code, "audit.heads" in found["mend"]) == (1, True)
    for name in ("records.db", "audit.heads"):
        (weft.home / name).unlink()
    assert weft("ingest", "docs", "--kb", "Office").code == 0
    assert "sails at seven" in weft("ask", "--kb", "Office", "When does the ferry sail?").out


def test_doctor_says_what_to_do_about_records_on_a_server_that_is_gone(weft: Command) -> None:
    address = "postgresql://weft:s3cret@127.0.0.1:1/weft"
    code, found = records_of(weft, WEFT_DATABASE_URL=address)
    assert (code, "WEFT_DATABASE_URL" in found["mend"]) == (1, True)
    assert "s3cret" not in str(found)


def test_doctor_says_that_the_audit_chain_is_gone_and_what_to_do(weft: Command) -> None:
    assert weft("ingest", "docs", "--kb", "Office").code == 0
    (weft.home / "records.db").unlink()
    said = weft("ingest", "docs", "--kb", "Office")
    assert (said.code, "weft doctor" in said.err) == (9, True), said.err
    findings = json.loads(weft("doctor", "--json").out)["findings"]
    (found,) = [one for one in findings if one["what"] == "audit chain"]
    assert "audit.heads" in found["mend"]
