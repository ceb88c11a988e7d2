"""What `docs/requirements.md` says is here is here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from house.source import ROOT, WEFT, lines

PAGE = ROOT / "docs" / "requirements.md"
MARK = re.compile(r"\*\*(Here|here|Planned|Substituted)\*\*")
# A path, with what is meant in the file after a colon.
NAMED = re.compile(
    r"`([\w.-]+(?:/[\w.-]+)*(?:/|\.(?:py|sql|cypher|jinja|yaml|toml|md|json)))(.*?)`"
)
WORD = re.compile(r"[A-Za-z_]\w*")


def rows() -> Iterator[tuple[int, str, str]]:
    """Yield the line, the left and the right cell of each row."""
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) == 4 and set(cells[1]) - set("- "):
            yield number, cells[1].strip(), cells[2].strip()


def here(cell: str) -> str:
    """Return the parts of a right cell that say what exists."""
    parts = MARK.split(f"**Here**{cell}")[1:]
    said = zip(parts[::2], parts[1::2], strict=True)
    return " ".join(text for mark, text in said if mark != "Planned")


def missing(cell: str) -> Iterator[str]:
    """Yield the paths of a cell, and the names in them, that are not in the tree."""
    beside = WEFT
    for path, inside in NAMED.findall(here(cell)):
        found = [base / path for base in (WEFT, ROOT, beside) if (base / path).exists()]
        if not found:
            yield path
            continue
        beside = found[0].parent
        name = WORD.search(inside.removeprefix(":"))
        if name and found[0].is_file() and name[0] not in found[0].read_text(encoding="utf-8"):
            yield f"{path}{inside}"


def test_what_is_said_to_be_here_is_here() -> None:
    wrong = [f"{number}: {each}" for number, _, cell in rows() for each in missing(cell)]
    assert not wrong, lines(wrong)


def test_every_row_says_where_its_name_went() -> None:
    heads = {"Name there"}
    wrong = [
        f"{number}: {name}"
        for number, name, cell in rows()
        if name not in heads
        and not MARK.search(cell)
        and "part 1" not in cell
        and "above" not in cell
    ]
    assert not wrong, lines(wrong)
