"""What a question over rows may mean, offered to whoever asked, and found again by its id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from weft.domain.answer import Meaning
from weft.domain.frozen import dataclass
from weft.domain.ids import digest
from weft.offline.plans.choosing import RankedPlan
from weft.offline.plans.ways import Planned, PlanShape
from weft.retrieval.tables.plan import Aggregate, Function, Order, TablePlan, condition_said
from weft.retrieval.tables.table import ColumnKind

MOST_MEANINGS = 3
_DIGITS = 8
_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """How a language says the parts of a plan; `{}` is where a column or a number stands."""

    functions: Mapping[Function, str]
    count: str
    by: str
    of: str
    largest: str
    smallest: str
    latest: str
    earliest: str
    first: str
    shown: str
    shapes: Mapping[PlanShape, str]


_ENGLISH = _Words(
    functions={
        Function.COUNT: "how many have {}",
        Function.DISTINCT: "how many different {}",
        Function.SUM: "total {}",
        Function.AVERAGE: "average {}",
        Function.MEDIAN: "median {}",
        Function.LEAST: "lowest {}",
        Function.MOST: "highest {}",
        Function.SPREAD: "highest less lowest {}",
        Function.SHARE: "share of {}",
    },
    count="how many rows",
    by="for each {}",
    of="of those with {}",
    largest="most {}",
    smallest="least {}",
    latest="latest {}",
    earliest="earliest {}",
    first="first {}",
    shown="show {}",
    shapes={
        PlanShape.DIFFERENCE: "how far apart",
        PlanShape.WINNER: "which of the two",
        PlanShape.MORE: "yes or no",
        PlanShape.WHETHER: "yes or no",
    },
)
_KOREAN = _Words(
    functions={
        Function.COUNT: "{} 있는 행의 수",
        Function.DISTINCT: "서로 다른 {}의 수",
        Function.SUM: "{} 합계",
        Function.AVERAGE: "{} 평균",
        Function.MEDIAN: "{} 중앙값",
        Function.LEAST: "{} 최솟값",
        Function.MOST: "{} 최댓값",
        Function.SPREAD: "{} 최댓값과 최솟값의 차",
        Function.SHARE: "{} 비율",
    },
    count="행의 수",
    by="{}별",
    of="기준: {}",
    largest="{} 큰 순",
    smallest="{} 작은 순",
    latest="{} 최근 순",
    earliest="{} 이른 순",
    first="처음 {}개",
    shown="{} 보기",
    shapes={
        PlanShape.DIFFERENCE: "차이",
        PlanShape.WINNER: "둘 중 하나",
        PlanShape.MORE: "예/아니오",
        PlanShape.WHETHER: "예/아니오",
    },
)


def meaning_of(planned: Planned, *, language: str) -> Meaning | None:
    """Return a plan as what may be meant, in words; None for one of too many words."""
    words = _KOREAN if language == "ko" else _ENGLISH
    text = " · ".join((planned.sketch.title, *_parts(planned, words)))
    return Meaning(id=_id_of(planned), text=text) if len(text) <= _LONGEST else None


def with_id(wanted: str, plans: Sequence[RankedPlan]) -> RankedPlan | None:
    """Return the plan that was offered under an id, if a question still may mean it."""
    return next((one for one in plans if _id_of(one.planned) == wanted), None)


def _id_of(planned: Planned) -> str:
    told = (
        planned.plan,
        planned.shape,
        planned.named,
        planned.rises,
        planned.expected,
        planned.across,
        planned.is_less,
        planned.is_called,
        planned.tells_measure,
    )
    return digest(*map(repr, told))[:_DIGITS]


def _parts(planned: Planned, words: _Words) -> Iterator[str]:
    """Yield what is kept, what is worked out of it, what comes first, and what is told."""
    plan = planned.plan
    yield from map(condition_said, plan.filters)
    yield from (words.by.format(one) for one in _listed(plan.group_by))
    yield from (_worked(one, words) for one in plan.aggregates)
    yield from (words.of.format(one) for one in _listed([*map(condition_said, plan.share_of)]))
    yield from (_ordered(one, planned, words) for one in plan.order_by[:1])
    if plan.limit and plan.limit > 1:
        yield words.first.format(plan.limit)
    yield from (words.shown.format(one) for one in _listed(_shown(plan)))
    if planned.expected is not None:
        yield condition_said(planned.expected)
    yield from _listed([words.shapes.get(planned.shape, "")])


def _listed(parts: Sequence[str]) -> Iterator[str]:
    """Yield some parts as one, where there are any."""
    told = ", ".join(filter(None, parts))
    if told:
        yield told


def _worked(one: Aggregate, words: _Words) -> str:
    if not one.column and one.function is Function.COUNT:
        return words.count
    return words.functions[one.function].format(one.column).strip()


def _ordered(order: Order, planned: Planned, words: _Words) -> str:
    """Return which row comes first: by a day the latest, else that of most."""
    column = planned.sketch.columns.get(order.column)
    if column is not None and column.kind is ColumnKind.DATE:
        said = words.latest if order.descending else words.earliest
    else:
        said = words.largest if order.descending else words.smallest
    first = planned.plan.aggregates[:1]
    name = order.column or (_worked(first[0], words) if first else "")
    return said.format(name).strip()


def _shown(plan: TablePlan) -> Sequence[str]:
    """Return the columns whose cells are told: what rows are in order by says so already."""
    if plan.aggregates:
        return ()
    ordered = {one.column for one in plan.order_by}
    return [one for one in plan.columns if one not in ordered] or plan.columns
