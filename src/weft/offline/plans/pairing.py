"""Plans over things that are named side by side: which comes first, how far they are apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from weft.language.patterns import pattern
from weft.offline.plans.asking import AskedFor, change
from weft.offline.plans.comparing import asks_less
from weft.offline.plans.signs import QuestionSigns
from weft.offline.plans.ways import PlanCandidate, PlanParts, PlanShape, Roles
from weft.retrieval.tables.plan import Aggregate, Filter, Function, Op, Order
from weft.retrieval.tables.table import ColumnKind

# Whether there are such rows at all.
THERE = pattern(r"\b(?:is|are|was|were) there\b|\bany\b|(?<!수)\s있(?:나요|습니까|어요)", 2)
# "Belgium or Brazil" asks for one of the two, also where the question begins with "is" or "does".
_EITHER = pattern(r"\bor\b|또는|아니면|혹은", 2)
# What sets two things against each other: "more", "than", "taller", "or".
_AGAINST = pattern(
    r"\b(?:more|less|fewer|better|worse|first|earlier|later|sooner|most|least|than|versus|vs|or"
    r"|compare[ds]?|compar\w+|beat\w*|exceed\w*|outnumber\w*|differen\w+|apart|gap|minus|\w{3,}est"
    r"|(?!(?:number|other|another|after|over|under|ever|never|whether|either|neither|together|per"
    r"|however|water|order|paper|member|center|quarter|number|river|further|remember|cover)\b)\w{3,}er)\b"
    r"|보다|중|더|또는|아니면|혹은|차이",
    2,
)
_ACROSS = pattern(
    r"\b(?:than|or|versus|vs|and|minus|over|to|against|exceeds?|beats?|outnumbers?)\b", 2
)
_THAN = pattern(r"\bthan\b|보다", 2)
# These compare sizes, and how many there are as well.
_OF_MANY = frozenset({"bigger", "larger", "greater", "smaller", "higher", "lower"})
_NAMED = 0.8
_TWO = 2


def paired_plans(parts: PlanParts) -> Iterator[PlanCandidate]:
    """Yield what is told of things that are named: whether it holds, how far they are apart."""
    if AskedFor.WHETHER in parts.found.asked:
        yield from _whether(parts)
    if _AGAINST.search(parts.found.text):
        yield from _pairs(parts)
        yield from _group_pairs(parts)
        yield from _across(parts)
    yield from _changes(parts)


def _whether(parts: PlanParts) -> Iterator[PlanCandidate]:
    """Yield what tells whether something holds of the row that is named, or of any row."""
    filters = parts.conditions.filters
    named = [one for one in filters if one.op is Op.IS and parts.names_row(one)]
    named = [one for one in named if one.column == parts.key] or named[:1]
    others = [one for one in filters if one not in named]
    # "Is A larger than B" does not ask whether A has something that is called B.
    set_against = others and others[0].op is Op.IS and _THAN.search(parts.found.text)
    if len(named) == 1 and len(others) == 1 and not set_against:
        yield parts.made(
            "whether",
            PlanShape.WHETHER,
            roles=Roles(shown=others[0].column, named=[str(named[0].value)], expected=others[0]),
            filters=named,
            columns=list(dict.fromkeys([named[0].column, others[0].column])),
        )
    if filters and not named and THERE.search(parts.found.text):
        yield parts.made(
            "any", PlanShape.WHETHER, roles=Roles(shown=parts.key), columns=[parts.key]
        )


def _changes(parts: PlanParts) -> Iterator[PlanCandidate]:
    """Yield how far a figure went between two days: "how much did it fall from … to …"."""
    turn = change(parts.found.text)
    wanted = turn is not None or AskedFor.DIFFERENCE in parts.found.asked
    for one in parts.conditions.filters if wanted else ():
        column = parts.sketch.column(one.column)
        ends = one.value if isinstance(one.value, list) else []
        if len(ends) != _TWO or not (column.is_year or column.kind is ColumnKind.DATE):
            continue
        among = Filter(column=one.column, op=Op.AMONG, value=ends)
        others = [each for each in parts.conditions.filters if each is not one]
        for number in parts.worked[:3]:
            made = parts.made(
                "change",
                PlanShape.DIFFERENCE,
                roles=Roles(measure=number.name, named=[str(end) for end in ends]),
                filters=[*others, among],
                columns=[one.column, number.name],
            )
            yield replace(made, rises=turn.rises if turn else None)


def _across(parts: PlanParts) -> Iterator[PlanCandidate]:
    """Yield two columns set against each other: "more men than women", "boys or girls in 1700"."""
    two = _two_columns(parts)
    if not two or parts.sketch.counts or _two_named(parts):
        return
    roles = Roles(measure=two[0], shown=two[1])
    asked = parts.found.asked
    function = Function.AVERAGE if AskedFor.AVERAGE in asked else Function.SUM
    worked = [Aggregate(function=function, column=one) for one in two]
    form: dict[str, Any] = {"columns": list(two)} if parts.is_one_row() else {"aggregates": worked}
    less = asks_less(parts.found.text)

    def made(way: str, shape: PlanShape) -> PlanCandidate:
        one = parts.made(way, shape, roles=roles, **form)
        return replace(one, across=two, descending=not less)

    if AskedFor.DIFFERENCE in asked:
        yield made("across difference", PlanShape.DIFFERENCE)
    first, second = (parts.found.signs[one].at or (0, 0) for one in two)
    is_either = _EITHER.search(parts.found.text[first[1] : second[0]]) is not None
    if AskedFor.WHETHER in asked and not is_either:
        yield made("across more", PlanShape.MORE)
    else:
        yield made("across winner", PlanShape.WINNER)


def _two_columns(parts: PlanParts) -> tuple[str, ...]:
    """Return the two columns of figures that are named with a comparing word between, if any."""
    places: dict[tuple[int, int], str] = {}
    for column in parts.numbers:
        signs = parts.found.signs[column.name]
        if signs.at is not None and max(signs.name, signs.kin) >= _NAMED:
            places.setdefault(signs.at, column.name)
    found = sorted(places.items())
    if len(found) != _TWO:
        return ()
    (first, one), (second, two) = found
    if first[1] > second[0] or not _ACROSS.search(parts.found.text[first[1] : second[0]]):
        return ()
    return (one, two)


def _two_named(parts: PlanParts) -> list[Filter]:
    """Return the conditions that name two things of a column, each by itself."""
    places = Counter(one.filter.column for one in parts.conditions.parts)
    return [
        one
        for one in parts.conditions.filters
        if one.op is Op.AMONG and isinstance(one.value, list) and len(one.value) == _TWO
        if places[one.column] > 1  # "from January to February" is one stretch of time
    ]


def _asks_whether(parts: PlanParts, two: Filter) -> bool:
    """Tell whether it is asked if something holds of two things, and not of which it does."""
    if AskedFor.WHETHER not in parts.found.asked:
        return False
    places = [one for one in parts.conditions.parts if one.filter.column == two.column]
    start, end = min(one.start for one in places), max(one.end for one in places)
    return _EITHER.search(parts.found.text[start:end]) is None


def _group_pairs(parts: PlanParts) -> Iterator[PlanCandidate]:
    """Yield the same of two groups of rows: what they have on average, in all, or how many."""
    two = _two_named(parts)
    if len(two) != 1 or not isinstance(two[0].value, list) or parts.names_row(two[0]):
        return
    column, named = two[0].column, tuple(map(str, two[0].value))
    asked, less = parts.found.asked, asks_less(parts.found.text)
    function = Function.AVERAGE if AskedFor.AVERAGE in asked else Function.SUM
    if AskedFor.MEDIAN in asked:
        function = Function.MEDIAN
    worked = [(one.name, Aggregate(function=function, column=one.name)) for one in parts.worked[:3]]
    if AskedFor.AVERAGE not in asked and AskedFor.MEDIAN not in asked:
        worked = [one for one in worked if one[0] != parts.sketch.counts]
        if not compares_size(parts.found):  # which is taller is not how many rows there are
            worked.append(("", parts.count))
    for measure, one in worked:
        roles = Roles(measure=measure, group=column, named=named)
        if AskedFor.DIFFERENCE in asked:
            yield parts.made(
                "group difference",
                PlanShape.DIFFERENCE,
                roles=roles,
                group_by=[column],
                aggregates=[one],
            )
        whether = _asks_whether(parts, two[0])
        yield parts.made(
            "group more" if whether else "group winner",
            PlanShape.MORE if whether else PlanShape.WINNER,
            roles=roles,
            group_by=[column],
            aggregates=[one],
            order_by=[Order(descending=not less)],
        )


def compares_size(found: QuestionSigns) -> bool:
    """Tell whether a question compares a size of things: "taller", "more expensive"."""
    words = [word.text.casefold() for word in found.words]
    sizes = {word for size in found.sizes for word in size.more | size.less} - _OF_MANY
    return any(
        word in sizes and (word.endswith("er") or before in ("more", "less"))
        for before, word in zip(["", *words], words, strict=False)
    )


def _pairs(parts: PlanParts) -> Iterator[PlanCandidate]:
    """Yield how far two things that are named are apart, and which of them comes first."""
    two = _two_named(parts)
    if len(two) != 1 or not isinstance(two[0].value, list):
        return
    named = tuple(map(str, two[0].value))
    for one in [*parts.numbers[:3], *(c for c in parts.free if c.kind is ColumnKind.DATE)][:4]:
        columns = list(dict.fromkeys([two[0].column, one.name]))
        if AskedFor.DIFFERENCE in parts.found.asked:
            yield parts.made(
                "difference",
                PlanShape.DIFFERENCE,
                roles=Roles(measure=one.name, named=named),
                columns=columns,
            )
        whether = _asks_whether(parts, two[0])
        descending = not asks_less(parts.found.text, dated=one.is_dated)
        yield parts.made(
            "more" if whether else "winner",
            PlanShape.MORE if whether else PlanShape.WINNER,
            roles=Roles(measure=one.name, named=named),
            columns=columns,
            order_by=[Order(column=one.name, descending=descending)],
        )
