"""Which cells name the columns of a table, and what they are called then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from weft.adapters.reader.columns import typed
from weft.adapters.reader.dates import instant

# Of a column of figures one cell in so many may be a word, as "NA".
_WORDED_AMONG = 4
UNIT = re.compile(r"[(\[][^()\[\]]{1,12}[)\]]")
CURRENCY_CODES = frozenset(
    "EUR USD GBP KRW JPY CHF CAD AUD CNY SEK NOK DKK INR PLN CZK HUF RON BGN ISK TRY RUB UAH ILS"
    " THB VND IDR MYR PHP SGD HKD TWD NZD MXN BRL ZAR AED SAR EGP NGN".split()
)
# Figures as people write them: 12,400; (350.00); € 9; 80 %; 12 EUR.
_FIGURE = re.compile(
    r"[-+−–(]?\s?[€$£¥₩₹]?\s?\d[\d .,'’\u00a0\u202f]*"
    rf"(?:[€$£¥₩₹%]|kr|zł|Kč|원|{'|'.join(sorted(CURRENCY_CODES))})?\)?"
)
_FEWEST_NUMBERED, _LONGEST_NUMBER = 3, 6


def names_columns(cells: Sequence[str], *, below: Sequence[Sequence[str]] = ()) -> bool:
    """Tell whether cells are a header over the rows `below`: words, and no name twice.

    Years, days and numbers in order are names beside words, where what stands below is not of their
    kind. A name may be there twice where a word stands over figures: then no row is like the first.
    """
    names = [cell.strip() for cell in cells if cell.strip()]
    figures = {name for name in names if not is_worded(name)}
    if not names or len(figures) == len(names):
        return False
    if figures and not _follow(cells, figures, below):
        return False
    is_once = len({name.casefold() for name in names}) == len(names)
    return is_once or has_figures_below(cells, below=below)


def two_lined(
    names: Sequence[str], under: Sequence[str], *, below: Sequence[Sequence[str]] = ()
) -> list[str] | None:
    """Return what columns are called by two rows, None where the second row names nothing.

    It has their units ("(mm)"), or says more of names that stand over several columns: "Seats" over
    "inside" and "outside" are "Seats inside" and "Seats outside", "Visitors" over years are
    "Visitors 2023" and "Visitors 2024".
    """
    said = [cell.strip() for cell in names]
    more = [cell.strip() for cell in under[: len(said)]] + [""] * (len(said) - len(under))
    if not any(more) or any(map(str.strip, under[len(said) :])):
        return None
    if all(more):
        return _spread(said, more, below=below)
    if not all(UNIT.fullmatch(one) for one in more if one):
        columns = zip(said, more, _columns(more, below), strict=True)
        # Words over figures that no other words stand over.
        spread = [column for one, two, column in columns if two and not one]
        words = all(is_worded(one) for one in more if one)
        if not (spread and words and all(map(_are_figures, spread))):
            return None
    found: list[str] = []
    over = ""
    for one, two in zip(said, more, strict=True):
        over = one or (over if two else "")
        found.append(" ".join(filter(None, (over, two))))
    return found


def _spread(
    over: Sequence[str], names: Sequence[str], *, below: Sequence[Sequence[str]]
) -> list[str] | None:
    """Return the names of columns behind what stands over several of them; None if nothing does.

    What stands below such names are figures, and no years where the names are years.
    """
    found: list[str] = []
    above, is_over_several = "", False
    for one, name, seen in zip(over, names, _columns(names, below), strict=True):
        is_over_several = is_over_several or bool(above and not one)
        # A name that reaches over both lines stands over nothing else.
        above = "" if one == name else one or above
        found.append(f"{above} {name}".strip())
        is_named = is_worded(name) or (_is_year(name) and 2 * sum(map(_is_year, seen)) < len(seen))
        if above and not (is_named and _are_figures(seen)):
            return None
        if not above and not is_worded(name):
            return None
    is_once = len({name.casefold() for name in found}) == len(found)
    return found if is_over_several and is_once else None


def has_figures_below(names: Sequence[str], *, below: Sequence[Sequence[str]]) -> bool:
    """Tell whether words stand over figures: then they are no row like those below them."""
    columns = zip(names, _columns(names, below), strict=True)
    return any(name.strip() and is_worded(name) and _are_figures(seen) for name, seen in columns)


def _are_figures(cells: Sequence[str]) -> bool:
    return bool(cells) and _WORDED_AMONG * sum(map(is_worded, cells)) <= len(cells)


def is_worded(cell: str) -> bool:
    """Tell whether a cell is neither a figure nor a day."""
    is_figure = _FIGURE.fullmatch(cell.strip()) is not None
    return not is_figure and isinstance(typed(cell), str) and instant(cell) is None


def _columns(cells: Sequence[str], below: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return what stands below each cell, without blanks."""
    return [
        [row[at] for row in below if at < len(row) and row[at].strip()] for at in range(len(cells))
    ]


def _follow(cells: Sequence[str], figures: Iterable[str], below: Sequence[Sequence[str]]) -> bool:
    """Tell whether the figures among some cells are in order, over what is not of their kind.

    They are years, days, or numbers each one more than the one before.
    """
    said = [cell.strip() for cell in cells if cell.strip() in figures]
    under = [
        [row[at].strip() for row in below if at < len(row) and row[at].strip()]
        for at, cell in enumerate(cells)
        if cell.strip() in figures
    ]
    seen = [one for column in under for one in column]
    if len(said) == 1 and _is_year(said[0]):
        return bool(seen) and all(map(is_worded, seen))
    if all(map(_is_year, said)):
        steps = {int(later) - int(earlier) for earlier, later in pairwise(said)}
        return len(steps) == 1 and 2 * sum(map(_is_year, seen)) < len(seen)
    days = [instant(cell) for cell in said]
    if None not in days:
        kept = [one for one in days if one is not None]
        is_later = len(kept) > 1 and all(a < b for a, b in pairwise(kept))
        return is_later and bool(seen) and all(instant(one) is None for one in seen)
    rows = [list(row) for row in zip(*under, strict=False)]
    return _counts_up(said) and 2 * sum(map(_counts_up, rows)) < len(rows)


def _is_year(cell: str) -> bool:
    return len(cell) == 4 and cell.isdecimal() and "1500" <= cell <= "2200"


def _counts_up(cells: Sequence[str]) -> bool:
    numbers = [int(cell) for cell in cells if cell.isdecimal() and len(cell) <= _LONGEST_NUMBER]
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    return len(numbers) == len(cells) >= _FEWEST_NUMBERED and steps == {1}


def said_again(text: str, *, column: int) -> str:
    """Return what a cell says in the further places that it reaches over, nothing of a figure.

    A figure is there once, so that it adds up; in the first column it says what rows are of.
    """
    return text if column == 0 or not any(map(str.isdigit, text)) else ""


def joined_name(lines: Iterable[str]) -> str:
    """Return one name of what stands above each other, each said once."""
    return " ".join(dict.fromkeys(filter(None, lines)))
