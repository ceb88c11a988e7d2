"""The plan that a question asks for over one table; none where a word stands for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.language.hangul import has_hangul
from weft.language.patterns import pattern
from weft.offline.plans.asking import AskedFor, Extreme, groups, small_numbers
from weft.offline.plans.asking import measures as size_words
from weft.offline.plans.pairs import PlanParts, difference, pair
from weft.offline.plans.planned import Planned, PlanShape
from weft.offline.plans.predicates import relates
from weft.offline.plans.reading import TableReading, asked_column, called, measured
from weft.offline.plans.sketch import Sketch, SketchColumn
from weft.offline.plans.taking import read
from weft.retrieval.tables.plan import Aggregate, Filter, Function, Op, Order, TablePlan
from weft.retrieval.tables.table import ColumnKind

_WHO = pattern(r"\b(?:who|whom|whose)\b|누구|누가", 2)
_WHERE = pattern(r"\bwhere\b|어디", 2)
_WHEN = pattern(r"\bwhen\b|언제", 2)
_COST = pattern(r"\bhow much\b|\bcosts?\b|얼마", 2)
_ALL = pattern(r"^\W*(?:list|show|name|give|which|what)\b|목록|나열|모든|모두", 2)
_MOST_FEWEST = pattern(r"\b(?:most|fewest|least)\b|가장 (?:많|적)|최다|최소", 2)
_WHOSE = pattern(r"^\W*(?:who|which|whose)\b", 2)
_ONE_CELL = pattern(r"^\W*(?:what|how)\b|무엇|뭐|얼마", 2)
_MANY = pattern(r"\bhow many\b|\bnumber of\b|몇", 2)
_ASKS_SIZE = pattern(
    r"(?:what|how \w+) (?:is|are|was|were)"
    r"(?: (?!(?:with|that|which|who|whose|has|have)\b)\w+)*\s*$|^\W*(?:the )?\w+\s*$",
    2,
)
_ASKS_SIZE_OF = pattern(r"\bwhich (?:is|are|was|were)\b[^?]*$", 2)
_MOST_ASKED, _NEARLY = 100, 8
_THERE = pattern(r"\b(?:is|are|was|were) there\b|(?<!수)\s있(?:나요|습니까|어요)", 2)
_HOW = pattern(r"\bhow (\w+)\b", 2)
_OR = pattern(r"\bor\b|또는|중", 2)


def planned(text: str, sketch: Sketch) -> Planned | None:
    """Return the plan of a question over a table."""
    reading = read(text, sketch)
    found = _Planning(reading).plan()
    if found is None or reading.fails:
        return None
    plan, shape = found
    if reading.free() and not relates(reading, plan):
        return None
    if reading.mixed and plan.aggregates:
        return None  # whether what is one of several counts is not for a rule to say
    own = sum(1 for word in reading.words if word.start in sketch.own)
    said = sum(1 for one in sketch.said if one.score == 1 and not one.alike)
    return Planned(
        sketch=sketch,
        plan=plan,
        shape=shape,
        score=len(reading.filters) * 2 + own + min(said, 3) + len(reading.columns),
        loose=reading.loose,
        named=reading.named,
        rises=reading.rises,
        expected=_expected(reading, sketch) if shape is PlanShape.WHETHER else None,
    )


ShapedPlan = tuple[TablePlan, PlanShape]


def _expected(reading: TableReading, sketch: Sketch) -> Filter | None:
    """Return what must hold of the row that a question names for it to be told yes."""
    truths = [
        Filter(column=one.column, op=Op.IS, value=True)
        for one in reading.columns
        if sketch.column(one.column).kind is ColumnKind.TRUTH
    ]
    others = [one for one in reading.filters if one.column != sketch.key]
    return next(iter([*others, *truths]), None) if reading.rows_named else None


class _Planning:
    def __init__(self, reading: TableReading) -> None:
        self.reading = reading
        self.sketch = reading.sketch

    def plan(self) -> ShapedPlan | None:
        """Return the plan and the shape of its answer."""
        if self.reading.pairs or (_OR.search(self.reading.text) and self.reading.two is not None):
            is_apart = self.reading.ask is AskedFor.DIFFERENCE
            found = (difference if is_apart else pair)(self.reading, self._number())
            return self._made(found)
        match self.reading.ask:
            case AskedFor.SHARE:
                return self._share()
            case AskedFor.DIFFERENCE:
                return self._difference()
            case AskedFor.SUM | AskedFor.AVERAGE:
                return self._figure()
            case AskedFor.WHETHER:
                return self._whether()
            case AskedFor.COUNT:
                return self._extreme() if self.reading.extremes else self._count()
            case _:
                return self._extreme() if self.reading.extremes else self._cells()

    def _of(self, **parts: Any) -> TablePlan:
        """Return a plan over the table with the question's conditions, unless others are given."""
        plan = {"tables": [self.sketch.name], "filters": self.reading.filters, **parts}
        return TablePlan(**{**plan, "columns": list(dict.fromkeys(plan.get("columns", ())))})

    # What is asked of one column.

    def _asked(self, *, but: Sequence[str] = ()) -> list[SketchColumn]:
        """Return the columns that are asked for: those named, else what the question word means."""
        said = [one for one in self.reading.columns if one.column not in but]
        whole = [one for one in said if one.score == 1 and not one.alike]
        # Beside a column that is named in full a part of another's name is as often a word.
        names = [one.column for one in whole or said]
        found = [self.sketch.column(name) for name in dict.fromkeys(names)]
        if found:
            return found
        text = self.reading.text
        for sign, what in ((_WHEN, "when"), (_WHERE, "where"), (_COST, "cost"), (_WHO, "who")):
            if sign.search(text):
                column = asked_column(self.reading, what)
                if column is not None and column.name not in but:
                    return [column]
                if what in {"when", "where"}:
                    self.reading.fails = True  # it asks for what the table does not have
                return []
        return []

    def _group(self) -> SketchColumn | None:
        """Return the column that rows are parted by: named right behind "per", or before 별."""
        for start, end in groups(self.reading.text):
            for one in self.reading.sketch.said:
                behind = 0 <= one.start - end <= 1
                before = has_hangul(self.reading.text[start:end]) and one.start < start <= one.end
                if not one.values and (behind or before) and one.score >= 0.5:
                    return self.sketch.column(one.column)
        return None

    def _number(self, *, but: Sequence[str] = ()) -> SketchColumn | None:
        """Return the column of numbers that is worked with: the one named, or the only one."""
        named = [
            self.sketch.column(one.column)
            for one in self.reading.columns
            if self.sketch.column(one.column).kind is ColumnKind.NUMBER and one.column not in but
        ]
        if named:
            return named[0] if len({one.name for one in named}) == 1 else None
        filtered = {one.column for one in self.reading.filters}
        whole = (0, len(self.reading.text))
        cost = asked_column(self.reading, "cost") if _COST.search(self.reading.text) else None
        found = cost or measured(self.reading, (), near=whole)
        return found if found is not None and found.name not in filtered else None

    def _whose(self) -> list[str]:
        """Return the columns that say which row it is."""
        return [self.sketch.key]

    # One method a kind of question.

    def _count(self) -> ShapedPlan | None:
        group = self._group()
        filtered = {one.column for one in self.reading.filters}
        if group is not None and group.name not in filtered:
            count = [Aggregate(function=Function.COUNT)]
            order = [Order(descending=True)]
            return self._of(
                group_by=[group.name], aggregates=count, order_by=order
            ), PlanShape.GROUPS
        asked = [one for one in self._asked() if one.name not in filtered]
        # What rows are called is how they are spoken of: "the orders that …".
        asked = [one for one in asked if one.name != self.sketch.key] or asked[:1]
        if len(asked) == 1 and asked[0].kind is ColumnKind.DATE and filtered:
            asked = []
        if len(asked) > 1:
            return None
        if asked and asked[0].kind is ColumnKind.NUMBER:
            return self._count_of(asked[0])
        if asked and (asked[0].name != self.sketch.key or not self.sketch.tells_apart(asked[0])):
            distinct = [Aggregate(function=Function.DISTINCT, column=asked[0].name)]
            return self._of(aggregates=distinct), PlanShape.FIGURE
        if self.reading.rows_named and not asked and len(filtered) == 1:
            return None  # how many of what one row has is no count of rows
        return self._of(aggregates=[Aggregate(function=Function.COUNT)]), PlanShape.FIGURE

    def _count_of(self, column: SketchColumn) -> ShapedPlan | None:
        """Return the figure that one row has, or how many there are of what numbers tell apart."""
        if self._is_one_row():
            return self._of(columns=[column.name]), PlanShape.CELLS
        if not column.is_unique:
            if column.distinct * 10 < self.sketch.rows * _NEARLY:
                return None  # a sum would be a guess
            distinct = [Aggregate(function=Function.DISTINCT, column=column.name)]
            return self._of(aggregates=distinct), PlanShape.FIGURE
        return self._of(aggregates=[Aggregate(function=Function.COUNT)]), PlanShape.FIGURE

    def _is_one_row(self) -> bool:
        """Tell whether a condition names one row: by what it is called, or by its day."""
        return bool(self.reading.rows_named) or any(
            one.op is Op.IS and self.sketch.column(one.column).is_unique
            for one in self.reading.filters
        )

    def _share(self) -> ShapedPlan | None:
        if not self.reading.filters:
            return None
        return self._of(aggregates=[Aggregate(function=Function.SHARE)]), PlanShape.FIGURE

    def _figure(self) -> ShapedPlan | None:
        """Return a sum or a mean, of all rows that are kept or of each group."""
        function = Function.SUM if self.reading.ask is AskedFor.SUM else Function.AVERAGE
        sized = self._sized()
        column = sized if sized is not None and sized.kind is ColumnKind.NUMBER else self._number()
        group = self._group()
        if column is None:
            counted = _MANY.search(self.reading.text) and not self.reading.columns
            counts = self.reading.ask is AskedFor.SUM and counted
            return self._count() if counts else None
        if (
            function is Function.SUM
            and self.reading.rows_named
            and len(self.reading.rows_named) == 1
        ):
            return self._of(columns=[column.name]), PlanShape.CELLS
        worked = [Aggregate(function=function, column=column.name)]
        if group is None and self.reading.extremes:
            group = next(
                (
                    self.sketch.column(c.column)
                    for c in self.reading.columns
                    if c.column != column.name
                ),
                None,
            )
            if group is None:
                return None
            order = Order(descending=self.reading.extremes[0].descending)
            limit = self._limit()
            plan = self._of(group_by=[group.name], aggregates=worked, order_by=[order], limit=limit)
            return plan, PlanShape.GROUPS
        if group is not None:
            order = Order(descending=True)
            plan = self._of(group_by=[group.name], aggregates=worked, order_by=[order])
            return plan, PlanShape.GROUPS
        rows = {column.name, self.sketch.key}
        others = [c for c in self.reading.columns if c.column not in rows]
        return None if others else (self._of(aggregates=worked), PlanShape.FIGURE)

    def _difference(self) -> ShapedPlan | None:
        return self._made(difference(self.reading, self._number()))

    def _made(self, found: PlanParts | None) -> ShapedPlan | None:
        return (self._of(**found[0]), found[1]) if found is not None else None

    def _whether(self) -> ShapedPlan | None:
        """Return what tells whether something holds of the rows that are named."""
        filters = self.reading.filters
        truths = [
            one.column
            for one in self.reading.columns
            if self.sketch.column(one.column).kind is ColumnKind.TRUTH
        ]
        named = [one for one in filters if one.column == self.sketch.key]
        others = [one for one in filters if one.column != self.sketch.key]
        if len(named) == 1 and len(self.reading.rows_named) == 1 and len(others) + len(truths) == 1:
            shown = [*self._whose(), *(one.column for one in others), *truths]
            return self._of(columns=shown, filters=named), PlanShape.WHETHER
        there = _THERE.search(self.reading.text)
        if there and filters and not named and not self.reading.columns:
            # "Are there any …": rows that meet it say yes; that none does is said by the whole.
            return self._of(columns=self._whose()), PlanShape.WHETHER
        return None

    def _extreme(self) -> ShapedPlan | None:
        """Return the first rows in an order, or the groups with the most rows."""
        one = self.reading.extremes[0]
        if len(self.reading.extremes) > 1:
            return None
        if one.often:
            return self._most_rows(one, [c.column for c in self.reading.columns])
        column = measured(self.reading, one.measures, near=(one.start, one.end))
        names = [c.column for c in self.reading.columns]
        if column is not None and column.name not in names and self._is_of_rows(one, names):
            column = None
        if column is None:
            return self._most_rows(one, names)
        filtered = {c.column for c in self.reading.filters}
        asked = [c.name for c in self._asked(but=[column.name])]
        about = [name for name in asked if name not in filtered]
        if self._asks_size(column) and about in ([], self._whose()):
            about = [column.name]
        cells = about or self._whose()
        shown = cells if column.name in cells else [*cells, column.name]
        order = Order(column=column.name, descending=one.descending)
        return self._of(columns=shown, order_by=[order], limit=self._limit()), PlanShape.CELLS

    def _limit(self) -> int:
        """Return how many are asked for: "the 3 orders with the largest amount"."""
        count = self.reading.extremes[0].count
        numbers = small_numbers(self.reading.free())
        if count == 1 and len(numbers) == 1:
            [(start, number)] = numbers.items()
            if 1 < number <= _MOST_ASKED:
                self.reading.taken.add(start)
                return int(number)
        return count

    def _asks_size(self, column: SketchColumn) -> bool:
        """Tell whether the greatest figure itself is asked for, and not whose it is."""
        text = self.reading.text.casefold()
        said = next((c for c in self.sketch.said if c.column == column.name and not c.values), None)
        if said is None or said.alike:
            return False
        if has_hangul(text):
            return "얼마" in text
        if _WHOSE.search(text) and not _ASKS_SIZE_OF.search(text[: said.start]):
            return False
        return bool(_ASKS_SIZE.search(text[: said.start]))

    def _is_of_rows(self, one: Extreme, names: Sequence[str]) -> bool:
        """Tell whether "most" counts rows of a group rather than a number of a row."""
        if not _MOST_FEWEST.search(self.reading.text) or one.measures:
            return False
        groups = [self.sketch.column(n) for n in names]
        return any(g.is_worded and not g.is_unique for g in groups)

    def _most_rows(self, one: Extreme, names: Sequence[str]) -> ShapedPlan | None:
        groups = [
            n
            for n in names
            if self.sketch.column(n).is_worded and not self.sketch.column(n).is_unique
        ]
        counted = one.often or _MOST_FEWEST.search(self.reading.text)
        if not groups or not counted or one.measures or len(names) > 2:
            return None
        filtered = {c.column for c in self.reading.filters}
        group = next((n for n in groups if n not in filtered), None)
        if group is None:
            return None
        count = [Aggregate(function=Function.COUNT)]
        order = [Order(descending=one.descending)]
        plan = self._of(group_by=[group], aggregates=count, order_by=order, limit=one.count)
        return plan, PlanShape.GROUPS

    def _sized(self) -> SketchColumn | None:
        """Return the column of the size that "how tall" asks for; there must be one."""
        match = _HOW.search(self.reading.text)
        sizes = tuple(
            one
            for one in size_words()
            if match and not one.dated and match[1].casefold() in one.more | one.less
        )
        if not sizes:
            return None
        found = measured(self.reading, sizes, near=(0, 0)) or called(self.reading, sizes)
        self.reading.fails = self.reading.fails or found is None
        return found

    def _cells(self) -> ShapedPlan | None:
        filters = self.reading.filters
        sized = self._sized()
        named = {one.column for one in self.reading.columns}
        if sized is not None and filters and named <= {sized.name}:
            return self._of(columns=[sized.name]), PlanShape.CELLS
        group = self._group()
        asked = self._asked()
        if group is not None and not filters and len(asked) == 2:
            return None
        filtered = {one.column for one in filters}
        columns = [one.name for one in asked if one.name not in filtered or len(asked) == 1]
        if not filters:
            return self._listing(asked, columns)
        if not columns or set(columns) <= filtered:
            columns = self._rest() if self.sketch.key in filtered else self._whose()
        if not columns:
            return None
        is_one = bool(self.reading.rows_named)
        kept = [self.sketch.column(name) for name in columns]
        distinct = not is_one and all(not one.is_unique for one in kept)
        return self._of(columns=columns, distinct=distinct), PlanShape.CELLS

    def _listing(self, asked: Sequence[SketchColumn], columns: list[str]) -> ShapedPlan | None:
        """Return all that a column has, where just that is asked for."""
        if not _ALL.search(self.reading.text) or len(columns) != 1:
            return None
        column = asked[0]
        if not column.is_unique and column.is_worded:
            return self._of(columns=columns, distinct=True), PlanShape.CELLS
        return (
            (self._of(columns=columns), PlanShape.CELLS) if column.name == self.sketch.key else None
        )

    def _rest(self) -> list[str]:
        """Return what else is known of rows whose name is known, if that is one thing."""
        filtered = {one.column for one in self.reading.filters}
        rest = [name for name in self.sketch.columns if name not in filtered]
        return rest if len(rest) == 1 and _ONE_CELL.search(self.reading.text) else []
