"""The verbs of knowledge bases as a terminal and as a pipe get them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from flow.command import Command, command_words, write
from flow.pseudo_terminal import Seen, on_terminal

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
DOCUMENTS: dict[str, str | bytes] = {
    "harbour.md": "# Harbour works\n\nThe new crane of [Nordwerk] lifts 120 tonnes. " * 40,
    "short.txt": "12\n",
    "[red]broken[/].pdf": b"%PDF-1.4 broken",
    "noise.bin": b"\0\1\2",
    ".weftignore": "*.log\n",
    "day.log": "The crane stood still.\n",
    "rows.json": '[{"id": 7}, {"id": 8, "text": "The keeper is Berta Lind."}]',
}
VERBS = (
    ("kb", "list"),
    ("kb", "ledger", "docs"),
    ("kb", "ledger", "docs", "--unread"),
    ("kb", "stats", "docs"),
    ("kb", "databases"),
    ("kb", "drop", "nothing"),
    ("ingest", "docs"),
    ("doctor",),
    ("schedule", "list"),
    ("model", "check"),
    ("init",),
    ("--help",),
    ("kb", "ledger", "--help"),
    ("kb", "nothing"),
)


@pytest.fixture(scope="module")
def weft(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Return the command beside `docs`, which has been read."""
    folder = tmp_path_factory.mktemp("desk")
    write(folder / "docs", DOCUMENTS)
    made = Command(home=home, folder=folder, settings={"WEFT_EMBEDDER": "none"})
    assert made("ingest", "docs", "--json").code == 0
    return made


def seen(weft: Command, *verb: str, columns: int = 100, **settings: str) -> Seen:
    """Run a verb on a terminal that can show colours."""
    path = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    own = {"WEFT_HOME": str(weft.home), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    settings = {**path, **own, **weft.settings, "HOME": str(weft.home), **settings}
    return on_terminal(
        [*command_words(), *verb], folder=weft.folder, settings=settings, columns=columns
    )


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_no_colour_code_reaches_a_pipe_or_a_terminal_without_colours(
    weft: Command, verb: tuple[str, ...]
) -> None:
    piped = weft(*verb)
    assert "\x1b" not in piped.out + piped.err
    plain = seen(weft, *verb, NO_COLOR="1")
    assert plain.code == piped.code
    assert not plain.has_colours
    assert plain.text.strip()


def test_a_terminal_that_shows_colours_gets_them(weft: Command) -> None:
    assert seen(weft, "kb", "ledger", "docs").has_colours
    assert seen(weft, "--help").has_colours


@pytest.mark.parametrize("columns", [72, 100])
def test_the_ledger_is_a_table_with_figures_at_the_right(weft: Command, columns: int) -> None:
    shown = seen(weft, "kb", "ledger", "docs", columns=columns).text
    assert all(len(line) <= columns for line in shown.splitlines())
    lines = shown.splitlines()
    heading = lines[0]
    end = heading.index("characters") + len("characters")
    (row,) = [line for line in lines if line.startswith("harbour.md")]
    assert re.search(r"\d,\d{3}$", row[:end].rstrip())
    assert row[:end] == row[:end].rstrip()  # the last digit is under the heading's last letter
    assert "forced: neither was found" in shown
    assert "generated: rules found names or claims" in shown


def test_in_a_pipe_a_row_is_a_line_in_columns(weft: Command) -> None:
    said = weft("kb", "ledger", "docs", COLUMNS="40").out.splitlines()
    heading = re.split(r"\s{2,}", said[0])
    assert heading == ["file", "outcome", "documents", "chunks", "characters", "why"]
    rows = {re.split(r"\s{2,}", line)[0]: re.split(r"\s{2,}", line)[1:] for line in said[1:8]}
    assert set(rows) == set(DOCUMENTS)
    assert rows["rows.json"][:2] == ["read", "1"]
    assert rows["rows.json"][-1] == "record 1: no content beside id (7)"
    assert rows["[red]broken[/].pdf"][0] == "corrupt"
    assert "7 files: 1 corrupt, 3 read, 3 unsupported" in said
    assert any(re.fullmatch(r"[\d,]+ characters", line) for line in said)


def test_what_gave_no_text_is_listed_with_what_to_do(weft: Command) -> None:
    said = weft("kb", "ledger", "docs", "--unread").out
    assert "harbour.md" not in said
    assert "open it in the program that made it and save it again" in said
    assert "convert it to a kind that is read" in said
    assert "2 of 5 files gave no text. 2 files more left out by a pattern or its kind." in said
    rows = weft("kb", "ledger", "docs", "--unread", "--json").json
    assert {row["path"] for row in rows["files"]} == {"[red]broken[/].pdf", "noise.bin"}
    assert rows["totals"] == weft("kb", "ledger", "docs", "--json").json["totals"]
    assert weft("kb", "create", "Empty").code == 0
    assert "No file is without text, of 0 files." in weft("kb", "ledger", "Empty", "--unread").out


def test_the_counts_stand_at_the_right(weft: Command) -> None:
    said = weft("kb", "stats", "docs").out.splitlines()
    assert said[0] == str((weft.folder / "docs").resolve())
    counts = [line for line in said if re.search(r" [\d,]+$", line)][:6]
    assert len(counts) == 6
    assert len({len(line) for line in counts}) == 1
    assert any(line.startswith("forced: ") for line in said)
    assert any(line.startswith("generated: ") for line in said)
