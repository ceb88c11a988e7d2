"""What tells the plan that a question means from the others: each as numbers by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.offline.plans.asking import AskedFor, change
from weft.offline.plans.comparing import asks_less
from weft.offline.plans.coverage import WordCoverage
from weft.offline.plans.feature_names import CUE_OF, CUES, FAMILIES, FEATURES, ROLES, WEIGHED
from weft.offline.plans.signs import (
    ColumnSigns,
    QuestionSigns,
    is_label,
    is_label_word,
)
from weft.offline.plans.sketch import Sketch
from weft.offline.plans.ways import PlanCandidate
from weft.offline.plans.wording import asks_value, counted_word
from weft.offline.units.question import Doubles
from weft.retrieval.tables.links import QuestionWord
from weft.retrieval.tables.naming import name_words
from weft.retrieval.tables.table import ColumnKind

_LONG = 120
_DIFFERENT = pattern(r"\bhow many (?:different|distinct|unique)\b|서로 다른", 2)
_NAMED, _ALIKE = 0.9, 0.6
# What counts rows, and takes "how many" or "most" for how many of them there are.
_OF_ROWS = ("count", "distinct", "count by", "most rows", "list")
_SECTIONS = frozenset({"Section", "구분"})
_NAMELESS = pattern(r"(?:column ?\d+)?", 2)
_WINNERS = ("winner", "group winner", "across winner")
_PLAIN = pattern(r"most|least|fewest|많|적|최다", 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideTables:
    """All tables that were described: the words that they are called by, and the best card."""

    own: frozenset[int]
    card: float


def features_of(
    found: QuestionSigns, plans: Sequence[PlanCandidate], *, beside: BesideTables
) -> Doubles:
    """Return float64[plans, features] beside the other tables that were described."""
    reader = _PlanReader(found, beside)
    rows = [reader.row(one) for one in plans]
    return np.array([[row.get(name, 0.0) for name in FEATURES] for row in rows]).reshape(
        len(plans), len(FEATURES)
    )


def result_features(
    one: PlanCandidate, sketch: Sketch, *, total: int, counted: int, short: str
) -> Doubles:
    """Return float64[features] of what a plan's answer looks like, 0 for all else."""
    row = np.zeros(len(FEATURES))
    plan = one.plan
    numeric = bool(one.shown) and sketch.column(one.shown).kind is ColumnKind.NUMBER
    several = total > 1 and not plan.aggregates
    values = {
        "tied": float(bool(plan.limit) and total > (plan.limit or 0)),
        "rows": float(np.log1p(max(0, total - 1))) if several else 0.0,
        "figures listed": float(several and numeric and not plan.order_by),
        "worked of one": float(bool(plan.aggregates) and counted == 1),
        "long": float(len(short) > _LONG),
    }
    for name, value in values.items():
        row[FEATURES.index(name)] = value
    return row


def none_features(read: Sequence[QuestionSigns]) -> Doubles:
    """Return float64[features] of no plan at all."""
    row = np.zeros(len(FEATURES))
    row[FEATURES.index("none")] = 1.0
    row[FEATURES.index("words")] = max((len(one.words) for one in read), default=0) / 10
    return row


class _PlanReader:
    """What all plans over one table share."""

    def __init__(self, found: QuestionSigns, beside: BesideTables) -> None:
        self.found = found
        self.sketch = found.sketch
        self.best_card = beside.card
        self.coverage = WordCoverage(found, beside.own)
        self.first = self.coverage.first
        self.is_different = _DIFFERENT.search(found.text) is not None
        self.asks_label = any(is_label_word(word.text) for word in found.words)
        self.figures = self._counted_figures()

    def _behind_extreme(self) -> QuestionWord | None:
        """Return the word that "most" or "fewest" is of."""
        first = next(iter(self.found.extremes), None)
        if first is None or not _PLAIN.fullmatch(self.found.text[first.start : first.end]):
            return None
        return next((w for w in self.coverage.content if w.start >= first.end), None)

    def row(self, one: PlanCandidate) -> Mapping[str, float]:
        """Return the features of one plan."""
        row: dict[str, float] = {f"way {one.way}": 1.0}
        self._asked(one, row)
        for role in ROLES:
            name = getattr(one, role)
            if name:
                self._role(one, role, name, row)
        self._shown(one, row)
        self._conditions(one, row)
        self._words(one, row)
        row["joined"] = float(len(one.plan.tables) > 1)
        row["series"] = float(self.sketch.is_series)
        row["sectioned"] = float(bool(one.conditions.columns & _SECTIONS))
        for name in WEIGHED:
            row[f"{name} of {FAMILIES[one.way]}"] = row.get(name, 0.0)
        return row

    def _asked(self, one: PlanCandidate, row: dict[str, float]) -> None:
        asked, own = self.found.asked, CUE_OF.get(one.way, "")
        extreme = one.way.startswith("most")
        turned = one.way == "change" and change(self.found.text) is not None
        if extreme or turned or any(cue.value == own for cue in asked):
            row[f"cue {one.way}"] = 1.0
        # Which of two it is, is told where it is not asked whether.
        meant = {AskedFor.WHETHER} if one.way in _WINNERS else set()
        for cue in CUES:
            if cue in asked and cue.value != own and cue not in meant:
                row[f"unused {cue.value}"] = 1.0
        row["unused extreme"] = float(bool(self.found.extremes) and not extreme)
        by = one.way.endswith(" by")
        row["unused group"] = float(bool(self.found.groups) and not by and not one.group)
        used = {(c.start, c.end) for c in one.conditions.parts}
        named = self._figures_in_names(one)
        compared = {(c.start, c.end) for c in self.found.compared}
        # A month or a year that is a value inside of a day's words gives them their meaning.
        used |= {(a, b) for a, b in compared if any(a <= c and d <= b for c, d in used)}
        row["unused compared"] = float(len(compared - used - named))
        row["named figure"] = float(bool(named - used)) - float(bool(named & used))
        self._counted(one, row)
        row["share turn"] = one.share_turn
        row["different unheeded"] = float(self.is_different and one.way != "distinct")
        if one.plan.limit:
            row["limit"] = float(one.plan.limit > 1)

    def _figures_in_names(self, one: PlanCandidate) -> set[tuple[int, int]]:
        """Return where figures stand that a column of the plan is called by: "purchases 2024"."""
        names = {one.measure, one.shown} - {""}
        said = {word for name in names for word in name_words(name) if word.isdecimal()}
        return {(c.start, c.end) for c in self.found.compared if c.low in said}

    def _counted(self, one: PlanCandidate, row: dict[str, float]) -> None:
        """Enter whether what is counted ("how many pieces", "most pieces") are a column's figures.

        Then rows are not what is counted, and that column is what adds up.
        """
        if one.way in _OF_ROWS and one.measure not in self.figures:
            row["counted figure"] = max(self.figures.values(), default=0.0)
        elif one.measure:
            row["measure counted"] = self.figures.get(one.measure, 0.0)

    def _counted_figures(self) -> Mapping[str, float]:
        """Return the columns of figures that the word for what is counted may mean, how surely."""
        word = counted_word(self.found) or self._behind_extreme()
        found: dict[str, float] = {}
        for name, signs in self.found.signs.items():
            column = self.sketch.column(name)
            is_counted = column.kind is ColumnKind.NUMBER and not column.is_identifier
            if word is None or signs.at is None or not is_counted:
                continue
            if signs.at[0] <= word.start < signs.at[1]:
                alike = signs.alike if signs.alike >= _ALIKE else 0.0
                found[name] = max(signs.name, signs.kin, alike)
        return found

    def _role(self, one: PlanCandidate, role: str, name: str, row: dict[str, float]) -> None:
        signs = self.found.signs[name]
        column = self.sketch.column(name)
        others = [
            each.all
            for other, each in self.found.signs.items()
            if other != name
            and other not in one.conditions.columns
            and self.sketch.column(other).kind is column.kind
        ]
        row[f"{role} name"] = self._free(one, signs)
        row[f"{role} kin"] = signs.kin
        row[f"{role} alike"] = signs.alike
        row[f"{role} size"] = signs.size
        row[f"{role} unit"] = signs.unit
        row[f"{role} asked"] = signs.asked
        row[f"{role} weak"] = max(0.0, 0.5 - signs.all)
        best = max(others, default=0.0)
        row[f"{role} behind"] = max(0.0, best - signs.all)
        row[f"{role} gap"] = max(0.0, signs.all - best)
        row[f"{role} only"] = float(not others)
        row[f"{role} label"] = float(column.kind is ColumnKind.NUMBER and is_label(column))
        row[f"{role} year"] = float(column.is_year)
        row[f"{role} near"] = self._near(role, signs)

    def _free(self, one: PlanCandidate, signs: ColumnSigns) -> float:
        """Return how well a column is named by words that are not a condition's."""
        at = signs.name_at
        if at is None:
            return signs.name
        taken = any(c.start < at[1] and at[0] < c.end for c in one.conditions.parts)
        return signs.name * (0.3 if taken else 1.0)

    def _near(self, role: str, signs: ColumnSigns) -> float:
        """Return how near what asks for a role stands to the words for its column, 0 to 1."""
        at = signs.at
        if at is None:
            return 0.0
        places: list[tuple[int, int]] = []
        if role == "measure":
            places = [(one.start, one.end) for one in self.found.extremes]
            places += [span for cue in CUES[:3] for span in self.found.asked.get(cue, ())]
        elif role == "group":
            places = list(self.found.groups)
        elif self.first is not None:
            places = [(self.first.start, self.first.end)]
        if not places:
            return 0.0
        gaps = [
            sum(1 for w in self.found.words if min(at[1], b) <= w.start < max(at[0], a))
            for a, b in places
        ]
        return 1.0 / (1.0 + min(gaps))

    def _is_named(self, one: PlanCandidate, start: int, end: int) -> bool:
        """Tell whether words are of the name of a plan's column: "temperature of the main pool"."""
        signs = [self.found.signs[name] for name in (one.shown, one.measure) if name]
        places = [each.name_at for each in signs if each.name >= _NAMED and each.name_at]
        return any(first <= start and end <= last for first, last in places)

    def _shown(self, one: PlanCandidate, row: dict[str, float]) -> None:
        if not one.shown:
            return
        column, asked = self.sketch.column(one.shown), self.found.question_words
        signs = self.found.signs[one.shown]
        row["shown prose"] = float(column.is_long)
        row["shown key"] = float(one.shown == self.sketch.key)
        self._shown_of_own(one, row)
        row["shown filtered"] = float(one.shown in one.conditions.columns)
        self._at_values(one, signs, row)
        is_code = is_label(column) or (one.shown == self.sketch.key and bool(self.sketch.called))
        is_nameless = _NAMELESS.fullmatch(one.shown) is not None
        row["shown nameless"] = float(is_nameless)
        if self.asks_label:
            others = any(is_label(each) for each in self.sketch.columns.values())
            row["shown label asked"] = 1.0 if is_label(column) else -float(others)
        row["shown code"] = float(is_code and not one.is_called and not self.asks_label)
        if signs.at is not None and self.first is not None:
            row["shown first"] = float(signs.at[0] <= self.first.start < signs.at[1])
        repeats = one.way == "most" and not self.sketch.tells_apart(column)
        row["shown repeats"] = float(repeats)
        if one.measure and self.sketch.column(one.measure).kind is ColumnKind.DATE:
            row["measure dated"] = 1.0 - self.found.signs[one.measure].size
        if "many" in asked:
            sized = column.kind is ColumnKind.NUMBER or column.kind is ColumnKind.TRUTH
            row["shown worded how many"] = float(not sized)
        if "when" in asked:
            dated = column.kind is ColumnKind.DATE or column.is_year
            row["shown kind when"] = 1.0 if dated else -1.0
        if "who" in asked:
            others = any(each.is_of_people for each in self.sketch.columns.values())
            row["shown people"] = 1.0 if column.is_of_people else -float(others)
            row["shown kind who"] = 1.0 if column.is_worded else -1.0

    def _at_values(self, one: PlanCandidate, signs: ColumnSigns, row: dict[str, float]) -> None:
        """Enter whether what is told is named right at a value: "machine M-1" asks for none.

        Right behind a value its column is asked for more often than not: "Kenya population".
        """
        at = signs.at
        if at is None:
            return
        text = self.found.text
        for part in one.conditions.parts:
            if part.filter.column == one.shown:
                continue
            if at[1] <= part.start and not text[at[1] : part.start].strip(" #:'\""):
                row["shown before value"] = 1.0
            if part.end <= at[0] and not text[part.end : at[0]].strip():
                row["shown behind value"] = 1.0

    def _shown_of_own(self, one: PlanCandidate, row: dict[str, float]) -> None:
        """Enter that "which ship" asks what a row of ships is called, whatever is like a ship."""
        if self.first is None or self.first.start not in self.sketch.own:
            return
        if any(self._names(each) for each in self.found.signs.values()):
            return  # "which boat", where a column is called so
        signs = self.found.signs[one.shown]
        if one.shown == self.sketch.key:
            row["shown key own"] = 1.0
            row["shown weak"] = row["shown behind"] = 0.0
        elif signs.name == 0.0 and signs.alike_at is not None:
            start, end = signs.alike_at
            row["shown alike own"] = signs.alike * float(start <= self.first.start < end)

    def _names(self, signs: ColumnSigns) -> bool:
        """Tell whether the first word that says something is a column's whole name."""
        at = signs.name_at
        named = at is not None and self.first is not None and at[0] <= self.first.start < at[1]
        return named and signs.name >= _NAMED

    def _conditions(self, one: PlanCandidate, row: dict[str, float]) -> None:
        parts = one.conditions.parts
        kinds = [part.kind for part in parts]
        row["exact"] = float(kinds.count("exact"))
        row["kins"] = float(kinds.count("kin"))
        row["part"] = float(kinds.count("part"))
        row["parts of several"] = float(sum(p.kind == "part" and p.values > 1 for p in parts))
        row["thin"] = sum(part.thin for part in parts)
        figures = [part for part in parts if part.kind in ("figure", "day")]
        row["figures"] = float(len(figures))
        row["figure score"] = sum(part.score for part in figures)
        row["day as figure"] = float(sum(part.as_figure for part in parts))
        row["numbers"] = float(kinds.count("number"))
        row["truths"] = float(kinds.count("truth"))
        row["emptied"] = float(kinds.count("empty"))
        row["filled"] = float(kinds.count("filled"))
        row["beside"] = float(sum(part.beside for part in parts))
        row["rivals"] = float(sum(part.rivals for part in parts))
        for start, end, kind in one.conditions.left:
            if kind == "part" and self._is_named(one, start, end):
                continue
            name = {"day": "figure", "truth": "part"}.get(kind, kind)
            row[f"left {name}"] = row.get(f"left {name}", 0.0) + 1.0
        if one.way.startswith("most ") and self.found.extremes:
            first = self.found.extremes[0]
            plain = _PLAIN.search(self.found.text[first.start : first.end])
            row["rows by size"] = float(one.way == "most rows" and not (first.often or plain))
        if one.way in ("most", "most value") and self.found.extremes:
            asked = asks_value(self.found, one.measure, first=self.first)
            row["value asked"] = max(0.0, asked) * (1.0 if one.way == "most value" else -1.0)
            row["value not asked"] = float(one.way == "most value" and asked <= 0.0)
            row["value refused"] = float(one.way == "most value" and asked < 0.0)
            at = self.found.signs[one.shown].at
            if one.way == "most" and (at is None or at[0] > self.found.extremes[0].start):
                row["value passed over"] = max(0.0, asked)
        if one.way == "cell":
            signs = self.found.signs[one.shown]
            row["cell weak"] = max(0.0, 0.6 - signs.all)
            row["cell key"] = float(one.shown == self.sketch.key)
        self._filtered(one, row)

    def _filtered(self, one: PlanCandidate, row: dict[str, float]) -> None:
        """Enter what the conditions do: to which rows they lead, and whether all is heeded."""
        row["no filter"] = float(not one.conditions.filters)
        key = [f for f in one.conditions.filters if f.column == self.sketch.key]
        row["key filter"] = float(bool(key))
        single = any(
            f.op.value == "=" and self.sketch.column(f.column).is_unique
            for f in one.conditions.filters
        )
        row["one row"] = float(single)
        row["one row worked"] = float(single and (bool(one.plan.aggregates) or bool(one.measure)))
        is_not = any(f.op.value in ("!=", "not in") or f.value is False for f in one.plan.filters)
        row["negated"] = float(is_not and bool(self.found.negated))
        row["negation unused"] = float(bool(self.found.negated) and not is_not)
        if one.way in (*_WINNERS, "more", "group more", "across more"):
            less = asks_less(self.found.text, dated=self._is_dated(one.measure))
            row["order less"] = 1.0 if less is not one.descending else -1.0
        elif one.way.startswith("most") and one.measure and self.found.extremes:
            dated = self._is_dated(one.measure)
            same = one.descending is self.found.extremes[0].descends(dated=dated)
            row["order less"] = 1.0 if same else -1.0

    def _is_dated(self, name: str) -> bool:
        return bool(name) and self.sketch.column(name).is_dated

    def _words(self, one: PlanCandidate, row: dict[str, float]) -> None:
        """Enter the words that a plan leaves without a meaning."""
        columns = {one.measure, one.shown, one.group, *one.conditions.columns} - {""}
        of_rows = one.way == "count" and self.sketch.tells_apart(
            self.sketch.column(self.sketch.key)
        )
        counts = self.sketch.key if of_rows else ""
        lost = self.coverage.lost(one.conditions.parts, columns, counts=counts)
        count = max(1, len(self.coverage.content))
        row["lost"], row["lost share"] = lost.words, lost.words / count
        row["lost names"], row["korean lost"] = lost.names, lost.korean
        row["lost values"] = lost.values
        row["lost sources"] = float(self.coverage.sources)
        if FAMILIES[one.way] == "count":
            row["counted lost"] = lost.counted
        row["lost elsewhere"] = lost.elsewhere
        row["lost unfiltered"] = 0.0 if one.conditions.filters else lost.words
        row["card"] = self.sketch.card
        row["card behind"] = max(0.0, self.best_card - self.sketch.card)
        row["words"] = len(self.found.words) / 10
        row["own"], row["own share"] = float(self.coverage.own), self.coverage.own / count
