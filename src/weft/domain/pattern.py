"""Graph patterns: typed questions to the claims, of at most three hops, and what matches them."""

from __future__ import annotations

import re
from dataclasses import field
from enum import StrEnum

from weft.domain.claim import Claim, LocalEntity
from weft.domain.document import Value
from weft.domain.entity import Entity
from weft.domain.errors import BadInput
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId

MAX_HOPS = 3
MAX_MATCHES = 200
MAX_CONDITIONS = 20
_ISO_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


class Toward(StrEnum):
    """Which way a hop goes along a claim: from subject to object, back, or both ways."""

    OBJECT = "object"
    SUBJECT = "subject"
    EITHER = "either"


class Comparison(StrEnum):
    """How a stated value is compared with the wanted one."""

    EQUALS = "equals"
    CONTAINS = "contains"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyFilter:
    """A condition on what is observed of an entity: some claim `name` has a value that fits.

    Text is compared without regard to case. More and less are asked of numbers, and of dates
    written as 2024, 2024-03 or 2024-03-01; other values are neither.
    """

    name: str
    comparison: Comparison
    value: Value

    def accepts(self, value: Value) -> bool:
        """Tell whether a stated value fits."""
        if value is None or self.value is None:
            return False
        if self.comparison is Comparison.EQUALS:
            return _plain(value) == _plain(self.value)
        if self.comparison is Comparison.CONTAINS:
            return str(self.value).lower() in str(value).lower()
        if self.comparison is Comparison.AT_LEAST:
            return _is_least(self.value, value)
        return _is_least(value, self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What an entity must be: one of the classes, one of the normalised names, and every condition.

    An empty set asks nothing.
    """

    classes: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    where: tuple[PropertyFilter, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Tell whether it asks nothing."""
        return not (self.classes or self.names or self.where)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternHop:
    """One step along a claim of one of the relations (none given: any) to a thing of that shape."""

    relations: frozenset[str] = frozenset()
    toward: Toward = Toward.OBJECT
    reaches: Shape = field(default_factory=Shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPattern:
    """Where to start, at most three hops from there, and how many matches at most."""

    start: Shape
    hops: tuple[PatternHop, ...] = ()
    limit: int = 50

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Return the shapes along the way, the start first."""
        return (self.start, *(hop.reaches for hop in self.hops))


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalClaim:
    """A claim with the document that states it."""

    document_id: DocumentId
    claim: Claim

    @property
    def subject(self) -> LocalEntity:
        """Return the local entity that is spoken of."""
        return self._end(self.claim.subject_name, self.claim.subject_class)

    @property
    def object(self) -> LocalEntity | None:
        """Return the local entity that is said of it; None where that is a literal value."""
        if self.claim.object_name is None:
            return None
        return self._end(self.claim.object_name, self.claim.object_class or "")

    def _end(self, name: str, entity_class: str) -> LocalEntity:
        return LocalEntity(document_id=self.document_id, name=name, entity_class=entity_class)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedLiteral:
    """A value at the end of a way through the graph."""

    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One way that fits: its nodes in turn, and between each two the claims that lead on.

    `nodes` has one more than `steps`; only the last may be a literal.
    """

    nodes: tuple[Entity | MatchedLiteral, ...]
    steps: tuple[tuple[LocalClaim, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The matches in order of their nodes; `is_cut` tells that there may be more."""

    found: tuple[Match, ...]
    is_cut: bool


def within_bounds(pattern: GraphPattern) -> GraphPattern:
    """Return the pattern, or raise `BadInput` where it asks too much or starts nowhere."""
    if pattern.start.is_empty:
        raise BadInput("A graph pattern needs a class, a name or a property to start from.")
    if len(pattern.hops) > MAX_HOPS:
        raise BadInput(f"A graph pattern has at most {MAX_HOPS} hops.", hops=len(pattern.hops))
    if not 1 <= pattern.limit <= MAX_MATCHES:
        raise BadInput(f"The limit is 1 to {MAX_MATCHES}.", limit=pattern.limit)
    asked: list[Shape | PatternHop] = [*pattern.shapes, *pattern.hops]
    if any(_conditions(each) > MAX_CONDITIONS for each in asked):
        raise BadInput(f"One step of a graph pattern has at most {MAX_CONDITIONS} conditions.")
    return pattern


def _conditions(asked: Shape | PatternHop) -> int:
    if isinstance(asked, PatternHop):
        return len(asked.relations)
    return len(asked.classes) + len(asked.names) + len(asked.where)


def _plain(value: Value) -> str | float:
    """Return a value as it is compared for equality: numbers as numbers, text without case."""
    measure = _measure(value)
    return measure if isinstance(measure, float) else str(value).strip().lower()


def _is_least(low: Value, high: Value) -> bool:
    """Tell whether two values can be measured and the first is not more than the second."""
    less, more = _measure(low), _measure(high)
    if isinstance(less, float) and isinstance(more, float):
        return less <= more
    if less is None or more is None:
        return False
    said = _date(less), _date(more)
    size = min(map(len, said))  # a year holds all of its days
    return size > 0 and said[0][:size] <= said[1][:size]


def _date(measure: float | str) -> str:
    """Return a measure as a date: a number of four digits is a year, any other is none."""
    if isinstance(measure, str):
        return measure
    return f"{measure:.0f}" if measure.is_integer() and 1000 <= measure <= 9999 else ""


def _measure(value: Value) -> float | str | None:
    """Return the number or the ISO date that a value is; None where it is neither."""
    if isinstance(value, bool) or value is None:
        return None
    text = str(value).strip()
    if _ISO_DATE.fullmatch(text) and "-" in text:
        return text
    try:
        return float(text) if text.isascii() else None
    except (ValueError, OverflowError):
        return None
