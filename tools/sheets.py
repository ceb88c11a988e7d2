"""Writes the twin in JSON of every sheet of words that is written in YAML.

A sheet that lists a word twice is refused: the second one does nothing, and hides that it is there.

Usage: python tools/sheets.py [FOLDER]
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

HOUSE = Path(__file__).parent.parent / "src" / "weft"
# Sheets of rules; ontologies are read as their users write them.
ROOMS = ("offline", "verification")
# Steps that are taken one after another: the father's father.
STEPS = ("kin",)
# A text of bare words is a list of them as well; sentences are shorter, or have signs.
_WORDS = re.compile(r"[\w'-]+(?:\s+[\w'-]+){7,}")
# The alternatives of an innermost group of a pattern, but for those with a set of letters.
_GROUP = re.compile(r"\((?:\?(?:[:!=]|<[!=]|P<\w+>|-i:))?([^()\[\]]*)\)")


def main() -> None:
    """Write all twins, and name those that were not as they should be."""
    for sheet in sheets_of(Path(sys.argv[1]) if len(sys.argv) > 1 else HOUSE):
        if found := list(doubles_in(sheet)):
            sys.exit(f"{sheet} lists twice: {', '.join(found)}")
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


def doubles_in(sheet: Path) -> Iterator[str]:
    """Yield what a sheet lists twice, as `place: word`."""
    said = yaml.safe_load(sheet.read_text(encoding="utf-8"))
    for name, value in said.items():
        for place, listed in () if name in STEPS else _lists_of(value, str(name)):
            yield from (f"{place}: {one}" for one in _twice(listed))


def _lists_of(value: object, place: str) -> Iterator[tuple[str, list[str]]]:
    """Yield every list of words with its place: as a list, a text, alternatives of a pattern."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _lists_of(each, f"{place}.{name}")
    elif isinstance(value, list):
        yield place, [each for each in value if isinstance(each, str)]
        for each in value:
            # A text that is one of several is an example.
            yield from () if isinstance(each, str) else _lists_of(each, place)
    elif isinstance(value, str):
        if _WORDS.fullmatch(value.strip()):
            yield place, value.split()
        yield from ((place, group.split("|")) for group in _GROUP.findall(value))


def _twice(words: Iterable[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for word in words:
        seen[word] = seen.get(word, 0) + 1
    return (word for word, times in seen.items() if times > 1)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    main()
