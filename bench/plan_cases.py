"""Questions of tables with the tables that the product looks at for them, kept for learning plans.

`plan_cases.py SPLIT... | plan_cases.py --folder DIR NAME` asks the product every question of a
split, or those of a folder with `questions.jsonl` and `tables/`, takes down which tables it
describes, and keeps both in `bench/out/plan_cases/`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import pickle
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from bench_tables import Question, questions
from gather_tables import TOGETHER, gather
from retrieval_bases import cache_folder

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from weft.bootstrap.app import App, load_settings, open_app
from weft.bootstrap.flows import build_flows
from weft.flows.asking import Asking
from weft.offline.plans.choosing import RankedPlans
from weft.platform.identity import local_owner
from weft.retrieval.tables.describing import Describer
from weft.retrieval.tables.rows.series import with_series
from weft.retrieval.tables.table import TypedTable
from weft.sdk.weft import Weft

KEPT = Path(__file__).parent / "out" / "plan_cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCase:
    """A question, the words that were looked up, and the tables that were described for it."""

    question: Question
    text: str
    tables: tuple[TypedTable, ...]


def cases(name: str) -> list[PlanCase]:
    """Return the kept cases of a split."""
    with (KEPT / f"{name}.pickle").open("rb") as file:
        found: list[PlanCase] = [_with_series(one) for one in pickle.load(file)]
    for one in found:
        for table in one.tables:
            for name in ("key", "numbers", "counts", "called"):
                table.__dict__.pop(name, None)  # worked out anew, as the product would now
    return found


def _with_series(one: PlanCase) -> PlanCase:
    """Return a case with what is told of its tables by months and years, if it was kept without."""
    own = [table for table in one.tables if table.rows_of == table.name]
    return replace(one, tables=tuple(with_series(own)))


def gathered(wanted: Sequence[Question], folder: Path) -> Iterator[PlanCase]:
    """Yield the questions with what the product described for them."""
    with tempfile.TemporaryDirectory(prefix="weft-plans-") as made:
        home = Path(made)
        model = cache_folder() / "model"
        model.mkdir(parents=True, exist_ok=True)  # else it counts as one that cannot be written
        (home / "cache").symlink_to(model.resolve())
        with Weft.open(folder, home=home) as weft, _described() as seen:
            weft.sync()
            for one in wanted:
                seen.clear()
                weft.ask(one.question)
                text, tables = seen[-1] if seen else (one.question, ())
                yield PlanCase(question=one, text=text, tables=tables)


@contextmanager
def _described() -> Iterator[list[tuple[str, tuple[TypedTable, ...]]]]:
    seen: list[tuple[str, tuple[TypedTable, ...]]] = []
    real = Describer.described

    async def described(self: Describer, question: str, tables, *, embedder):  # type: ignore[no-untyped-def]
        seen.append((question, tuple(tables)))
        return await real(self, question, tables, embedder=embedder)

    nothing = RankedPlans(plans=(), none=np.zeros(0))
    # What is being learned is not needed to take down what it is learned from.
    with (
        patch.object(Describer, "described", described),
        patch("weft.offline.plans.answers.answering.ranked_plans", lambda *_: nothing),
    ):
        yield seen


def _of_folder(folder: Path) -> list[Question]:
    names = {one.name for one in fields(Question)}
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return [Question(**{name: row[name] for name in names}) for row in rows]


def of_worlds(seed: int, worlds: int) -> Iterator[PlanCase]:
    """Yield the questions that are made of a drawn world's tables, for each world a base."""
    from flow.generated_tables import generated

    for number, world in enumerate(generated(seed, worlds=worlds)):
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "tables"
            for name, text in world.files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            asked = [
                Question(
                    id=f"drawn-{seed}-{number}-{at}",
                    table=f"drawn-{seed}-{number}",
                    question=each.text,
                    kind="rows" if len(each.expected[0]) > 1 else str(each.kind),
                    computed=bool(each.plan["aggregates"]),
                    answer=_answer(each.expected),
                )
                for at, each in enumerate(world.questions)
                if each.expected and len({len(row) for row in each.expected}) == 1
            ]
            yield from gathered(asked, folder)


def _answer(rows: Sequence[Sequence[object]]) -> float | list[str]:
    if len(rows[0]) > 1:
        return ["\t".join(map(str, row)) for row in rows]
    [first, *others] = [row[0] for row in rows]
    if not others and isinstance(first, int | float):
        return float(first)
    return [str(one) for one in (first, *others)]


def of_examples() -> list[PlanCase]:
    """Return the questions of the example organisation, of which most are about prose."""
    import bench_examples as examples

    found: list[PlanCase] = []
    with _described() as seen:

        async def asked(app: App, store: str, one: examples.Question) -> None:
            seen.clear()
            asking = Asking(question=one.text, knowledge_bases=(store,))
            await build_flows(app).run(examples.scope_of(one), asking)
            text, tables = seen[-1] if seen else (one.text, ())
            question = Question(
                id=one.id,
                table=one.id,
                question=one.text,
                kind="prose" if one.answerable else "none",
                computed=False,
                answer=list(one.accepted) if one.answerable else None,
            )
            found.append(PlanCase(question=question, text=text, tables=tables))

        async def all_asked() -> None:
            app = await open_app(load_settings(examples.workspace()))
            try:
                for name in examples.BASES:
                    store = await app.library.of_folder(local_owner(), examples.EXAMPLES / name)
                    for one in examples.read_questions():
                        if one.kb == name:
                            await asked(app, store.name, one)
            finally:
                await app.close()

        asyncio.run(all_asked())
    return found


def main() -> int:
    """Keep the cases that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--drawn", type=int, help="this many worlds of a seed that is the name")
    wanted = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    for name in wanted.names:
        if name == "examples":
            (KEPT / "examples.pickle").write_bytes(pickle.dumps(of_examples()))
            continue
        if wanted.drawn:
            drawn = list(of_worlds(int(name), wanted.drawn))
            (KEPT / f"drawn-{name}.pickle").write_bytes(pickle.dumps(drawn))
            print(f"{len(drawn)} questions")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "tables"
            if wanted.folder is None:
                absent = gather(folder, TOGETHER if name in TOGETHER else (name,))
                asked = questions(name, absent)
            else:
                folder, asked = wanted.folder / "tables", _of_folder(wanted.folder)
            found = list(gathered(asked, folder))
        with (KEPT / f"{name}.pickle").open("wb") as file:
            pickle.dump(found, file)
        without = sum(not one.tables for one in found)
        print(f"{name}: {len(found)} questions, {without} without a table", file=sys.stderr)
    return 0


if __name__ == "__main__":
    import plan_cases  # what is kept names this module, whoever reads it

    raise SystemExit(plan_cases.main())
