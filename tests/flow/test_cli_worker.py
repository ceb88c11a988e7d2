"""`weft worker`: does what is due and what waits, and gives back what it is at."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from flow.command import Command, command_words, environment, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command beside a folder that is read every night."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs", {"a.txt": "The crane lifts 120 tonnes.\n"})
    made = Command(home=home, folder=folder, settings={"WEFT_EMBEDDER": "none", "WEFT_LOG": "none"})
    made("schedule", "add", "docs", "--kb", "Night", "--cron", "0 3 * * *", "--json")
    return made


def make_due(weft: Command) -> None:
    """Have it be the hour of all schedules."""
    with closing(sqlite3.connect(weft.home / "records.db")) as records, records:
        records.execute("update schedules set next_at = 0")


def test_what_is_due_is_done_once_and_the_worker_ends(weft: Command) -> None:
    idle = weft("worker", "--once")
    assert (idle.code, "begun" in idle.err) == (0, False)
    make_due(weft)
    done = weft("worker", "--once")
    assert done.code == 0
    assert "ingest:Night" in done.err
    assert done.err.count(": ended") == 1
    answer = weft("ask", "How much does the crane lift?", "--kb", "Night", "--json").json
    assert "120 tonnes" in answer["answer"]
    assert "begun" not in weft("worker", "--once").err


def test_where_a_program_reads_them_its_lines_are_those_of_logs(weft: Command) -> None:
    make_due(weft)
    lines = weft("worker", "--once", WEFT_LOG="json").err.splitlines()
    begun, ended = (json.loads(line) for line in lines if line.startswith("{"))
    assert (begun["event"], ended["event"]) == ("job_begun", "job_ended")
    assert (ended["kind"], ended["attempt"], ended["job_id"]) == ("ingest", 1, begun["job_id"])
    assert ended["ms"] > 0
    assert "Night" not in begun["kind"]


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_one_that_waits_for_work_does_what_comes_and_stops_when_told(
    weft: Command, sign: signal.Signals, code: int
) -> None:
    process = subprocess.Popen(
        [*command_words(), "worker"],
        cwd=weft.folder,
        env=environment(weft, {"COLUMNS": "200"}),
        stderr=subprocess.PIPE,
        encoding="utf-8",
        # A process begun in the background may have been told to heed no interrupt.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # no other thread runs here
    )
    with process:
        assert process.stderr is not None
        assert "Ctrl+C stops" in process.stderr.readline()
        write(weft.folder / "docs", {f"{sign.name}.txt": f"{sign.name} was told of.\n"})
        make_due(weft)
        assert ": begun" in process.stderr.readline()
        assert ": ended" in process.stderr.readline()
        os.kill(process.pid, sign)
        assert process.wait(20) == code
        assert "Traceback" not in process.stderr.read()
    listed = weft("kb", "ledger", "Night", "--json").json
    assert f"{sign.name}.txt" in str(listed)
