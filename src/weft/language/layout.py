"""How people lay rows out: lines that name those below them, names that stand over several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from weft.language.hangul import has_hangul

_FEWEST_SECTIONS = 2
# So many rows in ten have no name of their own where names stand over several.
_UNNAMED_IN_TEN = 3
_FIGURES = re.compile(r"[\W\d_]*")


def heads_of(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return for each row what it says that names those below it, empty for one with values.

    Such a line has words in its first cell alone, or the same in every cell. One is on top, none is
    right below another one, and none is the last: else there are none, and the list is empty.
    """
    heads = [_head(row) for row in rows]
    is_parted = bool(heads[:1]) and bool(heads[0]) and not heads[-1]
    if not is_parted or sum(map(bool, heads)) < _FEWEST_SECTIONS:
        return []
    return [] if any(one and two for one, two in pairwise(heads)) else heads


def _head(row: Sequence[str]) -> str:
    first, *others = (cell.strip() for cell in row)
    is_alone = bool(first) and bool(others) and set(others) <= {first, ""}
    return first.rstrip(": ") if is_alone and not _FIGURES.fullmatch(first) else ""


def section_name(columns: Sequence[str]) -> str:
    """Return what a column is called that has what such lines say, in the language of others."""
    return "구분" if has_hangul("".join(columns)) else "Section"


def names_over(rows: Sequence[Sequence[str]], *, at: int = 0) -> list[str]:
    """Return the name of each row where names in the column `at` stand over several rows.

    Each name is there once, and each row has values beside it; else the list is empty.
    """
    said = [row[at].strip() for row in rows]
    names = [one.casefold() for one in said if one]
    is_once = len(set(names)) == len(names) > 1
    if not (is_once and said[0]) or _FIGURES.fullmatch(said[0]):
        return []
    if (len(said) - len(names)) * 10 < _UNNAMED_IN_TEN * len(said):
        return []
    if not all(_has_values(row[at + 1 :]) for row in rows):
        return []
    found: list[str] = []
    for one in said:
        found.append(one or found[-1])
    return found


def _has_values(cells: Sequence[str]) -> bool:
    """Tell whether most cells behind a row's name have a value, the next one among them."""
    filled = [bool(cell.strip()) for cell in cells]
    return bool(filled) and filled[0] and 2 * sum(filled) >= len(filled)
