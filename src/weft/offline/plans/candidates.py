"""The plans that a question may mean over one table: every way to read it that is not absurd."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from weft.language.patterns import pattern
from weft.offline.plans.asking import HOW_MUCH, AskedFor, Extreme, small_numbers
from weft.offline.plans.conditions import condition_sets
from weft.offline.plans.pairing import compares_size, paired_plans
from weft.offline.plans.signs import (
    QuestionSigns,
    is_label,
    names_share,
    signs_of,
)
from weft.offline.plans.sketch import Sketch, SketchColumn
from weft.offline.plans.ways import PlanCandidate, PlanParts, PlanShape, Roles
from weft.offline.plans.wording import (
    asks_amount,
    asks_measure,
    counted_column,
    counts_named,
    is_by_row,
    named_first,
)
from weft.retrieval.tables.naming import name_words
from weft.retrieval.tables.plan import Aggregate, Function, Op, Order
from weft.retrieval.tables.table import ColumnKind

# Between what a share is of and what it is a share with: "of the open ones how many are paid".
_IS = pattern(
    r",|\b(?:is|are|was|were|has|have|had|gets?|got|did|do|does|came|that|which|who|end(?:s|ed)?)\b",
    2,
)
_AMONG = pattern(
    r"\b(?:among|amongst|within|of (?:all )?(?:the|those|these)|out of|in|for|by)\b", 2
)
_IN = pattern(r"\s(?:in|for|at)\s(?:the\s)?", 2)
_TIMES = pattern(r"\bhow (?:many times|often)\b", 2)
_ENDS = frozenset({"first", "last", "처음", "첫", "마지막"})
_JUDGED = frozenset({"best", "worst"})
_MOST_WORDS = 80
_FEW = 5
_MOST_LIMIT, _NEAR_EXTREME = 100, 6
_SPOKEN, _NAMED = 0.35, 0.9
_FIGURED = {Function.SUM: "sum", Function.AVERAGE: "average", Function.MEDIAN: "median"}


def plan_candidates(text: str, sketch: Sketch) -> tuple[QuestionSigns, list[PlanCandidate]]:
    """Return what speaks in a question for a table's columns, and the plans that it may mean."""
    found = signs_of(text, sketch)
    seen: dict[str, PlanCandidate] = {}
    # Which day that is cannot be told, or what is asked of is not there, and others are.
    if any(not one.low for one in found.compared) or sketch.missing:
        return found, []
    if len(found.words) > _MOST_WORDS:
        return found, []  # a page of text is no question to a table
    stands = any(not one.alike for one in sketch.said)
    if not stands and not any(map(found.says, found.words)):
        return found, []  # "how many in the data" is one to any table
    for conditions in condition_sets(found):
        for one in _every(PlanParts(found, conditions)):
            if conditions.is_mixed and one.plan.aggregates:
                continue  # whether what is one of several counts is not for a rule to say
            if sketch.is_series and not _used(one) & sketch.told:
                continue  # its rows are there several times without a month
            seen.setdefault(f"{one.shape}{one.plan}{one.expected}", one)
    return found, list(seen.values())


def _used(one: PlanCandidate) -> set[str]:
    """Return the columns that a plan goes by."""
    plan = one.plan
    names = {each.column for each in plan.filters} | {each.than for each in plan.filters}
    names |= {each.column for each in plan.aggregates} | {each.column for each in plan.order_by}
    return names | {*plan.columns, *plan.group_by}


def _every(parts: PlanParts) -> Iterator[PlanCandidate]:
    if parts.found.extremes:
        yield from _extremes(parts)
        yield from _grouped_extremes(parts)
    yield from _cells(parts)
    if not is_by_row(parts.found):  # "visitors by pool" are no figure over all of them
        yield from _over_rows(parts)
    yield from paired_plans(parts)
    yield from _spreads(parts)
    if parts.found.groups:
        yield from _groups(parts)


def _over_rows(parts: PlanParts) -> Iterator[PlanCandidate]:
    """Yield what is counted or worked out over all rows that are meant."""
    asked = parts.found.asked
    if AskedFor.COUNT in asked:
        yield from _counts(parts)
    many = bool({"many", "cost"} & parts.found.question_words) or AskedFor.COUNT in asked
    many = many or parts.is_stretch
    is_sum = AskedFor.SUM in asked or (many and not counts_named(parts.found))
    # How often something was is no sum of what it was.
    if is_sum and not _TIMES.search(parts.found.text):
        yield from _figures(parts, Function.SUM)
    if AskedFor.AVERAGE in asked:
        yield from _figures(parts, Function.AVERAGE)
    if AskedFor.MEDIAN in asked:
        yield from _figures(parts, Function.MEDIAN)
    if AskedFor.SHARE in asked and parts.conditions.filters and not names_share(parts.found):
        yield from _shares(parts)


def _cells(parts: PlanParts) -> Iterator[PlanCandidate]:
    if not parts.conditions.filters:
        for one in parts.spoken[:_FEW]:
            if one.is_worded and parts.found.signs[one.name].all >= _SPOKEN:
                yield parts.made(
                    "list",
                    PlanShape.CELLS,
                    roles=Roles(shown=one.name),
                    columns=[one.name],
                    distinct=not one.is_unique,
                )
        return
    row = parts.is_one_row()
    said = [one.column for one in parts.conditions.filters if one.op is Op.IS]
    if len(parts.conditions.filters) == 1 and all(
        one.kind == "exact" for one in parts.conditions.parts
    ):
        if len(parts.conditions.parts) > 1 and compares_size(parts.found):
            return  # which of two is older is not told by both
        said = list(parts.conditions.columns)  # "A or B" is what was asked, and no answer
    for name in parts.shown(but=said):
        column = parts.sketch.column(name)
        is_amount = column.kind is ColumnKind.NUMBER and HOW_MUCH.search(parts.found.text)
        if _asks_for_rows(parts, name) or (is_amount and parts.is_stretch):
            continue  # how much it was from May to July is no list of months
        yield parts.made(
            "cell" if row else "cells",
            PlanShape.CELLS,
            roles=Roles(shown=name),
            columns=[name],
            distinct=not row and not column.is_unique,
        )


def _asks_for_rows(parts: PlanParts, name: str) -> bool:
    """Tell whether a value stands right behind what a column is called, or right before "in" it.

    "Who reports to Ann" asks for the rows that have her there, not for what her own row has, and
    "who got an A in maths" for the rows that have it there.
    """
    at = parts.found.signs[name].name_at
    if at is None or "who" not in parts.found.question_words:
        return False
    between = (parts.found.text[one.end : at[0]] for one in parts.conditions.parts)
    if any(_IN.fullmatch(said) for said in between):
        return True
    behind = [word for word in parts.found.words if word.start >= at[1]]
    # "to" is a word of the column's name too, if no word that finds it.
    rest = name_words(name)[-1:]
    if behind and (behind[0].text.casefold(),) == rest:
        behind = behind[1:]
    return bool(behind) and any(one.start == behind[0].start for one in parts.conditions.parts)


def _counts(parts: PlanParts) -> Iterator[PlanCandidate]:
    # Of rows that are counts, "how many ports" asks for no sum of what they count; of a single row
    # nothing is to be counted.
    is_of_counts = bool(parts.sketch.counts) and counts_named(parts.found)
    is_some = parts.sketch.rows > 1 or bool(parts.conditions.filters)
    column = counted_column(parts.found)
    if column is not None and column.is_worded:
        different = [Aggregate(function=Function.DISTINCT, column=column.name)]
        yield parts.made("count", PlanShape.FIGURE, aggregates=different)
    elif column is None and is_some and not is_of_counts and not asks_amount(parts.found):
        yield parts.made("count", PlanShape.FIGURE, aggregates=[parts.count])
    for one in parts.free[:_FEW]:
        if not one.is_unique and parts.found.signs[one.name].all >= _SPOKEN:
            yield parts.made(
                "distinct",
                PlanShape.FIGURE,
                roles=Roles(measure=one.name),
                aggregates=[Aggregate(function=Function.DISTINCT, column=one.name)],
            )


def _shares(parts: PlanParts) -> Iterator[PlanCandidate]:
    """Yield the share of all rows, and of those that some of the conditions hold for.

    What it is of is said first or last: "of the women how many are paid", "how many are paid
    among the women".
    """
    share = [parts.share]
    yield parts.made("share", PlanShape.FIGURE, aggregates=share)
    text, ordered = parts.found.text, sorted(parts.conditions.parts, key=lambda one: one.start)
    for at, (one, two) in enumerate(pairwise(ordered), start=1):
        between = text[one.end : two.start]
        for said, turn in ((ordered[:at], _IS), (ordered[at:], _AMONG)):
            columns = {each.filter.column for each in said}
            whole = [each for each in parts.conditions.filters if each.column in columns]
            if 0 < len(whole) < len(parts.conditions.filters):
                made = parts.made(
                    "share of part", PlanShape.FIGURE, aggregates=share, share_of=whole
                )
                yield replace(made, share_turn=float(turn.search(between) is not None))


def _figures(parts: PlanParts, function: Function) -> Iterator[PlanCandidate]:
    way = _FIGURED[function]
    for one in parts.worked:
        worked = [Aggregate(function=function, column=one.name)]
        yield parts.made(way, PlanShape.FIGURE, roles=Roles(measure=one.name), aggregates=worked)


def _spreads(parts: PlanParts) -> Iterator[PlanCandidate]:
    ends = {one.descending for one in parts.found.extremes}
    if AskedFor.DIFFERENCE not in parts.found.asked or ends != {True, False}:
        return
    for one in parts.worked:
        worked = [Aggregate(function=Function.SPREAD, column=one.name)]
        yield parts.made(
            "spread", PlanShape.FIGURE, roles=Roles(measure=one.name), aggregates=worked
        )


def _limit(parts: PlanParts) -> int:
    """Return how many are asked for: "the 3 orders with the largest amount"."""
    count = parts.found.extremes[0].count
    first = parts.found.extremes[0].start
    used = [(one.start, one.end) for one in parts.conditions.parts]
    used += [(one.start, one.end) for one in parts.found.compared]
    numbers = [
        number
        for at, number in small_numbers(parts.found.words).items()
        if not any(start <= at < end for start, end in used)
        and _words_between(parts, at, first) <= (_NEAR_EXTREME if at < first else 0)
    ]
    if count == 1 and len(numbers) == 1 and 1 < numbers[0] <= _MOST_LIMIT:
        return int(numbers[0])
    return count


def _words_between(parts: PlanParts, one: int, other: int) -> int:
    low, high = sorted((one, other))
    return sum(low < word.start < high for word in parts.found.words)


def _extremes(parts: PlanParts) -> Iterator[PlanCandidate]:
    first = parts.found.extremes[0]
    limit = _limit(parts)
    said = [one.column for one in parts.conditions.filters if one.op is Op.IS]
    named = named_first(parts.found)  # "which boat", where a column is called so
    comparable = _comparable(parts, first)
    # "The biggest order" is not the one of the highest number.
    comparable = [one for one in comparable if not _only_names_rows(parts, one)]
    spoken = {one.name for one in comparable if parts.found.signs[one.name].name >= _NAMED}
    for one in comparable:
        if one.name in named and spoken - {*named}:
            continue  # "which boat had the most women" has no order of boats
        order = Order(column=one.name, descending=first.descends(dated=one.is_dated))
        orders = [order]
        word = parts.found.text[first.start : first.end].casefold()
        if word in _JUDGED:  # the worst may be the most of deaths
            orders.append(Order(column=one.name, descending=not order.descending))
        wanted = [name for name in named if name not in said]
        shown = parts.shown(but=said) if one.name in named or not wanted else wanted
        tells_both = asks_measure(parts.found.text, dated=one.is_dated)
        for each in orders:
            for name in shown:
                if tells_both and name == one.name:
                    continue
                told, is_called = parts.told(name) if limit == 1 else ([name], False)
                made = parts.made(
                    "most" if name != one.name else "most value",
                    PlanShape.CELLS,
                    roles=Roles(measure=one.name, shown=name),
                    columns=list(dict.fromkeys([*told, one.name])),
                    order_by=[each],
                    limit=limit,
                )
                yield replace(
                    made,
                    is_called=is_called and one.name not in told,
                    tells_measure=tells_both,
                )


def _only_names_rows(parts: PlanParts, column: SketchColumn) -> bool:
    """Tell whether a question has the name of numbers for the rows that they tell apart."""
    signs = parts.found.signs[column.name]
    first = parts.found.extremes[0]
    is_end = parts.found.text[first.start : first.end].casefold() in _ENDS
    return column.is_identifier and signs.name >= _NAMED and not (signs.size or is_end)


def _comparable(parts: PlanParts, extreme: Extreme) -> list[SketchColumn]:
    """Return what rows may be put in order by: "the oldest piece" asks for no number of pieces.

    What tells days tells nothing of other figures; the first and the last may be of anything.
    """
    word = parts.found.text[extreme.start : extreme.end].casefold()
    if word in _ENDS:
        return parts.ordered
    if extreme.of_days is None:
        is_dated = any(one.dated for one in parts.found.sizes) or extreme.lasts
        signs = parts.found.signs
        return [
            one
            for one in parts.ordered
            if (is_dated or not one.is_dated or signs[one.name].name >= _NAMED)
            and (not is_label(one) or signs[one.name].all >= _SPOKEN)
        ]
    return [
        one
        for one in parts.ordered
        if one.is_dated or one.is_year or parts.found.signs[one.name].size > 0
    ]


def _grouped_extremes(parts: PlanParts) -> Iterator[PlanCandidate]:
    first = parts.found.extremes[0]
    order, limit = Order(descending=first.descending), _limit(parts)
    named = named_first(parts.found)  # "which month" asks for no town
    wanted = [group for group in parts.groups if group.name in named]
    for group in wanted or parts.groups:
        yield parts.made(
            "most rows",
            PlanShape.GROUPS,
            roles=Roles(group=group.name),
            group_by=[group.name],
            aggregates=[parts.count],
            order_by=[order],
            limit=limit,
        )
        for function, way in ((Function.SUM, "most sum"), (Function.AVERAGE, "most average")):
            if function is Function.AVERAGE and AskedFor.AVERAGE not in parts.found.asked:
                continue
            for one in parts.worked[:3]:
                if one.name == group.name or (
                    function is Function.SUM and one.name == parts.sketch.counts
                ):
                    continue
                yield parts.made(
                    way,
                    PlanShape.GROUPS,
                    roles=Roles(measure=one.name, group=group.name),
                    group_by=[group.name],
                    aggregates=[Aggregate(function=function, column=one.name)],
                    order_by=[order],
                    limit=limit,
                )


def _groups(parts: PlanParts) -> Iterator[PlanCandidate]:
    order = [Order(descending=True)]
    for group in parts.groups[:3]:
        if parts.found.signs[group.name].all < _SPOKEN:
            continue
        yield parts.made(
            "count by",
            PlanShape.GROUPS,
            roles=Roles(group=group.name),
            group_by=[group.name],
            aggregates=[parts.count],
            order_by=order,
        )
        for function, way in ((Function.SUM, "sum by"), (Function.AVERAGE, "average by")):
            for one in parts.worked[:2]:
                if one.name != group.name:
                    yield parts.made(
                        way,
                        PlanShape.GROUPS,
                        roles=Roles(measure=one.name, group=group.name),
                        group_by=[group.name],
                        aggregates=[Aggregate(function=function, column=one.name)],
                        order_by=order,
                    )
