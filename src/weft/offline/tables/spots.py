"""Some words of a question and what they stand for in a table, and a question being read so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from enum import StrEnum

from weft.domain.frozen import dataclass
from weft.offline.evidence.values import Date
from weft.offline.question.names import NameToken
from weft.offline.tables.records import Table
from weft.offline.tables.words import Comparing


class Use(StrEnum):
    """What a word of a question stands for."""

    VALUE = "value"
    FIELD = "field"
    TABLE = "table"
    PERSON = "person"
    CLASS = "class"
    DATE = "date"
    FIGURE = "figure"
    COMPARING = "comparing"
    RANGE = "range"
    SMALL = "small"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Some words of a question and what they stand for.

    `places` are the (field, record number) that have a value, `fields` the fields named.
    """

    use: Use
    first: int
    last: int
    places: tuple[tuple[str, int], ...] = ()
    fields: tuple[str, ...] = ()
    comparing: Comparing | None = None
    date: Date | None = None
    figure: float = 0.0
    sign: str = ""


@dataclass(slots=True, kw_only=True)
class Reading:
    """A question being read: which words are taken, and the spots so far."""

    text: str
    table: Table
    words: tuple[NameToken, ...]
    forms: tuple[frozenset[str], ...]
    organisation: Callable[[str], bool]
    taken: set[int] = field(default_factory=set)
    spots: list[Spot] = field(default_factory=list)

    def take(self, spot: Spot) -> None:
        """Enter a spot and its words."""
        self.taken.update(range(spot.first, spot.last + 1))
        self.spots.append(spot)

    def open(self, first: int, last: int) -> bool:
        """Tell whether some words are not taken yet."""
        return self.taken.isdisjoint(range(first, last + 1))

    def free(self) -> Iterator[int]:
        """Yield the places of the words that are not taken, as they are when reached."""
        return (at for at in range(len(self.words)) if at not in self.taken)
