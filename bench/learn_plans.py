"""Learn which plan over tables a question means, from questions whose answers are known.

`learn_plans.py NAME... [--penalty 0.002] [--lesser 0.15] [--thinned 0.3] [--sheets 1] [--beside]
[--details] [--write]`:
reads the kept cases of those splits (`plan_cases.py`), prints by folds over tables what the learned
order gives on tables that it has not seen, for several points of being sure enough, and writes the
weights that all questions together teach. A question made of another, where a column or a name is
not there any more, counts less: `--lesser`; so does one where columns are not there that its answer
does not need: `--thinned`. `--only-write` leaves the folds out.

Questions of folders of sheets (`hand-…`) count as much as `--sheets` says; their answers stand in
one table as a rule, so of most of them what joins tables and is not right teaches nothing.
`--beside` writes the mean of what is learned and of the weights that are there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from listwise import Candidates, Layer, Recipe, blended, learn_layered
from plan_cases import cases
from plan_rows import Doubles, PlanRows, rows_of
from retrieval_bases import cache_folder
from table_scoring import Worth

from weft.adapters.onnx.encoder import open_embedder
from weft.offline.plans.feature_names import FAMILIES, FEATURES
from weft.offline.units.scorer import LayeredScorer, Scorer, scorer_of

SHIPPED = Path(__file__).parents[1] / "src" / "weft" / "offline" / "plans" / "weights.json"
FOLDS = 4
_OF_SHEETS, _JOINS_LEFT_OUT = "hand-", 0.8
POINTS = (0.4, 0.5, 0.6, 0.7)
# What speaks for a plan can only speak for it, and the other way round.
FOR = frozenset(
    {
        "name",
        "kin",
        "kins",
        "alike",
        "size",
        "unit",
        "asked",
        "gap",
        "near",
        "exact",
        "figures",
        "figure score",
    }
    | {
        "beside",
        "truths",
        "negated",
        "order less",
        "own",
        "own share",
        "shown first",
        "shown key own",
    }
    | {"card", "shown key own", "shown kind when", "shown kind who", "value asked"}
)
AGAINST = frozenset(
    {
        "counted lost",
        "lost elsewhere",
        "lost unfiltered",
        "shown alike own",
        "thin",
        "shown prose",
        "value not asked",
        "value refused",
        "value passed over",
        "rows by size",
        "cell weak",
    }
    | {"cell key", "tied", "figures listed", "worked of one", "long", "shown repeats", "behind"}
    | {"measure dated", "weak", "day as figure", "label", "parts of several", "rivals", "lost"}
    | {"negation unused", "lost names", "lost share", "korean lost", "shown filtered"}
    | {"one row worked", "shown worded how many", "shown code", "shown before value"}
)
ROLES = ("measure", "shown", "group")


@dataclass(frozen=True, kw_only=True)
class Learning:
    """A question as it is learned from: the split that it is of, and how much it counts."""

    rows: PlanRows
    split: str
    weight: float = 1.0

    @property
    def is_asked(self) -> bool:
        """Tell whether it was written, and not made of another or read without vectors."""
        return self.weight == 1.0

    @property
    def table(self) -> str:
        """Return the table that it is about."""
        return self.rows.case.question.table


def way_of(name: str) -> int:
    """Return which way a feature may speak: 1 for a plan, -1 against it, 0 either."""
    name, _, family = name.partition(" of ")
    name = name if family in FAMILIES.values() or not family else f"{name} of {family}"
    if name in AGAINST or name.startswith(("unused", "left")):
        return -1
    if name in FOR or name.startswith("cue "):
        return 1
    role, _, sign = name.partition(" ")
    return (sign in FOR) - (sign in AGAINST) if role in ROLES else 0


def taught(
    found: Sequence[Learning], recipe: Recipe, layer: Layer, *, sheets: float = 1.0
) -> LayeredScorer:
    """Return what the questions teach; those of folders of sheets count so much."""
    dice, given = np.random.default_rng(1), list[Candidates]()
    for one in found:
        rows, right, weight = one.rows.rows, one.rows.right, one.weight
        if one.split.startswith(_OF_SHEETS):
            weight *= sheets
            if dice.random() < _JOINS_LEFT_OUT:
                kept = (rows[:, FEATURES.index("joined")] == 0) | right
                kept[-1] = True
                rows, right = rows[kept], right[kept]
        given.append(Candidates(rows=rows, right=right, weight=weight))
    return learn_layered(given, recipe, layer, ways=[way_of(name) for name in FEATURES])


def shipped() -> LayeredScorer:
    """Return the weights that are there."""
    body = json.loads(SHIPPED.read_text(encoding="utf-8"))
    found = scorer_of(body, FEATURES, name="plans")
    assert isinstance(found, LayeredScorer)
    return found


def write(whole: LayeredScorer) -> None:
    """Put weights where they are shipped from."""
    body = {
        "features": list(FEATURES),
        "mean": whole.mean.round(5).tolist(),
        "scale": whole.scale.round(5).tolist(),
        "weights": whole.weights.round(5).tolist(),
        "intercept": round(whole.intercept, 5),
        "inner": whole.inner.round(4).tolist(),
        "shift": whole.shift.round(4).tolist(),
        "outer": whole.outer.round(4).tolist(),
    }
    SHIPPED.write_text(json.dumps(body) + "\n", encoding="utf-8")


def chances(scorer: Scorer, rows: Doubles) -> Doubles:
    """Return how likely each plan is, the last that there is none."""
    scores = scorer.scores(rows)
    mass = np.exp(scores - scores.max())
    result: Doubles = mass / mass.sum()
    return result


def outcome(one: PlanRows, chance: Doubles, least: float) -> tuple[Worth, str]:
    """Return what the likeliest answer is worth if it is sure enough, and what it says."""
    sums: dict[str, float] = {}
    for short, each in zip((*one.shorts, ""), chance, strict=True):
        sums[short] = sums.get(short, 0.0) + float(each)
    best = max(sums, key=lambda short: sums[short])
    has_none = one.case.question.answer is None
    if not best or sums[best] < least:
        return (Worth.RIGHT if has_none else Worth.REFUSED), ""
    return (Worth.WRONG if has_none else one.worth[one.shorts.index(best)]), best


def read(names: Sequence[str], *, lesser: float, thinned: float) -> list[Learning]:
    """Return the questions of some splits, what is made of them, and all without vectors."""
    embedder = open_embedder(cache_folder() / "model")
    found: list[Learning] = []
    for name in names:
        kept = cases(name)
        asked = list(rows_of(kept, embedder))
        made = [case for one in asked for case in one.lesser]
        thin = [case for one in asked for case in one.thinned]
        groups = (
            (asked, 1.0),
            (rows_of(made, embedder), lesser),
            (rows_of(kept, None), lesser),
            (rows_of(thin, embedder), thinned),
        )
        found += [
            Learning(rows=one, split=name, weight=weight) for rows, weight in groups for one in rows
        ]
    return found


def by_folds(found: Sequence[Learning], recipe: Recipe, layer: Layer) -> list[Doubles]:
    """Return the chances of each question's plans as learned from other tables."""
    names = sorted({one.table for one in found})
    fold = {name: at % FOLDS for at, name in enumerate(names)}
    results: dict[int, Doubles] = {}
    for number in range(FOLDS):
        scorer = taught([one for one in found if fold[one.table] != number], recipe, layer)
        for at, one in enumerate(found):
            if fold[one.table] == number:
                results[at] = chances(scorer, one.rows.rows)
    return [results[at] for at in range(len(found))]


def report(name: str, found: Sequence[Learning], results: Sequence[Doubles]) -> None:
    """Print how many are right and wrong at each point."""
    held = [one.rows.case.question.answer is not None for one in found]
    possible = sum(Worth.RIGHT in one.rows.worth for one in found)
    print(f"{name}: {len(found)} questions, {sum(held)} answerable, {possible} reachable")
    for least in POINTS:
        made = [outcome(one.rows, way, least) for one, way in zip(found, results, strict=True)]
        pairs = list(zip(made, held, strict=True))
        right = sum(worth is Worth.RIGHT for (worth, _), has in pairs if has)
        wrong = sum(worth is not Worth.RIGHT and said != "" for (worth, said), has in pairs if has)
        false = sum(said != "" for (_, said), has in pairs if not has)
        share = (wrong + false) / len(found)
        print(f"   {least}: {right} right, {wrong} wrong, {false} without one ({share:.0%} wrong)")


def details(found: Sequence[Learning], results: Sequence[Doubles]) -> None:
    """Print what went wrong, with the plan that was taken and one that is right."""
    for one, chance in zip(found, results, strict=True):
        rows, question = one.rows, one.rows.case.question
        worth, said = outcome(rows, chance, 0.0)
        if worth is Worth.RIGHT:
            continue
        taken = rows.told[int(np.argmax(chance[:-1]))] if rows.told else "-"
        pairs = zip(rows.told, rows.worth, strict=True)
        right = next((told for told, value in pairs if value is Worth.RIGHT), "-")
        print(f"{worth.value} {float(chance.max()):.2f} {question.id} {question.question}")
        print(f"   expected {question.answer}  said {said!r}\n   took {taken}\n   right {right}")


def show_folds(
    found: Sequence[Learning], results: Sequence[Doubles], *, names: Sequence[str], whole: bool
) -> None:
    """Print what each split is worth, and with `whole` what went wrong."""
    asked = [at for at, one in enumerate(found) if one.is_asked]
    for name in (*names, "all"):
        own = [at for at in asked if name in (found[at].split, "all")]
        report(name, [found[at] for at in own], [results[at] for at in own])
        if whole and name != "all":
            details([found[at] for at in own], [results[at] for at in own])


def main() -> int:
    """Learn, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--penalty", type=float, default=2e-3)
    parser.add_argument("--lesser", type=float, default=0.15)
    parser.add_argument("--thinned", type=float, default=0.3)
    parser.add_argument("--units", type=int, default=96)
    parser.add_argument("--sheets", type=float, default=1.0)
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--only-write", action="store_true")
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    recipe = Recipe(steps=400, penalty=wanted.penalty)
    found = read(wanted.names, lesser=wanted.lesser, thinned=wanted.thinned)
    layer = Layer(units=wanted.units)
    if not wanted.only_write:
        show_folds(found, by_folds(found, recipe, layer), names=wanted.names, whole=wanted.details)
    if wanted.write or wanted.only_write:
        whole = taught(found, recipe, layer, sheets=wanted.sheets)
        write(blended(whole, shipped()) if wanted.beside else whole)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
