"""A folder full of hostile files through the command line: each is named, the rest unharmed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fault.hostile import GOOD, SECRET, make
from flow.command import Command, write
from weft.domain.ledger import FileStatus

pytestmark = pytest.mark.fault
SECONDS = 240


def weft(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Call the command line, which must not fall."""
    start = "from weft.cli.main import main; main()"
    given = {"WEFT_HOME": str(home), "WEFT_EMBEDDER": "none", "COLUMNS": "200"}
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", start, *words],
        env=given | kept,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    assert done.returncode == 0, done.stderr[-2000:]
    return done


@pytest.mark.timeout(SECONDS + 60)
def test_every_hostile_file_is_accounted_for(tmp_path: Path, report: list[str]) -> None:
    folder, home = tmp_path / "docs", tmp_path / "home"
    wanted = make(folder, tmp_path / "outside")
    began = time.monotonic()
    (done,) = json.loads(weft(home, "ingest", str(folder), "--kb", "Evil", "--json").stdout)
    took = time.monotonic() - began
    ledger = json.loads(weft(home, "kb", "ledger", "Evil", "--json").stdout)
    rows = {row["path"]: row for row in ledger["files"]}
    assert {path: row["status"] for path, row in rows.items()} == {
        path: status.value for path, status in wanted.items()
    }
    _adds_up(ledger, rows, done)
    for row in rows.values():
        assert row["reason"] or row["status"] == "read", row
    shown = weft(home, "kb", "ledger", "Evil").stdout
    assert not set(shown) & {"\x1b", "\x07", "\u202e", "\u2066"}
    _the_rest_is_unharmed(home)
    again = json.loads(weft(home, "ingest", str(folder), "--kb", "Evil", "--json").stdout)[0]
    assert (again["unchanged"], again["documents"]) == (len(wanted), 0)
    report.append(f"{len(wanted)} hostile files in {took:.1f} s: {_counted(wanted)}")


def _adds_up(ledger: Any, rows: dict[str, Any], done: Any) -> None:
    totals = ledger["totals"]
    assert totals["files"] == len(rows) == done["files"] == done["files_done"]
    assert totals["chunks"] == sum(row["chunks"] for row in rows.values()) == done["chunks"]
    assert totals["chunks"] == sum(ledger["chunks"].values())
    assert totals["characters"] == sum(row["characters"] for row in rows.values())
    assert Counter(totals["statuses"]) == Counter(row["status"] for row in rows.values())
    unread = [row for row in rows.values() if row["status"] not in ("read", "unsupported")]
    assert done["failed"] >= len(unread)


def _the_rest_is_unharmed(home: Path) -> None:
    found = weft(home, "search", "Which program did Ada write?", "--kb", "Evil", "--json").stdout
    assert GOOD.format(0) in found
    assert SECRET not in weft(home, "kb", "export", "Evil").stdout


def _counted(wanted: Mapping[str, FileStatus]) -> str:
    counts = Counter(status.value for status in wanted.values())
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))


BOMB = "a0: &a0 ['user:x']\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("weft.acl.yaml", BOMB),
        ("weft.acl.yaml", "default: " + "[" * 50_000),
        ("weft.acl.yaml", BOMB + "default: *a11\n"),
        ("weft.links.jsonl", "[" * 50_000),
        (".weftignore", "**/a" * 200),
    ],
)
def test_a_hostile_rule_beside_the_files_is_refused(
    tmp_path: Path, name: str, content: str
) -> None:
    """Who may read the files is not known then, so none of them comes in."""
    command = Command(home=tmp_path / "home", folder=tmp_path, settings={"WEFT_EMBEDDER": "none"})
    docs = write(tmp_path / "docs", {"a.txt": "Words.", name: content})
    said = command("ingest", str(docs), "--kb", "Rules")
    assert said.code == 2, said.out
    assert name in said.err or "pattern" in said.err


def test_hostile_patterns_take_no_time(tmp_path: Path) -> None:
    command = Command(home=tmp_path / "home", folder=tmp_path, settings={"WEFT_EMBEDDER": "none"})
    patterns = "*a" * 200 + "b\n" + "**/" * 200 + "x\n" + "*" * 500 + "b\n[" + "!" * 1000
    docs = write(tmp_path / "docs", {"a" * 240: "Words.", ".weftignore": patterns})
    began = time.monotonic()
    (done,) = command("ingest", str(docs), "--json").json
    assert done["documents"] == 1
    assert time.monotonic() - began < 30
