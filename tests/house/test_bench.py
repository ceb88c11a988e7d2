"""Nothing lies about in `bench`: each script is run by somebody, or used by one that is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from house.source import ROOT

BENCH = ROOT / "bench"
SCRIPTS = {path.stem: path for path in BENCH.glob("*.py")}
README = (BENCH / "README.md").read_text(encoding="utf-8")


def used_by(path: Path) -> set[str]:
    """Return the scripts that one imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            found.update(one.name.split(".")[0] for one in node.names)
    return (found & SCRIPTS.keys()) - {path.stem}


def listed() -> set[str]:
    """Return the scripts that have a line in the page of those run by hand."""
    return set(re.findall(r"^- `(\w+)\.py`: ", README, flags=re.M))


def test_every_script_is_named_or_used() -> None:
    made = re.findall(r"bench/(\w+)\.py", (ROOT / "Makefile").read_text(encoding="utf-8"))
    used = {one for path in SCRIPTS.values() for one in used_by(path)}
    assert made
    assert used
    idle = SCRIPTS.keys() - listed() - used - set(made)
    assert not idle, sorted(idle)


def test_what_is_listed_is_there() -> None:
    assert listed()
    assert listed() <= SCRIPTS.keys()
