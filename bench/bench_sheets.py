"""What answers are worth on folders of sheets laid out by hand, each file in its own way.

`bench_sheets.py [NAME...] [--details]` asks every question of the folders in `bench/sheets`, prints
a line a folder and one of all, and writes `bench/out/sheets.json`. Rows: `n` questions with an
answer, of them told rightly and wrongly, and `found`: rightly, or a row that is shown or among the
first three of the nearest says it; `offered`: refused, and one of the meanings that are offered is
answered rightly; `none` without an answer, of them told something all the same.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench_tables import Outcome, Question, ask_all
from retrieval_bases import model_folder
from table_scoring import Worth, is_shown

SHEETS = Path(__file__).parent / "sheets"
OUT = Path(__file__).parent / "out" / "sheets.json"
_NEAREST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A folder's figures: questions with an answer, and those without one."""

    name: str
    n: int
    right: int
    wrong: int
    found: int
    offered: int
    none: int
    told: int

    def __str__(self) -> str:
        """Return it as a line of the table."""
        figures = (
            *(self.n, self.right, self.wrong),
            *(self.found, self.offered, self.none, self.told),
        )
        return f"{self.name:16}" + "".join(f"{one:8}" for one in figures)


def asked(folder: Path) -> list[Outcome]:
    """Return what the product makes of a folder's questions."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = [Question(**json.loads(line)) for line in lines]
    with tempfile.TemporaryDirectory(prefix="weft-sheets-") as made:
        home = Path(made)
        (home / "cache").symlink_to(model_folder().resolve())
        return ask_all(wanted, folder / "tables", home)


def _is_found(one: Outcome) -> bool:
    """Tell whether an answer is told, or stands in what is shown in its place."""
    expected = one.question.answer
    if expected is None or one.worth in (Worth.RIGHT, Worth.WRONG):
        return expected is not None and one.worth is Worth.RIGHT
    return not one.question.computed and is_shown(
        (*one.sentences, *one.nearest[:_NEAREST]), expected
    )


def row_of(name: str, found: Sequence[Outcome]) -> Row:
    """Return the figures of some questions."""
    held = [one.worth for one in found if one.question.answer is not None]
    none = [one.worth for one in found if one.question.answer is None]
    return Row(
        name=name,
        n=len(held),
        right=held.count(Worth.RIGHT),
        wrong=held.count(Worth.WRONG),
        found=sum(map(_is_found, found)),
        offered=sum(one.offered for one in found),
        none=len(none),
        told=none.count(Worth.WRONG),
    )


def main() -> None:
    """Ask, print and write the figures."""
    every = sorted(one.name for one in SHEETS.iterdir() if one.is_dir())
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=every)
    parser.add_argument("--details", action="store_true", help="print what was not told rightly")
    wanted = parser.parse_args()
    found: list[Outcome] = []
    rows: list[Row] = []
    print(
        f"{'folder':16}"
        + "".join(
            f"{one:>8}" for one in ("n", "right", "wrong", "found", "offered", "none", "told")
        )
    )
    for name in wanted.names:
        own = asked(SHEETS / name)
        found += own
        rows.append(row_of(name, own))
        print(rows[-1], flush=True)
        for one in own if wanted.details else ():
            if one.worth is not Worth.RIGHT:
                print(f"    {one.worth.value:8} {one.question.question}")
                print(f"             {one.question.answer}  |  {one.short or '-'}")
    rows.append(row_of("all", found))
    print(rows[-1])
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([asdict(one) for one in rows], indent=1))


if __name__ == "__main__":
    main()
