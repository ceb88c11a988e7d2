"""The features of every unit of some passages for a question: numbers, none of them a gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from weft.domain.frozen import dataclass
from weft.language.blocks.lines import LineKind
from weft.language.terms import terms
from weft.offline.question.question import alike, spelt
from weft.offline.units.kinds import FITS, STRICT, AskedKind
from weft.offline.units.question import Doubles, Marks, UnitQuestion
from weft.offline.units.read_unit import PREFIX, PassageUnits, ReadUnit, Sign, read_units
from weft.retrieval.hits import Hit

KINDS_ASKED = tuple(AskedKind)
_FARTHEST = 6
# So many units begin a document.
_LEAD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundUnit:
    """A unit of a passage, with the passage's id and rank from 0."""

    evidence_id: str
    hit: Hit
    rank: int
    read: ReadUnit
    passage: PassageUnits

    @property
    def text(self) -> str:
        """Return the unit as it stands in its passage."""
        unit = self.read.unit
        return self.hit.evidence.text[unit.start : unit.end]

    @property
    def cosine(self) -> float:
        """Return the greatest cosine of its sentences, the passage's where there is none."""
        first, last = self.read.sentences
        return max(self.hit.cosines[first : last + 1], default=self.hit.cosine)


@dataclass(frozen=True, slots=True, kw_only=True)
class StemMatches:
    """Which of the question's stems stand where: bool[units, stems] each."""

    unit: Marks
    head: Marks
    near: Marks
    passage: Marks
    alike: Marks
    said: Marks


def units_in(entries: Iterable[tuple[str, Hit]]) -> list[FoundUnit]:
    """Return the units of some passages in order, each text once."""
    found: dict[tuple[str, str], FoundUnit] = {}
    for rank, (name, hit) in enumerate(entries):
        passage = read_units(hit)
        for read in passage.units:
            one = FoundUnit(evidence_id=name, hit=hit, rank=rank, read=read, passage=passage)
            found.setdefault((hit.evidence.document_id, one.text), one)
    return list(found.values())


def matches_of(question: UnitQuestion, units: Sequence[FoundUnit]) -> StemMatches:
    """Return which of the question's stems stand in each unit, above it, near it."""
    stems = question.stems

    def marks(sets: Iterable[frozenset[str]]) -> Marks:
        rows = [[stem in held for stem in stems] for held in sets]
        return np.array(rows, dtype=bool).reshape(len(rows), len(stems))

    unit, head = marks(u.read.held for u in units), marks(u.read.head for u in units)
    begins = [stem[:PREFIX] if len(stem) >= PREFIX else "" for stem in stems]
    prefixes = [[begin in u.read.prefixes for begin in begins] for u in units]
    groups = [frozenset(map(spelt, alike(stem))) for stem in stems]
    said = [[not group.isdisjoint(u.read.held) for group in groups] for u in units]
    return StemMatches(
        unit=unit,
        head=head,
        near=unit | head | marks(u.read.before for u in units),
        passage=marks(u.passage.stems for u in units),
        alike=unit | np.array(prefixes, dtype=bool).reshape(unit.shape),
        said=unit | head | np.array(said, dtype=bool).reshape(unit.shape),
    )


def unit_features(
    question: UnitQuestion, units: Sequence[FoundUnit], *, matches: StemMatches
) -> dict[str, Doubles]:
    """Return float64[units] by the name of each feature, in the order of `UNIT_FEATURES`."""
    return {
        **_found(question, units),
        **_covered(question, matches, units),
        **_ordered(question, units),
        **_fitting(question, units),
        **_shaped(units, question),
    }


def share(marks: Marks, weights: Doubles) -> Doubles:
    """Return which part of some weights is marked, float64[rows]; 0 where nothing weighs."""
    total = float(weights.sum())
    return (marks @ weights) / total if total else np.zeros(len(marks))


def worst_missing(marks: Marks, weights: Doubles) -> Doubles:
    """Return the greatest weight that is not marked, float64[rows]."""
    if not marks.shape[1]:
        return np.zeros(len(marks))
    result: Doubles = np.where(marks, 0.0, weights).max(axis=1)
    return result


def _found(question: UnitQuestion, units: Sequence[FoundUnit]) -> dict[str, Doubles]:
    """Return how well the passage was found, and how near the unit is in meaning."""
    scores = np.array([u.hit.score for u in units], dtype=np.float64)
    best = float(scores.max(initial=0.0))
    return {
        **_meant(question, units),
        "score": scores,
        "score_ratio": scores / best if best > 0 else np.zeros(len(units)),
        "rank": 1.0 / (1.0 + np.array([u.rank for u in units], dtype=np.float64)),
        "score_gap": scores - best,
    }


def _meant(question: UnitQuestion, units: Sequence[FoundUnit]) -> dict[str, Doubles]:
    """Return how near the unit is in meaning: not known without vectors that read the question."""
    passage = np.array([u.hit.cosine for u in units], dtype=np.float64)
    own = np.array([u.cosine for u in units], dtype=np.float64)
    found = {
        "passage_cosine": passage,
        "cosine": own,
        "cosine_z": (own - own.mean()) / (own.std() + 1e-6),
        "cosine_rank": _by_rank(own),
        "cosine_gain": own - passage,
    }
    if question.is_latin and any(u.hit.cosines for u in units):
        return found
    return {name: np.full(len(units), np.nan) for name in found}


def _covered(
    question: UnitQuestion, matches: StemMatches, units: Sequence[FoundUnit]
) -> dict[str, Doubles]:
    """Return what part of the question stands in the unit, above it and near it."""
    w = question.weights
    unit, head, near = share(matches.unit, w), share(matches.head, w), share(matches.near, w)
    under = share(matches.unit | matches.head, w)
    names = question.names.astype(np.float64)
    focus = question.focus.astype(np.float64)
    passage = share(matches.passage, w)
    return {
        "cov_unit": unit,
        "cov_head": head,
        "cov_under": under,
        "cov_near": near,
        "cov_passage": passage,
        "cov_alike": share(matches.alike, w),
        "cov_said": share(matches.said, w),
        "miss_said": worst_missing(matches.said, w),
        "cov_gain": under - head,
        "cov_by_head": under - unit,
        "cov_before": near - under,
        "cov_beyond": passage - near,
        "cov_rank": _by_rank(under),
        "cov_z": (under - under.mean()) / (under.std() + 1e-6),
        "cov_document": _best_of_document(units, under),
        "miss_unit": worst_missing(matches.unit, w),
        "miss_near": worst_missing(matches.near, w),
        "miss_passage": worst_missing(matches.passage, w),
        "names_unit": share(matches.unit, names),
        "names_near": share(matches.near | matches.passage, names),
        "focus_unit": share(matches.unit, focus),
        "focus_near": share(matches.near, focus),
        **_beyond_first(question, matches, units),
    }


def _beyond_first(
    question: UnitQuestion, matches: StemMatches, units: Sequence[FoundUnit]
) -> dict[str, Doubles]:
    """Return what the unit has of the question beyond the passage found first.

    `linked` is which part of its title stands in that passage and not in the question: over
    several documents the first names the next.
    """
    first = min(range(len(units)), key=lambda n: units[n].rank)
    weights = np.where(matches.passage[first], 0.0, question.weights)
    other = np.array([u.rank != units[first].rank for u in units], dtype=np.float64)
    held, stems = units[first].passage.stems, frozenset(question.stems)
    linked: dict[int, float] = {}
    for u in units:
        if u.rank not in linked:
            own = u.passage.place - stems
            linked[u.rank] = len(own & held) / len(own) if own else 0.0
    return {
        "rest_unit": share(matches.unit, weights) * other,
        "rest_near": share(matches.near, weights) * other,
        "linked": np.array([linked[u.rank] for u in units], dtype=np.float64) * other,
    }


def _ordered(question: UnitQuestion, units: Sequence[FoundUnit]) -> dict[str, Doubles]:
    """Return how far the unit says the question's words in its order, and close together."""
    stems = question.stems
    places = {stem: n for n, stem in enumerate(stems)}
    pairs = max(1, len(stems) - 1)
    adjacent, longest, window = [], [], []
    for one in units:
        at = [(n, places[stem]) for n, stem in enumerate(one.read.stems) if stem in places]
        beside = {b for (i, a), (j, b) in pairwise(at) if j == i + 1 and b == a + 1}
        adjacent.append(len(beside) / pairs)
        longest.append(_longest_run([place for _, place in at]) / max(1, len(stems)))
        window.append(_density(at))
    return {
        "pairs": np.array(adjacent, dtype=np.float64),
        "order": np.array(longest, dtype=np.float64),
        "window": np.array(window, dtype=np.float64),
    }


def _longest_run(places: Sequence[int]) -> int:
    """Return how many of the question's words stand in its own order, others between them."""
    ends: list[int] = []
    for place in places:
        for n, end in enumerate(ends):
            if place <= end:
                ends[n] = place
                break
        else:
            ends.append(place)
    return len(ends)


def _density(at: Sequence[tuple[int, int]]) -> float:
    """Return how many different words of the question there are by the stretch that holds them."""
    kinds = len({place for _, place in at})
    if kinds < 2:
        return 0.0
    return kinds / (at[-1][0] - at[0][0] + 1)


def _fitting(question: UnitQuestion, units: Sequence[FoundUnit]) -> dict[str, Doubles]:
    """Return whether the unit has signs of what is asked that the question does not have itself."""
    wanted = FITS[question.kind]
    stems = frozenset(question.stems)
    weight = dict(zip(question.stems, question.weights.tolist(), strict=True))
    new: Mapping[str, list[float]] = {name: [] for name in ("number", "date", "name")}
    fit, near = [], []
    for one in units:
        signs = one.read.signs
        fresh = {
            name: [one for one in signs.of(name) if not one.stems <= stems or not one.stems]
            for name in {*wanted, *new}
        }
        fitting = [sign for name in wanted for sign in fresh[name]]
        fit.append(float(bool(fitting)))
        best = max(
            (sum(weight[s] for s in _near(sign, one.read, stems)) for sign in fitting), default=0.0
        )
        near.append(best / question.total)
        for name, values in new.items():
            values.append(float(bool(fresh[name])))
    fits = np.array(fit, dtype=np.float64)
    return {
        "fit": fits,
        "fit_near": np.array(near, dtype=np.float64),
        "fit_missed": (1.0 - fits) * float(question.kind in STRICT),
        **{f"new_{name}": np.array(values, dtype=np.float64) for name, values in new.items()},
    }


def _near(sign: Sign, unit: ReadUnit, stems: frozenset[str]) -> Iterable[str]:
    """Return which of some stems stand near a sign, each once."""
    return dict.fromkeys(stem for stem in unit.stems[slice(*sign.near)] if stem in stems)


def _shaped(units: Sequence[FoundUnit], question: UnitQuestion) -> dict[str, Doubles]:
    """Return the form of the unit and where in its passage it stands."""
    stems = frozenset(question.stems)
    kinds = [u.read.unit.kind for u in units]
    order = {(u.evidence_id, u.read.unit.start): 0 for u in units}
    seen: dict[str, int] = {}
    for u in units:
        order[u.evidence_id, u.read.unit.start] = seen.get(u.evidence_id, 0)
        seen[u.evidence_id] = seen.get(u.evidence_id, 0) + 1
    own = [order[u.evidence_id, u.read.unit.start] for u in units]
    found = {
        "place": [min(n, _FARTHEST) / _FARTHEST for n in own],
        "opens": [float(u.read.unit.first) for u in units],
        "length": [float(np.log1p(len(u.read.stems))) for u in units],
        "novelty": [len(u.read.held - stems) / max(1, len(u.read.held)) for u in units],
        "is_row": [float(kind is LineKind.ROW) for kind in kinds],
        "is_item": [float(kind is LineKind.ITEM) for kind in kinds],
        "label": [_label_asked(u, stems) for u in units],
        "is_field": [float(kind is LineKind.FIELD) for kind in kinds],
        "says": [_says_new(u, stems) for u in units],
        "asks": [float(u.text.endswith(("?", ":"))) for u in units],
        "defines": [_defines(u, stems) for u in units],
        "lead_defines": _lead_defines(units, question, own),
        "units": [float(np.log1p(seen[u.evidence_id])) for u in units],
    }
    return {name: np.array(values, dtype=np.float64) for name, values in found.items()}


def _lead_defines(
    units: Sequence[FoundUnit], question: UnitQuestion, places: Sequence[int]
) -> list[float]:
    """Return for a question for a definition which part of it is the title that the unit leads."""
    if question.kind is not AskedKind.DEFINE:
        return [0.0] * len(units)
    stems = frozenset(question.stems)
    return [
        len(frozenset(map(spelt, terms(u.hit.evidence.title))) & stems) / max(1, len(stems))
        if not u.hit.evidence.chunk_index and place < _LEAD
        else 0.0
        for u, place in zip(units, places, strict=True)
    ]


def _says_new(one: FoundUnit, stems: frozenset[str]) -> float:
    """Tell whether the unit says anything but the question's words, its label and its title."""
    own = one.read.label if one.read.unit.kind is LineKind.FIELD else frozenset[str]()
    return float(not one.read.held <= stems | own | one.passage.place)


def _label_asked(one: FoundUnit, stems: frozenset[str]) -> float:
    """Return which part of a labelled line's label the question asks for."""
    label = one.read.label
    return len(label & stems) / len(label) if label else 0.0


def _defines(one: FoundUnit, stems: frozenset[str]) -> float:
    """Tell whether the unit begins with the question's words and says what that is."""
    lead = one.read.stems[:2]
    return float(bool(lead) and lead[0] in stems and bool(one.read.signs.of("define")))


def _best_of_document(units: Sequence[FoundUnit], values: Doubles) -> Doubles:
    best: dict[str, float] = {}
    for u, value in zip(units, values.tolist(), strict=True):
        key = u.hit.evidence.document_id
        best[key] = max(best.get(key, 0.0), value)
    return np.array([best[u.hit.evidence.document_id] for u in units], dtype=np.float64)


def _by_rank(values: Doubles) -> Doubles:
    """Return 1 / rank of each value, equal ones alike."""
    return np.array([1.0 / (1.0 + float((values > one).sum())) for one in values], dtype=np.float64)


UNIT_FEATURES: tuple[str, ...] = (
    "score", "score_ratio", "rank", "score_gap", "passage_cosine", "cosine", "cosine_z",
    "cosine_rank", "cosine_gain",
    "cov_unit", "cov_head", "cov_under", "cov_near", "cov_passage", "cov_alike", "cov_said",
    "cov_gain", "cov_by_head", "cov_before", "cov_beyond", "cov_rank", "cov_z", "cov_document",
    "miss_unit", "miss_near", "miss_passage", "miss_said", "names_unit",
    "names_near", "focus_unit", "focus_near", "rest_unit", "rest_near", "linked",
    "pairs", "order", "window",
    "fit", "fit_near", "fit_missed", "new_number", "new_date", "new_name",
    "place", "opens", "length", "novelty", "is_row", "is_item", "label", "is_field", "says",
    "asks", "defines", "lead_defines",
    "units",
)  # fmt: skip
