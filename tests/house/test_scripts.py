"""What the scripts say: how far they are and for how long, and no colours where none are wanted."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from flow.pseudo_terminal import Seen, on_terminal
from house.source import ROOT

# As pip and apt-get write. Each goes on when what it has written so far was told, however long a
# busy machine takes for that.
TOLD = 'told() { until grep -q "$1" "$SAID"; do sleep 0.02; done; }; '
PIP = r"""
say() { printf '%s\n' "$@"; }
say "Ignoring colorama: markers 'sys_platform' don't match your environment"
say 'Collecting numpy==2.4.6 (from -r the.lock (line 5))' '  Downloading numpy.whl (16.8 MB)'
told 'packages: numpy'
say 'Collecting rich==15.0.0 (from -r locks/runtime.txt (line 9))'
told 'packages: rich'
say 'Installing collected packages: rich, numpy'
told 'being written'
"""
APT = r"printf 'Get:1 a\nUnpacking x (1) ...\nUnpacking y (2) ...\n'; told 'packages unpacked'; "


@dataclass(frozen=True)
class Done:
    """How a script ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


def told(script: str, *, folder: Path) -> Done:
    """Run a script that has what the others say things with."""
    said = folder / "said"
    with said.open("wb") as out:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f". tools/saying.sh\n{TOLD}{script}"],
            cwd=ROOT,
            env={**os.environ, "BEAT": "0.2", "SAID": str(said)},
            stdout=out,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    return Done(done.returncode, said.read_text(encoding="utf-8"), done.stderr)


def test_a_long_step_says_how_far_it_is_and_for_how_long(tmp_path: Path) -> None:
    done = told(f"pip() {{ {PIP} }}\nwatched 'Installing the lock' 3 pip", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "==> Installing the lock"
    assert any(
        re.fullmatch(r"    fetching 1 of 2 packages: numpy \(16.8 MB\), .*", x) for x in lines
    )
    assert any(re.fullmatch(r"    fetching 2 of 2 packages: rich, \d+ seconds?", x) for x in lines)
    assert any(x.startswith("    2 packages are there, being written, ") for x in lines)
    assert re.fullmatch(r"    done in \d+ seconds?", lines[-1])
    assert "\x1b" not in done.stdout


def test_so_does_the_system_s_own_installer(tmp_path: Path) -> None:
    done = told(f"apt() {{ {APT} }}\nwatched 'Installing python3' 0 apt", folder=tmp_path)
    assert re.search(r"^    2 packages unpacked, \d+ seconds?$", done.stdout, re.MULTILINE)


def test_what_fails_is_shown_in_its_own_words(tmp_path: Path) -> None:
    broken = "broken() { echo 'no space left'; return 3; }"
    done = told(f"{broken}\nwatched 'Installing' 0 broken", folder=tmp_path)
    assert (done.returncode, done.stderr) == (3, "no space left\n")
    assert "done in" not in done.stdout


def seen(*words: str, **settings: str) -> Seen:
    """Run a command of the repository on a terminal."""
    known = {"PATH": os.environ["PATH"], "TERM": "xterm-256color"}
    return on_terminal(list(words), folder=ROOT, settings={**known, **settings})


@pytest.mark.parametrize(
    "words", [("make", "help"), ("bash", "-c", ". tools/saying.sh; say Ready; styled 31 failed")]
)
def test_colours_are_for_terminals_that_want_them(words: tuple[str, ...]) -> None:
    assert seen(*words).has_colours
    assert not seen(*words, NO_COLOR="1").has_colours
    assert not seen(*words, TERM="dumb").has_colours
    piped = subprocess.run(list(words), cwd=ROOT, capture_output=True, check=True)
    assert b"\x1b" not in piped.stdout
    assert piped.stdout.strip()


def test_no_script_writes_a_colour_past_what_knows_whether_it_is_wanted() -> None:
    scripts = [*ROOT.glob("tools/**/*.sh"), *ROOT.glob("tools/*.awk"), ROOT / ".ci/run"]
    assert len(scripts) >= 6
    writing = {path.name for path in scripts if "033[" in path.read_text(encoding="utf-8")}
    assert writing == {"saying.sh", "help.awk"}
