"""docs/architecture.md tells of every file that Weft writes into a workspace, and of no other."""

from __future__ import annotations

import re
from fnmatch import fnmatch

from house.source import ROOT
from weft.platform.workspace import KEPT, OWN

PAGE = ROOT / "docs" / "architecture.md"
# What people put there themselves; it is theirs, and documents may lie beside it.
GIVEN = {"prompts", "ontologies"}


def told() -> list[str]:
    """Return the names at the top of a workspace that the table has a row of."""
    section = re.search(
        r"^## The files of a workspace$(.*?)(?=^## )", PAGE.read_text("utf-8"), flags=re.M | re.S
    )
    assert section, "docs/architecture.md has no heading '## The files of a workspace'"
    return [name.split("/")[0] for name in re.findall(r"^\| `([^`]+)` \|", section[1], flags=re.M)]


def test_what_weft_writes_is_told() -> None:
    rows = told()
    assert rows
    missing = [one for one in (*OWN, *KEPT) if not any(fnmatch(name, one) for name in rows)]
    assert not missing, missing


def test_what_is_told_is_what_weft_writes() -> None:
    rows = set(told()) - GIVEN
    unknown = [name for name in rows if not any(fnmatch(name, one) for one in (*OWN, *KEPT))]
    assert not unknown, unknown
