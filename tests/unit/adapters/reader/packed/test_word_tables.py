"""Tables of documents whose cells reach over several columns or rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.adapters.reader.packed.test_package import DOCX, rewritten
from unit.adapters.reader.samples import only

SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def cell(text: str, *, over: str = "1", merged: str = "") -> str:
    """Return a cell that reaches over some columns; `merged`: "restart" or "continue" below."""
    down = f'<w:vMerge w:val="{merged}"/>' if merged else ""
    own = f'<w:tcPr><w:gridSpan w:val="{over}"/>{down}</w:tcPr>'
    return f"<w:tc>{own}<w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"


def text_of(folder: Path, *rows: str) -> str:
    """Return what is read of a document with one table."""
    table = "".join(f"<w:tr>{row}</w:tr>" for row in rows)
    body = f"<w:p><w:r><w:t>Allowances</w:t></w:r></w:p><w:tbl>{table}</w:tbl>"
    written = f'<w:document xmlns:w="{SPACE}"><w:body>{body}</w:body></w:document>'
    data = rewritten(DOCX, {"word/document.xml": written.encode()})
    return only(folder, "travel.docx", data).content


def test_names_over_two_lines_are_one_row_and_merged_cells_are_in_each_place(
    tmp_path: Path,
) -> None:
    text = text_of(
        tmp_path,
        cell("Country", merged="restart") + cell("Allowance 2024", over="2"),
        cell("", merged="continue") + cell("full day") + cell("half day"),
        cell("Norway", merged="restart") + cell("80") + cell("40"),
        cell("", merged="continue") + cell("90") + cell("45"),
        cell("From June on", over="3"),
        cell("Spain") + cell("45") + cell("22"),
    )
    assert text.split("\n\n")[1].split("\n") == [
        "| Country | Allowance 2024 full day | Allowance 2024 half day |",
        "|---|---|---|",
        "| Norway | 80 | 40 |",
        "| Norway | 90 | 45 |",
        "| From June on |  |  |",
        "| Spain | 45 | 22 |",
    ]


def test_a_merged_figure_is_there_once_so_that_it_adds_up(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        cell("Team") + cell("Year") + cell("Budget"),
        cell("Ops") + cell("2024", merged="restart") + cell("500", merged="restart"),
        cell("Web") + cell("", merged="continue") + cell("", merged="continue"),
    )
    assert "| Ops | 2024 | 500 |\n| Web |  |  |" in text


@pytest.mark.parametrize("over", ["0", "-3", "x", "", "9999", "99999999999"])
def test_a_cell_that_reaches_too_far_leaves_the_table_as_it_is(tmp_path: Path, over: str) -> None:
    text = text_of(tmp_path, cell("Country") + cell("Day"), cell("Norway", over=over) + cell("80"))
    assert "Norway" in text
    assert text.count("Norway") == 1
