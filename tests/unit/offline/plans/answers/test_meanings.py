"""What a question over rows may mean: in words of two languages, and by an id of its own."""

from __future__ import annotations

import pytest

from weft.offline.plans.answers.meanings import meaning_of
from weft.offline.plans.sketch import Sketch, SketchColumn
from weft.offline.plans.ways import Planned, PlanShape
from weft.retrieval.tables.plan import Aggregate, Filter, Function, Op, Order, TablePlan
from weft.retrieval.tables.table import ColumnKind

IN_RIGA = Filter(column="port", op=Op.IS, value="Riga")


KINDS = {
    "name": ColumnKind.TEXT,
    "port": ColumnKind.CATEGORY,
    "seats": ColumnKind.NUMBER,
    "joined": ColumnKind.DATE,
}


@pytest.fixture
def sketch() -> Sketch:
    """Return a table of ships as a question sees it."""
    columns = {
        name: SketchColumn(
            name=name, kind=kind, unit="", distinct=4, dirty=0, is_unique=False, low=None, high=None
        )
        for name, kind in KINDS.items()
    }
    return Sketch(
        knowledge_base="Main",
        name="ships.csv",
        title="Ships",
        rows=4,
        key="name",
        columns=columns,
        said=(),
        own=frozenset(),
    )


def said(sketch: Sketch, plan: TablePlan, shape: PlanShape, language: str = "en") -> str:
    found = meaning_of(Planned(sketch=sketch, plan=plan, shape=shape), language=language)
    assert found is not None
    return found.text


def plan(**parts: object) -> TablePlan:
    return TablePlan(tables=["ships.csv"], **parts)  # type: ignore[arg-type]  # parts of a plan


@pytest.mark.parametrize(
    ("parts", "shape", "english", "korean"),
    [
        (
            {"filters": [IN_RIGA], "aggregates": [Aggregate(function=Function.COUNT)]},
            PlanShape.FIGURE,
            "Ships · port = Riga · how many rows",
            "Ships · port = Riga · 행의 수",
        ),
        (
            {
                "group_by": ["port"],
                "aggregates": [Aggregate(function=Function.AVERAGE, column="seats")],
                "order_by": [Order(descending=True)],
                "limit": 3,
            },
            PlanShape.GROUPS,
            "Ships · for each port · average seats · most average seats · first 3",
            "Ships · port별 · seats 평균 · seats 평균 큰 순 · 처음 3개",
        ),
        (
            {
                "order_by": [Order(column="joined", descending=True)],
                "limit": 1,
                "columns": ["name", "joined"],
            },
            PlanShape.CELLS,
            "Ships · latest joined · show name",
            "Ships · joined 최근 순 · name 보기",
        ),
        (
            {"order_by": [Order(column="seats")], "limit": 1, "columns": ["seats"]},
            PlanShape.CELLS,
            "Ships · least seats · show seats",
            "Ships · seats 작은 순 · seats 보기",
        ),
        (
            {
                "aggregates": [Aggregate(function=Function.SHARE, column="seats")],
                "share_of": [IN_RIGA],
            },
            PlanShape.FIGURE,
            "Ships · share of seats · of those with port = Riga",
            "Ships · seats 비율 · 기준: port = Riga",
        ),
        (
            {"filters": [IN_RIGA], "columns": ["name", "seats"]},
            PlanShape.DIFFERENCE,
            "Ships · port = Riga · show name, seats · how far apart",
            "Ships · port = Riga · name, seats 보기 · 차이",
        ),
    ],
)
def test_a_plan_is_said_in_words(
    sketch: Sketch, parts: dict[str, object], shape: PlanShape, english: str, korean: str
) -> None:
    assert said(sketch, plan(**parts), shape) == english
    assert said(sketch, plan(**parts), shape, "ko") == korean


def test_what_must_hold_of_a_row_is_said_as_well(sketch: Sketch) -> None:
    planned = Planned(
        sketch=sketch,
        plan=plan(columns=["name", "port"]),
        shape=PlanShape.WHETHER,
        expected=IN_RIGA,
    )
    found = meaning_of(planned, language="en")
    assert found is not None
    assert found.text == "Ships · show name, port · port = Riga · yes or no"


def test_ids_tell_plans_apart_and_stay(sketch: Sketch) -> None:
    figures = [Aggregate(function=one, column="seats") for one in Function]
    plans = [
        Planned(sketch=sketch, plan=plan(aggregates=[one]), shape=PlanShape.FIGURE)
        for one in figures
    ]
    ids = [meaning_of(one, language=each) for one in plans for each in ("en", "ko")]
    found = [one.id for one in ids if one is not None]
    assert found[::2] == found[1::2]
    assert len(set(found)) == len(figures)
    assert all(len(one) == 8 and int(one, 16) >= 0 for one in found)


def test_a_plan_of_too_many_words_is_not_offered(sketch: Sketch) -> None:
    long = Filter(column="port", op=Op.IS, value="Riga " * 100)
    planned = Planned(
        sketch=sketch, plan=plan(filters=[long], columns=["name"]), shape=PlanShape.CELLS
    )
    assert meaning_of(planned, language="en") is None
