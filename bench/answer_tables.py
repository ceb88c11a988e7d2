"""Compute the answers of the questions from the tables themselves.

`answer_tables.py`: reads the `questions-*.yaml` in `table_questions` (a question with the SQL that
answers it, nothing where the table does not hold it), runs each over its own table in SQLite, and
writes the `questions-*.jsonl` beside them.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import lxml.etree
import lxml.html
import yaml
from gather_tables import HERE, TABLES, Table, manifest

Cells = Sequence[Sequence[object]]
_SPREADSHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_COMPUTED = re.compile(r"\b(count|sum|avg|julianday)\(|\) - \(")
SPLITS = ("dev", "kept", "more", "apart")
_RULE = re.compile(r"^[|:\- ]+$")


def _number(cell: object) -> object:
    """Return a cell as a number where it is one."""
    text = "" if cell is None else str(cell).strip()
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text or None


def _markdown(text: str) -> Iterator[Cells]:
    """Yield the pipe tables of a Markdown text."""
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.lstrip().startswith("|"):
            if not _RULE.match(line.strip()):
                rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif rows:
            yield rows
            rows = []


def _html(text: str) -> Iterator[Cells]:
    """Yield the tables of a page."""
    for table in lxml.html.fromstring(text.encode()).iter("table"):
        yield [
            [" ".join(cell.text_content().split()) for cell in row.iter("th", "td")]
            for row in table.iter("tr")
        ]


def _cell(cell: lxml.etree._Element, shared: Sequence[str]) -> str | None:
    """Return what a cell of a sheet holds."""
    value = cell.findtext(f"{_SPREADSHEET}v")
    return shared[int(value)] if value is not None and cell.get("t") == "s" else value


def _sheets(path: Path) -> Iterator[Cells]:
    """Yield the sheets of a workbook, from the first row that has as many cells as any."""
    with zipfile.ZipFile(path) as book:
        strings = lxml.etree.fromstring(book.read("xl/sharedStrings.xml"))
        shared = ["".join(str(part) for part in item.itertext()) for item in strings]
        names = sorted(name for name in book.namelist() if "worksheets/sheet" in name)
        for name in names:
            sheet = lxml.etree.fromstring(book.read(name))
            rows = [[_cell(c, shared) for c in row] for row in sheet.iter(f"{_SPREADSHEET}row")]
            full = [sum(cell is not None for cell in row) for row in rows]
            kept = [row for row, count in zip(rows, full, strict=True) if count == max(full)]
            yield kept


def tables(table: Table) -> Iterator[Cells]:
    """Yield the tables of a file, the heads first."""
    path = TABLES / table.file
    if table.kind == "xlsx":
        yield from _sheets(path)
        return
    text = path.read_text(encoding="utf-8")
    if table.kind == "markdown":
        yield from _markdown(text)
    elif table.kind == "html":
        yield from _html(text)
    elif table.kind == "json":
        records = json.loads(text)
        heads = list(dict.fromkeys(key for record in records for key in record))
        yield [heads, *([record.get(head) for head in heads] for record in records)]
    elif table.kind == "tsv":
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        yield [["codes", "coordinates", "TZ", "comments"], *(line.split("\t") for line in lines)]
    else:
        yield list(csv.reader(text.splitlines()))


def loaded(table: Table) -> sqlite3.Connection:
    """Return a database in memory with the tables of a file as `t1`, `t2` and so on."""
    base = sqlite3.connect(":memory:")
    for place, cells in enumerate(tables(table), start=1):
        heads = [str(head).strip() or f"c{at}" for at, head in enumerate(cells[0])]
        width = len(heads)
        named = ", ".join(
            '"' + head.replace('"', "") + f'{"" if heads.index(head) == at else at}"'
            for at, head in enumerate(heads)
        )
        base.execute(f"create table t{place} ({named})")
        rows = [[*map(_number, row), *[None] * width][:width] for row in cells[1:]]
        base.executemany(f"insert into t{place} values ({', '.join('?' * width)})", rows)
    return base


def answer(base: sqlite3.Connection, sql: str | None) -> list[str] | float | int | None:
    """Return the number or the values that a query gives; None where there is no query."""
    if sql is None:
        return None
    values = [row[0] for row in base.execute(sql).fetchall()]
    if len(values) == 1 and isinstance(values[0], int | float):
        return round(values[0], 4)
    if not values or None in values:
        raise ValueError(f"Nothing comes of {sql}")
    return [str(value) for value in values]


def main() -> int:
    """Write both files and print every question with its answer, to be looked at."""
    known = {table.name: table for table in manifest()}
    for split in SPLITS:
        rows = yaml.safe_load((HERE / f"questions-{split}.yaml").read_text(encoding="utf-8"))
        out = (HERE / f"questions-{split}.jsonl").open("w", encoding="utf-8")
        with out:
            for place, row in enumerate(rows, start=1):
                found = answer(loaded(known[row["t"]]), row.get("sql"))
                line = {
                    "id": f"{split}-{place:02d}",
                    "table": row["t"],
                    "question": row["q"],
                    "kind": row["k"],
                    "computed": _COMPUTED.search(row.get("sql", "")) is not None,
                    "answer": found,
                }
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
                print(f"{line['id']} [{row['k']}] {row['q']}  ->  {found}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
