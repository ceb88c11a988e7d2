"""The repository speaks of the product alone, not of the machine it was written on."""

from __future__ import annotations

import subprocess

import pytest

from house.source import ROOT, lines

# In two halves, so that this file does not hold what it looks for.
MACHINE = [
    "/wo" + "rk/",
    ".py" + "env",
    "/ro" + "ot/",
    "files.python" + "hosted",
    "pypi.org" + "/simple",
]


def _files() -> list[str]:
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    if not (ROOT / ".git").exists():
        pytest.skip("the list of files needs the repository (.git is not there)")
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    return [name for name in listed.decode().split("\0") if name]


def test_no_file_names_a_machine() -> None:
    wrong = []
    for name in _files():
        path = ROOT / name
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="ignore")
        wrong += [f"{name}: {word}" for word in MACHINE if word in text]
    assert not wrong, lines(wrong)
