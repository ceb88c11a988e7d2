"""Writes the twin in JSON of every sheet of words that is written in YAML.

Usage: python tools/sheets.py [FOLDER]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import yaml

HOUSE = Path(__file__).parent.parent / "src" / "weft"
# Sheets of rules; ontologies are read as their users write them.
ROOMS = ("offline", "verification")


def main() -> None:
    """Write all twins, and name those that were not as they should be."""
    for sheet in sheets_of(Path(sys.argv[1]) if len(sys.argv) > 1 else HOUSE):
        twin, text = sheet.with_suffix(".json"), twin_of(sheet)
        if not twin.exists() or twin.read_text(encoding="utf-8") != text:
            twin.write_text(text, encoding="utf-8")
            print(twin)


def sheets_of(house: Path) -> list[Path]:
    """Return the sheets that have a twin, in the order of their paths."""
    return sorted(one for room in ROOMS for one in (house / room).rglob("*.yaml"))


def twin_of(sheet: Path) -> str:
    """Return what a sheet says, as JSON: each entry of its first level on a line of its own."""
    said = yaml.safe_load(sheet.read_text(encoding="utf-8"))
    lines = [f"{_json(name)}: {_json(value)}" for name, value in said.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
