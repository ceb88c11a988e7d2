"""One condition that a question may set, and where it says so."""

from __future__ import annotations

from weft.domain.frozen import dataclass
from weft.retrieval.tables.plan import Filter


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition, where it is said, and how sure it is from 0 to 1.

    `kind` is `exact`, `kin`, `part`, `figure`, `day`, `number`, `truth`, `empty` or `filled`;
    `beside` that its column is named by it; `rivals` are other columns that hold the same words,
    `values` how many values they may be; `as_figure` that a day is compared with plain numbers;
    `thin` how little is said of a value of which only a part is; `mixed` that some of the cells
    list several.
    """

    filter: Filter
    start: int
    end: int
    kind: str
    score: float
    beside: bool = False
    as_figure: bool = False
    mixed: bool = False
    thin: float = 0.0
    rivals: int = 0
    values: int = 1


Place = tuple[int, int, str]
Options = tuple[Place, list[Condition]]
