"""Tables as the terminal shows them, and as a pipe gets them: plain columns, whole lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from weft.domain.display import on_one_line
from weft.domain.frozen import dataclass

Cell = str | Text
_BETWEEN = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column by its heading, with its unit; figures stand at the right.

    What `is_whole` is never wrapped, however narrow the terminal is; figures never are.
    """

    heading: str
    is_figure: bool = False
    is_whole: bool = False


def figures(heading: str) -> Column:
    """Return a column of figures."""
    return Column(heading=heading, is_figure=True)


def words(heading: str, *, whole: bool = False) -> Column:
    """Return a column of words."""
    return Column(heading=heading, is_whole=whole)


def show_table(
    console: Console, columns: Sequence[Column], *, rows: Sequence[Sequence[Cell]]
) -> None:
    """Print rows under their headings: drawn on a terminal, in plain columns elsewhere.

    What is plain is never cut and never wrapped, so that other programs can read it by lines.
    """
    if console.is_terminal:
        console.print(_drawn(columns, rows))
        return
    cells = [[column.heading for column in columns], *([_plain(cell) for cell in r] for r in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = [
            _padded(cell, width, is_figure=column.is_figure)
            for cell, width, column in zip(row, widths, columns, strict=True)
        ]
        console.out(_BETWEEN.join(padded).rstrip(), highlight=False)


def say(console: Console, line: str, *, style: str = "") -> None:
    """Print a line as it is, without markup; in a pipe it stays one line."""
    console.print(Text(line, style=style), soft_wrap=not console.is_terminal)


def _drawn(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(
            column.heading,
            justify="right" if column.is_figure else "left",
            no_wrap=column.is_figure or column.is_whole,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    return table


def _plain(cell: Cell) -> str:
    return on_one_line(cell.plain if isinstance(cell, Text) else cell)


def _padded(cell: str, width: int, *, is_figure: bool) -> str:
    room = " " * (width - cell_len(cell))
    return room + cell if is_figure else cell + room
