"""How people lay rows out: lines that name those below them, names that stand over several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from weft.domain.frozen import dataclass
from weft.language.cell_words import DITTO, NOTHING, TRUTHS
from weft.language.hangul import has_hangul

_FEWEST_SECTIONS = 2
_LONGEST_NAME = 120
# So many rows in ten have no name of their own where names stand over several.
_UNNAMED_IN_TEN = 3
# Of so many of these one may have no values: it adds the others up.
_MOST_BARE = 4
_FEWEST_TURNED = 3
# So much of a turned table's rows is of one kind, and so much more than of its columns.
_ALIKE, _MORE = 0.85, 0.1
# What the corner of a table is called whose rows are what things have.
_CORNERS = frozenset(
    {"", "feature", "features", "attribute", "property", "parameter", "characteristic", "criterion"}
    | {"criteria", "specification", "specifications", "spec", "specs", "aspect", "field", "detail"}
    | {"details", "항목", "특성", "속성", "사양", "기준"}
)
_FIGURES = re.compile(r"[\W\d_]*")


def heads_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return for each row what it says that names those below it, empty for one with values.

    Such a line has words in its first cell alone, or the same in every cell. One is on top and none
    is right below another one: else there are none, and the list is empty. Those behind the last
    row with values are remarks, and name nothing.
    """
    heads = [_head(row) for row in rows]
    while heads and heads[-1]:
        heads.pop()
    is_parted = bool(heads) and bool(heads[0]) and sum(map(bool, heads)) >= _FEWEST_SECTIONS
    if not is_parted or any(one and two for one, two in pairwise(heads)):
        return []
    return [*heads, *[""] * (len(rows) - len(heads))]


def _head(row: Sequence[str]) -> str:
    first, *others = (cell.strip() for cell in row)
    is_alone = bool(first) and bool(others) and set(others) <= {first, ""}
    is_name = len(first) <= _LONGEST_NAME and not _FIGURES.fullmatch(first)
    return first.rstrip(": ") if is_alone and is_name else ""


def section_name(columns: Sequence[str]) -> str:
    """Return what a column is called that has what such lines say, in the language of others."""
    return _beside(columns, "Section", korean="구분")


def thing_name(corner: str, labels: Sequence[str]) -> str:
    """Return what the column is called that has the things of a turned table, by its corner."""
    return corner or _beside(labels, "Name", korean="이름")


def _beside(names: Sequence[str], name: str, *, korean: str) -> str:
    """Return a name in the language of others, with a number where it is one of them."""
    said = korean if has_hangul("".join(names)) else name
    return told_apart([*(one.strip() for one in names), said])[-1]


def told_apart(names: Sequence[str]) -> list[str]:
    """Return names of which none is there twice, whatever its capitals: Name, Name 2."""
    taken = {name.casefold() for name in names}
    found: list[str] = []
    seen: set[str] = set()
    for name in names:
        said, number = name, 1
        while said.casefold() in (seen if number == 1 else seen | taken):
            number += 1
            said = f"{name} {number}"
        seen.add(said.casefold())
        found.append(said)
    return found


def names_over(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the name of each row where names in the first column stand over several rows.

    Each name is there once, and hardly a row has no values beside it; else the list is empty.
    """
    said = [row[0].strip() for row in rows]
    names = [one.casefold() for one in said if one]
    is_once = len(set(names)) == len(names) > 1
    if not (is_once and said[0]) or _FIGURES.fullmatch(said[0]):
        return []
    if any(len(name) > _LONGEST_NAME for name in names):
        return []  # what is said again in every row is short
    if (len(said) - len(names)) * 10 < _UNNAMED_IN_TEN * len(said):
        return []
    bare = [row for row in rows if not row[0].strip() and not _has_values(row[1:])]
    if len(bare) * _MOST_BARE > len(said) - len(names):
        return []
    found: list[str] = []
    for one in said:
        found.append(one or found[-1])
    return found


def _has_values(cells: Sequence[str]) -> bool:
    """Tell whether most cells behind a row's name have a value, the next one among them."""
    filled = [bool(cell.strip()) for cell in cells]
    return bool(filled) and filled[0] and 2 * sum(filled) >= len(filled)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidRow:
    """A row by its place, the line that parts it from others, and the name that stands over it.

    Both are empty where there is none.
    """

    at: int
    section: str
    name: str


def laid_rows(rows: Sequence[Sequence[str]]) -> list[LaidRow]:
    """Return the rows of things with what they are of; lines that name those below are none."""
    heads = heads_of(rows) or [""] * len(rows)
    kept: list[tuple[int, str]] = []
    section = ""
    for at, head in enumerate(heads):
        section = head or section
        if not head:
            kept.append((at, section))
    names = names_over([rows[at] for at, _ in kept]) or [""] * len(kept)
    return [
        LaidRow(at=at, section=section, name=name)
        for (at, section), name in zip(kept, names, strict=True)
    ]


def repeated(rows: Sequence[Sequence[str]]) -> dict[tuple[int, int], int]:
    """Return the cells (row, column) that only say "as above", each with the row that says it."""
    found: dict[tuple[int, int], int] = {}
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            if at and cell.strip().casefold() in DITTO:
                found[at, column] = found.get((at - 1, column), at - 1)
    return found


def with_names(rows: Sequence[Sequence[str]], *, named: int = 1) -> list[list[str]]:
    """Return a table's rows, the first with the names of columns, each with the name over it."""
    found = [list(row) for row in rows]
    below = found[named:]
    if len({len(row) for row in found}) == 1 and below and (names := names_over(below)):
        for row, name in zip(below, names, strict=True):
            row[0] = name
    return found


def is_turned(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether rows are what the things have that stand over their columns.

    Then the corner is empty or says so, and rows are each of a kind, but not columns.
    """
    corner, *things = names
    labels = [row[0].casefold() for row in rows]
    if len(things) < 2 or not all(things) or corner.casefold() not in _CORNERS:
        return False
    if len(rows) < _FEWEST_TURNED or not all(labels) or len(set(labels)) < len(labels):
        return False
    if any(_FIGURES.fullmatch(thing) for thing in things):
        return False  # years over figures
    across = [[_kind(cell) for cell in row[1:]] for row in rows]
    tops = {most for kinds in across if (most := _mostly(kinds)[0])}
    alike = _alike(across)
    return len(tops) > 1 and alike >= _ALIKE and alike - _alike(zip(*across, strict=True)) >= _MORE


def _mostly(kinds: Iterable[str]) -> tuple[str, float]:
    """Return the kind that most values are of, and how many of them are: none for no values."""
    counts = Counter(one for one in kinds if one)
    (kind, count), *_ = counts.most_common(1) or [("", 0)]
    return kind, count / max(1, counts.total())


def _alike(lines: Iterable[Iterable[str]]) -> float:
    """Return how much of a line is of one kind, on average."""
    shares = [share for line in lines if (share := _mostly(line)[1])]
    return sum(shares) / max(1, len(shares))


def _kind(cell: str) -> str:
    """Return what kind of value a cell has: a figure, yes or no, words; none if empty."""
    said = cell.casefold()
    if said in NOTHING:
        return ""
    if said in TRUTHS:
        return "truth"
    return "figure" if said.strip("€$£%~<>≈ ")[:1].isdigit() else "words"
