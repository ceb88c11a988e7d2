"""`weft audit` as people use it: searched, verified, exported, and what is noticed."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from flow.command import Command, write
from house.source import ROOT
from weft.adapters.sql.records import open_records
from weft.platform.audit import audited
from weft.platform.identity import local_owner
from weft.platform.secret import secret_in
from weft.platform.time import SystemClock
from weft.ports.records.audit import Deed


@pytest.fixture
def weft(tmp_path: Path) -> Command:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    asyncio.run(_filled(home))
    return Command(
        home=home,
        folder=tmp_path,
        settings={"WEFT_EMBEDDER": "none", "TZ": "Asia/Seoul"},
    )


async def _filled(home: Path) -> None:
    """Write some rows in this process, which is quicker than a verb each."""
    records = open_records(
        f"sqlite:///{home / 'records.db'}",
        audit_key=secret_in(home / "audit.key"),
        clock=SystemClock(),
        audit_heads=home / "audit.heads",
    )
    for number in range(4):
        deed = Deed(action="document.read", target=f"kb:Harbour/{number}")
        async with audited(records.audit, local_owner(), deed):
            pass
    await records.close()


def changed(weft: Command, statement: str) -> None:
    """Change the log behind Weft's back."""
    with sqlite3.connect(weft.home / "records.db") as connection:
        connection.execute(statement)


def test_what_was_done_is_listed_in_ones_own_time(weft: Command) -> None:
    docs = weft.folder / "docs"
    docs.mkdir()
    write(docs)
    assert weft("ingest", "docs", "--kb", "Harbour").code == 0
    weft("search", "crane", "--kb", "Harbour")
    shown = weft("audit", "list", "--action", "search")
    head, begun_last, *_ = shown.out.splitlines()
    assert head.split() == "row time (KST) who action target came of it why".split()
    assert begun_last.split()[3:6] == ["user:owner", "search", "kb:Harbour"]
    found = weft("audit", "list", "--action", "search", "--oldest", "--json").json
    assert [row["phase"] for row in found["rows"]] == ["intent", "outcome"]
    assert found["rows"][1]["meta"]["chunks"]
    assert found["next"] is None
    utc = found["rows"][1]["ts"]
    assert utc.endswith("+00:00")
    assert begun_last.split()[2] == f"{(int(utc[11:13]) + 9) % 24:02}{utc[13:19]}"


def test_pages_go_on_past_the_last_row(weft: Command) -> None:
    first = weft("audit", "list", "--limit", "2", "--json").json
    second = weft("audit", "list", "--limit", "2", "--past", str(first["next"]), "--json").json
    assert [row["seq"] for row in second["rows"]] == [first["next"] - 1, first["next"] - 2]
    assert "--past" in weft("audit", "list", "--limit", "2").out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["list", "--since", "lately"], "--since: 'lately' is no time"),
        (["list", "--decision", "perhaps"], "perhaps"),
        (["verify", "--head", "nowhere"], "'nowhere' is no head"),
        (["export", "-o", "no/such/folder"], "'no/such/folder' cannot be written: No such file"),
    ],
)
def test_what_cannot_be_asked_is_named(weft: Command, words: list[str], named: str) -> None:
    done = weft("audit", *words)
    assert done.code == 2
    assert named in " ".join(done.err.split())


def test_days_are_days_of_ones_own(weft: Command) -> None:
    assert weft("audit", "list", "--until", "2001-01-01").out == "No row fits.\n"
    assert (
        weft("audit", "list", "--since", "2001-01-01", "--until", "2999-01-01").out.count("\n") > 4
    )


def test_a_chain_as_it_was_written_verifies_and_one_that_was_changed_does_not(
    weft: Command,
) -> None:
    done = weft("audit", "verify")
    assert done.code == 0
    assert done.out.endswith("rows, each as it was written.\n")
    changed(weft, "UPDATE audit_logs SET actor = 'user:bob' WHERE seq = 3")
    broken = weft("audit", "verify")
    assert broken.code == 1
    assert broken.out.startswith("Broken at row 3: the row was changed.\n")


def test_programs_are_told_where_it_broke(weft: Command) -> None:
    changed(weft, "DELETE FROM audit_logs WHERE seq = 2")
    done = weft("audit", "verify", "--json")
    told = json.loads(done.out)
    assert (done.code, told["intact"], told["broken_at"]) == (1, False, 2)
    assert told["reason"] == "a row is missing or out of place"


def test_a_log_that_is_gone_with_its_heads_is_missed_by_a_head_kept_elsewhere(
    weft: Command,
) -> None:
    kept = weft.folder / "head.json"
    kept.write_text(weft("audit", "head").out)
    changed(weft, "DELETE FROM audit_logs")
    changed(weft, "DELETE FROM audit_heads")
    (weft.home / "audit.heads").unlink()
    done = weft("audit", "verify", "--head", str(kept))
    assert done.code == 1
    assert "rows that were known" in done.out
    said = json.loads(kept.read_text())
    kept.write_text(json.dumps({**said, "seq": 1}))
    assert "was changed" in weft("audit", "verify", "--head", str(kept)).err


@pytest.mark.parametrize("form", ["jsonl", "ocsf"])
def test_an_export_verifies_with_python_alone(weft: Command, form: str) -> None:
    (weft.folder / "head.json").write_text(weft("audit", "head").out)
    head = json.loads((weft.folder / "head.json").read_text())
    done = weft("audit", "export", "-o", "log.jsonl", "--format", form)
    assert done.code == 0, done.err
    exported = weft.folder / "log.jsonl"
    script = str(ROOT / "docs" / "verify_audit.py")

    def verified(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", script, *map(str, (exported, weft.home / "audit.key"))]
        return subprocess.run([*command, *words], capture_output=True, text=True, check=False)

    assert (verified().returncode, verified().stderr) == (0, "")
    assert verified(f"{head['seq']}:{head['mac']}").returncode == 0
    assert verified(f"{head['seq']}:{'0' * 64}").returncode == 1
    lines = exported.read_text().splitlines(keepends=True)
    exported.write_text("".join(lines[:3] + lines[4:]))
    assert "line 4: no row follows line 3" in verified().stderr
    later = weft("audit", "export", "--since", "2001-01-01", "--format", form)
    assert len(later.out.splitlines()) > len(lines)
