"""Streams that are closed, full, or whose reader has gone: what arrives, and the exit code."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from flow.command import Command, Said, command_words, environment, write

# Each call is a process that starts cold, which takes long where the cores are busy.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(120),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full and a shell"),
]
ANSWERED = ("ask", "docs", "When does the ferry sail?")
REFUSED = ("ask", "docs", "Who is Zed?", "--json")
LISTED = ("kb", "list")
VERSION = ("--version",)
WRONG = ("ask", "nowhere", "Who?")


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command beside a folder `docs` that was read."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs", {"ferry.txt": "The ferry sails at seven.\n"})
    made = Command(home=home, folder=folder, settings={"WEFT_EMBEDDER": "none"})
    assert made("ingest", "docs").code == 0
    return made


def redirected(weft: Command, words: Sequence[str], how: str) -> Said:
    """Call from a shell, its streams redirected as is written behind a call."""
    done = subprocess.run(
        ["bash", "-c", f"{shlex.join([*command_words(), *words])} {how}"],
        cwd=weft.folder,
        env=environment(weft, {}),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    return Said(code=done.returncode, out=done.stdout, err=done.stderr)


@pytest.mark.parametrize("how", [">&-", ">/dev/full"])
@pytest.mark.parametrize("words", [ANSWERED, REFUSED, LISTED, VERSION, ("doctor",)])
def test_output_that_cannot_be_written_is_an_error_in_one_line(
    weft: Command, words: Sequence[str], how: str
) -> None:
    said = redirected(weft, words, how)
    assert said.code == 9
    assert said.err.splitlines()[-1].startswith("weft: Standard output cannot be written to: ")
    assert "Traceback" not in said.err


@pytest.mark.parametrize("how", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize(
    ("words", "code", "out"),
    [
        (ANSWERED, 0, "sails at seven"),
        (REFUSED, 1, '"refused": true'),
        (LISTED, 0, "docs"),
        (VERSION, 0, "weft"),
        (WRONG, 2, ""),
    ],
)
def test_without_standard_error_all_else_is_as_ever(
    weft: Command, words: Sequence[str], code: int, *, out: str, how: str
) -> None:
    said = redirected(weft, words, how)
    assert (said.code, out in said.out, said.err) == (code, True, "")


@pytest.mark.parametrize("words", [ANSWERED, REFUSED, LISTED, VERSION])
def test_a_reader_who_goes_ends_it_without_a_word(weft: Command, words: Sequence[str]) -> None:
    said = redirected(weft, words, "| true; exit ${PIPESTATUS[0]}")
    assert (said.code, "Standard" in said.err, "Traceback" in said.err) == (141, False, False)


def test_what_says_nothing_needs_no_output(weft: Command) -> None:
    said = redirected(weft, WRONG, ">&-")
    assert (said.code, said.err) == (2, "weft: there is no file or folder 'nowhere'\n")


def test_with_no_stream_at_all_it_ends_as_it_can(weft: Command) -> None:
    assert redirected(weft, LISTED, "<&- >&- 2>&-").code == 9
    assert redirected(weft, WRONG, "<&- >&- 2>&-").code == 2
