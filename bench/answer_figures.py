"""What users would see of questions that were judged by weights which they did not teach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from answer_cards import CARDS
from answer_examples import Doubles, Example, World
from handbook_bases import HANDBOOKS
from note_bases import NOTES
from retrieval_bases import SETS
from strangers_base import STRANGERS

from weft.offline.units.order import more_rows, shown_of
from weft.offline.units.outcome_features import FIRST
from weft.offline.units.scorer import Scorer


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An example as weights of other folds judge it: which units answer, best first."""

    example: Example
    right: npt.NDArray[np.bool_]
    scores: Doubles
    row: Doubles
    logit: float

    @property
    def chance(self) -> float:
        """Return the probability that the first three answer."""
        return float(1.0 / (1.0 + np.exp(-self.logit)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How a model shows: the chance of each unit, the points of its outcome, and its limits."""

    more: Scorer
    point: tuple[float, float]
    part: float
    least: float

    def count(self, one: Judged) -> int:
        """Return how many units are shown as the answer; 0 where none is."""
        if one.chance < self.point[0]:
            return 0
        chances = self.more.chances(more_rows(one.scores, one.logit, row=one.row))
        return shown_of(chances, part=self.part, least=self.least)

    def nearest(self, one: Judged) -> int:
        """Return how many are shown as what was found."""
        return FIRST if self.point[1] <= one.chance < self.point[0] else 0


def show_figures(judged: Sequence[Judged], shown: Mapping[bool, Shown]) -> None:
    """Print a line for each set and world, and one for each way in which the answer is gone."""
    for name, world in product((*STRANGERS, HANDBOOKS, NOTES, CARDS, *SETS), World):
        own = [o for o in judged if o.example.dataset == name and o.example.world is world]
        there = [one for one in own if one.example.is_there]
        if not there:
            continue
        print(f"{name} {world} ({len(there)}): {_line(there, shown)}")
        for several in (False, True):
            part = [one for one in there if one.example.is_over_several is several]
            if part and world is World.WHOLE:
                print(f"   {'several' if several else 'plain'} ({len(part)}): {_line(part, shown)}")
        for kind, rest in _without(own).items():
            said = [bool(shown[o.example.is_over_several].count(o)) for o in rest]
            roc = _auroc([o.chance for o in there], [o.chance for o in rest])
            print(f"   {kind} ({len(rest)}): answered {_percent(said)}  auroc {100 * roc:.1f}")


def _line(there: Sequence[Judged], shown: Mapping[bool, Shown]) -> str:
    counts = [shown[one.example.is_over_several].count(one) for one in there]
    near = [shown[one.example.is_over_several].nearest(one) for one in there]
    seen = [one.right[:n] for one, n in zip(there, counts, strict=True)]
    found = [o.right[: a + b].any() for o, a, b in zip(there, counts, near, strict=True)]
    figures = {
        "first": _percent(one.right[:1].any() for one in there),
        "three": _percent(one.right[:FIRST].any() for one in there),
        "reachable": _percent(one.right.any() for one in there),
        "right": _percent(one.any() for one in seen),
        "answered": _percent(counts),
        "found": _percent(found),
        "nothing": _percent(not a + b for a, b in zip(counts, near, strict=True)),
        "precise": _percent(unit for one in seen for unit in one),
        "units": f"{sum(counts) / max(1, sum(map(bool, counts))):.2f}",
    }
    return "  ".join(f"{name} {value}" for name, value in figures.items())


def _without(own: Iterable[Judged]) -> Mapping[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for one in own:
        kind = one.example.gone if one.example.answerable else "unanswerable"
        if kind:
            found.setdefault(kind, []).append(one)
    return found


def _percent(values: Iterable[object]) -> str:
    found = [bool(value) for value in values]
    return f"{100 * sum(found) / max(1, len(found)):.1f}"


def _auroc(mine: Sequence[float], others: Sequence[float]) -> float:
    above = np.array(mine)[:, None] > np.array(others)[None, :]
    return float(above.mean())
