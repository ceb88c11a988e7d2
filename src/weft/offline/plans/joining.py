"""A question over a table and what one of its columns refers to: both as one table to ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.offline.plans.asking import AskedFor, asks
from weft.offline.plans.sketch import QuestionLink, Sketch, SketchColumn
from weft.retrieval.tables.plan import Function, Join, TablePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedSketch:
    """A table with the columns of one that it refers to, and how the two are joined."""

    sketch: Sketch
    theirs: frozenset[str]
    tables: tuple[str, str]
    join: Join

    def joins(self, plan: TablePlan) -> TablePlan | None:
        """Return a plan over both; None where it says nothing of the other, or works it out."""
        if not _goes_over(plan, self.theirs):
            return None
        return replace(plan, tables=list(self.tables), joins=[self.join])


def joined_sketches(text: str, sketches: Sequence[Sketch]) -> Iterator[JoinedSketch]:
    """Yield the tables of a question beside those that they refer to."""
    by_name = {one.name: one for one in sketches}
    for sketch in sketches:
        for reference in sketch.refers:
            other = by_name.get(reference.table)
            asked = _counted(text, sketch, reference.column) if other is not None else None
            if other is None or asked is None:
                continue
            both, theirs = _both(asked, other, key=reference.key)
            yield JoinedSketch(
                sketch=both,
                theirs=theirs,
                tables=(sketch.name, other.name),
                join=Join(
                    left=f"{sketch.name}.{reference.column}", right=f"{other.name}.{reference.key}"
                ),
            )


def _counted(text: str, sketch: Sketch, reference: str) -> Sketch | None:
    """Return a table to count rows of; None where it is what they refer to that is counted.

    "The orders of customers" are orders, "the customers with orders" are not; in Korean what is
    counted stands behind.
    """
    if asks(text) is not AskedFor.COUNT:
        return sketch
    links = [one for one in sketch.said if one.column == reference and not one.values]
    if not links:
        return sketch
    if not sketch.own:
        return None
    if has_hangul(text):
        is_of_rows = max(sketch.own) > max(one.start for one in links)
    else:
        is_of_rows = min(sketch.own) < min(one.start for one in links)
    if not is_of_rows:
        return None
    said = tuple(one for one in sketch.said if one not in links)
    return replace(sketch, said=said, own=sketch.own | {one.start for one in links})


def _both(sketch: Sketch, other: Sketch, *, key: str) -> tuple[Sketch, frozenset[str]]:
    """Return a table with the columns of another beside its own, and the names of those.

    Rows are those of the first, and what it is called is: the other tells more of each.
    """
    names = {one.casefold() for one in other.columns}
    own = {one: f"{sketch.name}.{one}" for one in sketch.columns if one.casefold() in names}
    held = {one.casefold() for one in sketch.columns}
    theirs = {
        name: replace(column, is_unique=False)
        for name, column in other.columns.items()
        if name.casefold() not in held and name != key
    }
    columns = {own.get(name, name): _called(one, own) for name, one in sketch.columns.items()}
    said = [replace(one, column=own.get(one.column, one.column)) for one in sketch.said]
    said += [one for one in other.said if one.column in theirs]
    known = {one.name for one in columns.values()}
    both = replace(
        sketch,
        nearest=tuple(
            replace(one, column=own.get(one.column, one.column))
            for one in (*sketch.nearest, *other.nearest)
            if own.get(one.column, one.column) in known
        ),
        key=own.get(sketch.key, sketch.key),
        called=own.get(sketch.called, sketch.called),
        columns={**columns, **theirs},
        own=sketch.own | other.own,
        missing=frozenset(
            at
            for at in sketch.missing | other.missing
            if not any(one.start <= at < one.end for one in said)
        ),
        said=tuple(_first(said)),
        refers=(),
    )
    return both, frozenset(theirs)


def _called(column: SketchColumn, own: Mapping[str, str]) -> SketchColumn:
    return replace(column, name=own.get(column.name, column.name))


def _first(said: Sequence[QuestionLink]) -> list[QuestionLink]:
    """Return the links without those that likeness alone speaks for: two tables have many."""
    return [one for one in said if not one.alike]


def _goes_over(plan: TablePlan, theirs: frozenset[str]) -> bool:
    """Tell whether a plan uses the other table, and works nothing out of it.

    A figure of the other stands beside several rows, so that a sum of it would be too much; how
    many different ones there are may be asked of either.
    """
    if any(
        one.function is Function.DISTINCT
        or (one.column in theirs and one.function not in (Function.LEAST, Function.MOST))
        for one in plan.aggregates
    ):
        return False
    used = {one.column for one in plan.filters} | {*plan.columns, *plan.group_by}
    return bool(used & theirs)
