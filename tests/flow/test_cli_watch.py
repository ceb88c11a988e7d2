"""`weft ingest --watch`: what changes in a folder is read again, until it is stopped."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fault.killing import ENVIRONMENT
from flow.command import Command, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
_WEFT = "from weft.cli.main import main; main()"
KETTLE = "# Kitchen\n\nThe kettle is blue.\n"


@pytest.fixture
def options() -> tuple[str, ...]:
    """Return what is typed behind `--watch`."""
    return ("--prune",)


@pytest.fixture
def watching(tmp_path: Path, options: tuple[str, ...]) -> Iterator[subprocess.Popen[str]]:
    """Yield a process that watches a folder `docs` with one file."""
    write(tmp_path / "docs", {"kitchen.md": KETTLE})
    with subprocess.Popen(
        [sys.executable, "-c", _WEFT, "ingest", "docs", "--watch", *options, "--json"],
        cwd=tmp_path,
        env=ENVIRONMENT | {"WEFT_HOME": str(tmp_path / "home"), "WEFT_EMBEDDER": "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What is started in the background may have been told to ignore it.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # no other thread runs here
    ) as child:
        yield child
        child.kill()


def told(child: subprocess.Popen[str]) -> dict[str, Any]:
    """Return what is told next."""
    assert child.stdout is not None
    found = json.loads(child.stdout.readline())
    assert isinstance(found, dict)
    return found


def test_what_is_added_changed_and_removed_follows(
    watching: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert told(watching)["documents"] == 1
    write(tmp_path / "docs", {"yard.md": "# Yard\n\nThe gate is green.\n"})
    added = told(watching)
    assert (added["documents"], added["unchanged"]) == (1, 1)
    (tmp_path / "docs" / "kitchen.md").unlink()
    assert told(watching)["removed"] == 1
    watching.send_signal(signal.SIGINT)
    assert watching.wait(30) == 130
    assert watching.stderr is not None
    assert watching.stderr.read().strip() == (
        "weft: stopped; the next call continues where this one was."
    )
    ask = Command(home=tmp_path / "home", folder=tmp_path, settings={"WEFT_EMBEDDER": "none"})
    rows = ask("kb", "ledger", "docs", "--json").json["files"]
    assert [row["path"] for row in rows] == ["yard.md"]


def test_a_folder_that_goes_and_comes_back_is_read_again(
    watching: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert told(watching)["files"] == 1
    shutil.rmtree(tmp_path / "docs")
    assert "there is no file or folder" in told(watching)["error"]["message"]
    write(tmp_path / "docs", {"kitchen.md": KETTLE.replace("blue", "red")})
    row = told(watching)
    while "error" in row:  # of what happened while the folder went
        row = told(watching)
    assert row["documents"] == 1


def test_a_gitignore_is_heeded_where_the_setting_says_so(tmp_path: Path) -> None:
    write(
        tmp_path / "docs",
        {"kitchen.md": KETTLE, "draft.md": "# Draft\n\nNot this.\n", ".gitignore": "draft.*\n"},
    )
    weft = Command(home=tmp_path / "home", folder=tmp_path, settings={"WEFT_EMBEDDER": "none"})
    assert weft("ingest", "docs", "--json").json[0]["documents"] == 2
    assert weft("ingest", "docs", "--json", WEFT_GITIGNORE="true").json[0]["documents"] == 0
    rows = {row["path"]: row for row in weft("kb", "ledger", "docs", "--json").json["files"]}
    assert rows["draft.md"]["reason"] == "ignored by pattern draft.*"
    found = weft("search", "Draft not this", "docs", "--json", WEFT_GITIGNORE="true")
    assert "Not this." not in found.out


@pytest.mark.parametrize("options", [()])
def test_a_file_that_is_gone_and_kept_is_told_once(
    watching: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert told(watching)["documents"] == 1
    (tmp_path / "docs" / "kitchen.md").unlink()
    assert told(watching)["gone"] == 1
    write(tmp_path / "docs", {"yard.md": "# Yard\n\nThe gate is green.\n"})
    added = told(watching)
    assert (added["documents"], added["gone"]) == (1, 1)
