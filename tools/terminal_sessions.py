"""Record what the command line shows a newcomer: docs/terminal.md, as plain captures of a screen.

Usage: python tools/terminal_sessions.py [TARGET]; it needs tmux (`apt-get install tmux`). Each
line is typed at a prompt of a terminal 100 columns wide, in a home folder made for it, and what
stands on the screen afterwards is kept as it is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "terminal.md"
COLUMNS, LINES = 100, 400
# A line may say {run} for the beginning of the first id on the screen.
_RUN = re.compile(r"\b[0-9a-f]{16}\b")
_PROMPTS = {"$", "weft>"}
_LONGEST_S = 600.0
_HEAD = """<!-- Recorded by `python tools/terminal_sessions.py`; run it again after a change. -->

# What the terminal shows

Each screen below was recorded in a terminal of 100 columns, in the home folder of somebody new.
The documents are those of [an invented organisation](../examples/README.md), with three files
beside them that give no text. Ids of runs and times are other ones each time.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is typed, line by line, and what a reader is told before."""

    title: str
    words: str
    typed: Sequence[str]
    in_repository: bool = False


SESSIONS = (
    Session(
        title="The demo",
        words="The first answer comes while the rest is still read.",
        typed=("make demo",),
        in_repository=True,
    ),
    Session(
        title="The first question",
        words="The first question reads the folder, later ones only what changed.",
        typed=(
            'weft ask handbook "What is the daily meal allowance?"',
            "weft open 1",
            'cd handbook; weft ask "How many offices are there?"; cd ..',
            'weft ask handbook "근속 몇 년이 되면 안식 휴가를 받나요?"',
        ),
    ),
    Session(
        title="No answer",
        words="What is near is shown and said to be no answer; the exit status is 1.",
        typed=(
            'weft ask handbook "When was Stella Park born?"; echo "exit status $?"',
            'weft ask handbook "Who won the football world cup in 1998?"',
        ),
    ),
    Session(
        title="One file",
        words="A file may be asked as a folder is, and stands for itself alone.",
        typed=('weft ask handbook/policies/travel-2025.md "How much is a hotel in Paris?"',),
    ),
    Session(
        title="A conversation",
        words="Follow-up questions go on from the last answer.",
        typed=(
            "weft chat handbook",
            "Who is Theodora Vance?",
            "When was she born?",
            "/sources",
            "/quit",
        ),
    ),
    Session(
        title="What was read, and what was not",
        words="",
        typed=(
            "weft ingest handbook --kb Office",
            "weft kb ledger handbook --unread",
            "weft kb list",
        ),
    ),
    Session(
        title="Passages",
        words="",
        typed=('weft search "Who signs travel requests?" handbook --top 3',),
    ),
    Session(
        title="What was asked before",
        words="An id may be cut short where it stays the only one that begins so.",
        typed=(
            "weft runs list --limit 3",
            "weft runs show {run}",
        ),
    ),
    Session(
        title="Mistakes",
        words="An error is one line that says what to do; the exit status is 2 or above.",
        typed=(
            'weft ask "What is the daily meal allowance?"; echo "exit status $?"',
            "weft ask handbook",
            'weft ask hnadbook "What is the daily meal allowance?"',
            "mkdir nothing; weft ask nothing 'Is anything here?'; weft kb list",
            "weft open 99",
            "weft runs show zz",
        ),
    ),
)


def main(arguments: Sequence[str]) -> int:
    """Record every session and write them down."""
    target = Path(arguments[0]) if arguments else TARGET
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = prepared(Path(folder))
        pages = [_HEAD]
        with Terminal(home) as terminal:
            for each in SESSIONS:
                terminal.go(ROOT if each.in_repository else home)
                pages.append(_page(each, terminal.record(each.typed)))
    target.write_text("\n".join(pages), encoding="utf-8")
    return 0


def prepared(folder: Path) -> Path:
    """Return a home folder that holds a handbook, three files of which give no text."""
    home = folder / "home"
    handbook = home / "handbook"
    shutil.copytree(ROOT / "examples" / "handbook", handbook)
    whole = (handbook / "policies" / "code-of-conduct.pdf").read_bytes()
    (handbook / "policies" / "torn.pdf").write_bytes(whole[: len(whole) // 3])
    (handbook / "people" / "empty.txt").touch()
    (handbook / "people" / "portrait.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    return home


class Terminal:
    """A shell in tmux, in a home folder of its own."""

    def __init__(self, home: Path) -> None:
        """Take the home folder; nothing is started yet."""
        self._home = home
        self._socket = f"weft-{os.getpid()}"

    def __enter__(self) -> Terminal:
        """Start the shell."""
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        settings = {
            "HOME": str(self._home),
            "PATH": path,
            "PS1": "$ ",
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        given = [f"{name}={value}" for name, value in settings.items()]
        shell = ["env", "-i", *given, "TERM=xterm-256color", "bash", "--norc", "--noprofile"]
        size = ["-x", str(COLUMNS), "-y", str(LINES)]
        self._tmux("-f", os.devnull, "new-session", "-d", *size, "-c", str(self._home), *shell)
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        """End the shell."""
        self._tmux("kill-server")

    def go(self, folder: Path) -> None:
        """Go to a folder."""
        self._tmux("send-keys", "-l", f"cd {folder}; clear")
        self._tmux("send-keys", "Enter")
        self._wait()

    def record(self, typed: Sequence[str]) -> str:
        """Return the screen after some lines were typed, each when the one before was done."""
        self._tmux("send-keys", "C-l")
        self._wait()
        for line in typed:
            ids = _RUN.findall(self._screen())
            self._tmux("send-keys", "-l", line.format(run=ids[0][:4] if ids else ""))
            self._tmux("send-keys", "Enter")
            self._wait()
        lines = [line.rstrip() for line in self._screen().splitlines()]
        while lines and lines[-1] in {"", "$"}:
            lines.pop()
        return "\n".join(lines)

    def _wait(self) -> None:
        """Wait until the last line of the screen is a prompt."""
        limit = time.monotonic() + _LONGEST_S
        while time.monotonic() < limit:
            time.sleep(0.2)
            if self._screen().rstrip().rpartition("\n")[2].strip() in _PROMPTS:
                return
        raise TimeoutError(self._screen())

    def _screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def _tmux(self, *words: str) -> str:
        return subprocess.run(
            ["tmux", "-u", "-L", self._socket, *words],
            check=True,
            capture_output=True,
            encoding="utf-8",
        ).stdout


def _page(session: Session, screen: str) -> str:
    said = f"{session.words}\n\n" if session.words else ""
    return f"## {session.title}\n\n{said}```console\n{screen}\n```\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
