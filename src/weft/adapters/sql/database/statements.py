"""The statements of `statements.sql` by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_HEAD = "-- name: "
_HELD = "{held}"


@cache
def statement(name: str, *, is_file: bool) -> str:
    """Return a statement; a server is told to hold the rows that `{held}` stands behind."""
    return _statements()[name].replace(_HELD, "" if is_file else "FOR UPDATE")


@cache
def _statements() -> dict[str, str]:
    said = Path(__file__).with_name("statements.sql").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for part in said.split(f"\n{_HEAD}")[1:]:
        name, _, body = part.partition("\n")
        lines = [line for line in body.splitlines() if not line.startswith("--")]
        found[name.strip()] = "\n".join(lines).strip()
    return found
