"""Plans over files of dirty tables give what SQL gives over the values that were meant."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from flow.generated_tables import GeneratedQuestion, Plan, Value, generated
from weft.bootstrap.app import load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.bootstrap.knowledge import bases_of
from weft.domain.outside.limits import reader_of
from weft.flows.asking import Asking
from weft.platform.identity import local_owner
from weft.ports.store import Base
from weft.retrieval.tables.cells import day, quantity
from weft.retrieval.tables.desk import TableDesk
from weft.retrieval.tables.plan import TablePlan
from weft.retrieval.tables.query import written_day
from weft.retrieval.tables.shelf import TablesWanted
from weft.sdk.weft import Weft

SEED = 7
SCOPE = local_owner()
FUNCTIONS = {"average": "avg"}
_FIGURE = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def base_of(folder: Path, home: Path) -> None:
    """Read a folder into a knowledge base, without vectors."""
    (home / "weft.yaml").write_text("embedder: none\n")
    with Weft.open(folder, home=home) as opened:
        opened.sync()


def translated(plan: Plan, names: dict[str, str]) -> dict[str, Any]:
    """Return a plan with the names that the tables have in the knowledge base."""

    def column(said: str) -> str:
        table, dot, name = said.partition(".")
        return f"{names[table]}.{name}" if dot and table in names else said

    worked = [
        {
            "function": FUNCTIONS.get(one["function"], one["function"]),
            "column": "" if one["column"] == "*" else one["column"],
        }
        for one in plan["aggregates"]
    ]
    return {
        **plan,
        "tables": [names[one] for one in plan["tables"]],
        "joins": [{"left": column(j["left"]), "right": column(j["right"])} for j in plan["joins"]],
        "aggregates": worked,
        "order_by": [
            {**one, "column": "" if plan["aggregates"] else one["column"]}
            for one in plan["order_by"]
        ],
    }


def value_of(text: str) -> Value:
    """Return what a cell of a result says, as the generator means it: of 만 원 how many."""
    if (found := day(text)) is not None:
        return written_day(found)
    number = quantity(text)
    return text if number is None else _plain(number.value / number.scale)


def same(question: GeneratedQuestion, rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the rows of a result are those that are expected."""
    expected = [tuple(_plain(cell) for cell in row) for row in question.expected]
    found = [tuple(value_of(cell) for cell in row) for row in rows]
    if question.is_ordered:
        return expected == found
    return sorted(map(repr, expected)) == sorted(map(repr, found))


def _plain(cell: Value) -> Value:
    return round(float(cell), 2) if isinstance(cell, int | float) else cell


async def tables_by_file(desk: TableDesk, bases: Sequence[Base], stems: set[str]) -> dict[str, str]:
    """Return the name of each file's table by the file's name without its ending."""
    found: dict[str, str] = {}
    view = await bases[0].knowledge.view(SCOPE)
    documents = [row[0] for live in view.snapshot.segments for row in live.segment.documents]
    names = {one.partition(":")[2].partition("#")[0] for one in documents if "#" in one}
    names |= {f"{one}#table1" for one in documents if one.startswith("file:")}
    wanted = TablesWanted(names=frozenset(names))
    for table in await desk.tables(bases, SCOPE, wanted):
        file = table.name.partition("#")[0].rpartition("/")[2].rpartition(".")[0]
        if file in stems:
            found[file] = table.name
    return found


async def asked_of(home: Path, questions: Sequence[GeneratedQuestion]) -> Counter[str]:
    """Return what became of the plans of some questions, and of the questions by themselves."""
    came: Counter[str] = Counter()
    app = await open_app(load_settings(home))
    try:
        [known] = await app.records.bases.listed(SCOPE)
        store = await app.library.named(SCOPE, known.name)
        desk, bases, flows = TableDesk(), bases_of([store]), build_flows(app)
        stems = {name for one in questions for name in one.plan["tables"]}
        names = await tables_by_file(desk, bases, stems)
        for one in questions:
            plan = reader_of(TablePlan).validate_python(translated(one.plan, names))
            worked = await desk.worked(bases, SCOPE, plan, within=TablesWanted())
            assert same(one, worked.result.rows), (one.text, plan, one.expected, worked.result.rows)
            came["plans"] += 1
            answer = (
                await flows.run(SCOPE, Asking(question=one.text, knowledge_bases=(store.name,)))
            ).answer
            came["answered" if answer.short else "not answered"] += 1
            if answer.short and not _says(answer.short, one):
                came["wrong"] += 1
                print(one.text, "|", answer.short, "|", one.expected, "|", answer.notes)
    finally:
        await app.close()
    return came


def _says(short: str, question: GeneratedQuestion) -> bool:
    """Tell whether a short answer names every row that is expected, or says its figure."""
    numbers = [float(one.replace(",", "")) for one in _FIGURE.findall(short)]

    def is_said(cell: Value) -> bool:
        if isinstance(cell, str):
            return cell in short
        return any(abs(cell - one) <= 0.001 * max(1.0, abs(cell)) for one in numbers)

    return all(any(is_said(cell) for cell in row) for row in question.expected)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_generated_plan_equals_sql(tmp_path: Path) -> None:
    came: Counter[str] = Counter()
    for number, world in enumerate(generated(SEED, worlds=4)):
        folder, home = tmp_path / f"tables{number}", tmp_path / f"home{number}"
        folder.mkdir()
        home.mkdir()
        for name, text in world.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        base_of(folder, home)
        came += asyncio.run(asked_of(home, world.questions))
    print(f"\n{dict(came)}")
    assert came["plans"] == 80
    # Whoever asks gets the figure or none: never another one.
    assert came["wrong"] == 0
    assert came["answered"] >= 68
