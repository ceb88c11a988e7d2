"""The answer of a plan: in short, the rows that it stands on, how it was worked out."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from weft.agents.toolbox import RuleTools
from weft.agents.tools.manifests import TABLE_QUERY
from weft.domain.answer import AnswerColumn, AnswerTable
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.domain.outside.written import fields_of
from weft.language.cell_words import is_untold
from weft.language.hangul import has_hangul
from weft.language.markup import pieces_of
from weft.offline.plans.choosing import RankedPlan, log_chances, plan_scorer, ranked_plans
from weft.offline.plans.features import result_features
from weft.offline.plans.reading import read_plans
from weft.offline.plans.sketch import sketch_of
from weft.offline.plans.ways import Planned, PlanShape
from weft.offline.units.question import Doubles
from weft.ports.embedder import CrossReader
from weft.retrieval.tables.cells import REMARKED, day, is_empty, quantity, truth, whole_day
from weft.retrieval.tables.coding import key_of
from weft.retrieval.tables.naming import named_unit
from weft.retrieval.tables.plan import Filter, Op
from weft.retrieval.tables.query import written_figure
from weft.retrieval.tables.source.written import cells_of
from weft.retrieval.tables.table import ColumnKind

MOST_ROWS = 20
_MOST_TRIED, _HARDLY = 8, 0.05
_COMPARED = {
    Op.OVER: operator.gt,
    Op.AT_LEAST: operator.ge,
    Op.UNDER: operator.lt,
    Op.AT_MOST: operator.le,
}
_MOST_SHORT = 300
_FEWEST_ROWS = 2
_LONGEST_QUOTE = 600
# Lines that are quoted of a row that is longer; of one with months side by side a year of them.
_MOST_LINES, _MOST_OF_SERIES = 4, 13


@dataclass(frozen=True, slots=True, kw_only=True)
class RowQuote:
    """Words of a row as they stand in the evidence of that id."""

    evidence_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAnswer:
    """An answer worked out over rows: what it is, the rows that it stands on, and notes on it.

    `chance` is how likely the plans that give it are, from 0 to 1.
    """

    short: str
    quotes: tuple[RowQuote, ...]
    notes: tuple[str, ...] = ()
    table: AnswerTable | None = None
    chance: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """A plan that was run: its answer, if it gave one, and its score with how that looks."""

    answer: TableAnswer | None
    score: float


async def answer_from_tables(
    question: str,
    tools: RuleTools,
    *,
    told: Sequence[Mapping[str, Any]],
    reader: CrossReader | None = None,
) -> TableAnswer | None:
    """Return what some tables, as told, most likely answer; whether to tell it is the caller's.

    The likeliest plans are read together with the question where there is a reader, and run, since
    what a plan gives tells as well whether it was meant; plans that give the same count together.
    """
    sketches = [sketch_of(item) for item in told]
    found = await asyncio.to_thread(ranked_plans, question, sketches)
    if not found.plans:
        return None
    rows = np.stack([*(one.features for one in found.plans), found.none])
    scores = plan_scorer().scores(rows)
    read = await asyncio.to_thread(read_plans, question, found.plans, scores=scores, reader=reader)
    tried: list[_Tried] = []
    left = 1.0 - float(np.exp(read[-1]))
    for at in [int(n) for n in np.argsort(-read[:-1], kind="stable")[:_MOST_TRIED]]:
        if left < _HARDLY:
            break
        left -= float(np.exp(read[at]))
        one = found.plans[at]
        reply = await tools.use(TABLE_QUERY, **fields_of(one.planned.plan))
        answer = _answer(question, one.planned, reply) if reply else None
        looks = looks_of(one, reply, short=answer.short) if answer is not None else 0.0
        # How it looks counts beside what was read.
        gained = float(plan_scorer().scores((one.features + looks)[np.newaxis])[0] - scores[at])
        tried.append(_Tried(answer=answer, score=float(read[at]) + gained))
    return _likeliest(tried, none=float(read[-1]))


def looks_of(one: RankedPlan, reply: Mapping[str, Any], *, short: str) -> Doubles:
    """Return float64[features] of what a plan's answer looks like."""
    return result_features(
        one.candidate,
        one.planned.sketch,
        total=int(reply["total"]),
        counted=int(reply["counted"]),
        short=short,
    )


def _likeliest(tried: Sequence[_Tried], *, none: float) -> TableAnswer | None:
    """Return the answer that most of the likelihood is for."""
    shares = np.exp(log_chances(np.array([*(one.score for one in tried), none])))
    sums: dict[str, float] = {}
    answers: dict[str, TableAnswer] = {}
    for one, share in zip(tried, shares, strict=False):
        # A plan that gives nothing is as likely meant as before: then nothing is the answer.
        if one.answer is not None:
            said = one.answer.short.casefold()  # two tables may write the same in two ways
            answers.setdefault(said, one.answer)
            sums[said] = sums.get(said, 0.0) + float(share)
    best = max(sums, key=lambda said: sums[said], default="")
    return replace(answers[best], chance=sums[best]) if best else None


def _answer(question: str, found: Planned, reply: Mapping[str, Any]) -> TableAnswer | None:
    language = "ko" if has_hangul(question) else "en"
    short = short_of(found, reply, language=language)
    if not short or len(short) > _MOST_SHORT:
        return None
    quotes = tuple(dict.fromkeys(_quotes(reply, found)))
    if not quotes:
        return None
    notes = [note("planned", language=language, plan=reply["plan"], count=reply["whole"])]
    shown = len(reply["cites"])
    # Several months of a row are one row that is written.
    is_once = found.sketch.is_series and shown < MOST_ROWS
    if reply["counted"] > shown and not is_once:
        notes.append(note("rows_shown", language=language, count=reply["counted"], shown=shown))
    if reply["dirty"]:
        notes.append(note("cells_left_out", language=language, count=reply["dirty"]))
    if reply["bare"]:
        notes.append(note("cells_without_unit", language=language, count=reply["bare"]))
    return TableAnswer(
        short=short, quotes=quotes[:MOST_ROWS], notes=tuple(notes), table=_table(reply)
    )


def _table(reply: Mapping[str, Any]) -> AnswerTable | None:
    """Return the rows of a reply where they are more than the short answer says."""
    rows = tuple(tuple(map(str, row)) for row in reply["rows"])
    if len(rows) < _FEWEST_ROWS:
        return None
    return AnswerTable(
        plan=str(reply["plan"]),
        columns=tuple(
            AnswerColumn(
                name=str(one["name"]), type=str(one.get("kind", "text")), unit=str(one["unit"])
            )
            for one in reply["columns"]
        ),
        rows=rows,
        total=int(reply["total"]),
    )


def short_of(found: Planned, reply: Mapping[str, Any], *, language: str) -> str:
    """Return the answer in a few words; empty where the plan gave none."""
    rows, figures = reply["rows"], reply["figures"]
    units = [column.get("unit", "") for column in reply["columns"]]
    match found.shape:
        case PlanShape.WHETHER:
            return _whether(found, reply, language)
        case PlanShape.WINNER | PlanShape.MORE:
            return _first_of_two(found, rows, figures, language)
        case PlanShape.DIFFERENCE:
            return _difference(found, reply, language)
        case PlanShape.FIGURE:
            return _figure(rows, units)
        case PlanShape.GROUPS:
            return _groups(found, rows)
        case _:
            return _cells(found, rows, reply)


# Small words that say how many there are, and not that nobody knows.
_ANSWERS = frozenset({"none", "nil"})


def _cells(found: Planned, rows: Sequence[Sequence[str]], reply: Mapping[str, Any]) -> str:
    """Return the cells that are asked for: of the first column, or of all where rows are named."""
    if not rows or reply["total"] > len(rows):
        return ""
    extreme = bool(found.plan.order_by)
    width, names = len(found.plan.columns), [column["name"] for column in reply["columns"]]
    if found.is_called:
        told = [f"{row[1]} ({row[0]})" if row[1] else row[0] for row in rows]
    elif width > 1 and not extreme:
        cells = [zip(names, row, strict=True) for row in rows]
        told = [", ".join(f"{name}: {cell}" for name, cell in row if cell) for row in cells]
    else:
        told = [_in_unit_of(row[0], names[0]) for row in rows]
    if found.tells_measure:
        far = (_in_unit_of(row[-1], names[-1]) for row in rows)
        told = [", ".join(both) for both in zip(told, far, strict=True)]
    told = [one for one in dict.fromkeys(told) if one and not _is_untold(one)]
    first = found.sketch.columns.get(found.plan.columns[0])
    if width == 1 and first is not None and (first.is_figured or not first.is_worded):
        is_none = is_empty if first.kind is ColumnKind.TRUTH else is_untold
        told = [one for one in told if not (is_empty(one) or is_none(one))]  # "NA" is no figure
    is_plain = (width == 1 or extreme) and not any(", " in one for one in told)
    return (", " if is_plain else "; ").join(told)


def _in_unit_of(cell: str, column: str) -> str:
    """Return a cell with the unit that its column's name has, where it is a bare number."""
    unit = named_unit(column)
    read = quantity(cell) if unit else None
    return _with_unit(cell.strip(REMARKED), unit) if read is not None and not read.unit else cell


def _is_untold(cell: str) -> bool:
    """Tell whether a cell only says that nothing is known; "NA" may be a name, "none" an answer."""
    is_word = cell.isalpha() and (not cell.islower() or cell in _ANSWERS)
    return is_empty(cell) and not is_word


def _figure(rows: Sequence[Sequence[str]], units: Sequence[str]) -> str:
    if not rows or not rows[0][0]:
        return ""
    return _with_unit(rows[0][0], units[0])


def _groups(found: Planned, rows: Sequence[Sequence[str]]) -> str:
    if found.plan.limit:
        return ", ".join(row[0] for row in rows if row[0])
    return ", ".join(f"{row[0]}: {row[-1]}" for row in rows if row[0])


def _first_of_two(
    found: Planned,
    rows: Sequence[Sequence[str]],
    figures: Sequence[Sequence[float | None]],
    language: str,
) -> str:
    """Return the row that comes first, or whether it is the one that is named first."""
    held = _two_figures(found, figures)
    if held is None or held[0] == held[1]:
        return ""
    if found.across:
        is_first = (held[0] > held[1]) is not found.is_less
        if found.shape is PlanShape.WINNER:
            return found.across[0] if is_first else found.across[1]
        holds = is_first
    elif found.shape is PlanShape.WINNER:
        return rows[0][0]
    else:
        holds = rows[0][0] == found.named[0]
    words = ("예", "아니오") if language == "ko" else ("yes", "no")
    return words[0] if holds else words[1]


def _two_figures(
    found: Planned, figures: Sequence[Sequence[float | None]]
) -> tuple[float, float] | None:
    """Return what is compared: the last figure of each of two rows, or two figures of one row."""
    held = [row[-1] for row in figures]
    if found.across:
        held = list(figures[0]) if len(figures) == 1 else []
    if len(held) != 2 or held[0] is None or held[1] is None:
        return None
    return held[0], held[1]


def _difference(found: Planned, reply: Mapping[str, Any], language: str) -> str:
    """Return how far two figures or days are apart; nothing where they went the other way."""
    units = [column.get("unit", "") for column in reply["columns"]]
    held = _two_figures(found, reply["figures"])
    if held is None:
        return ""
    shown = found.plan.columns
    if shown and not found.across and found.sketch.column(shown[-1]).kind is ColumnKind.DATE:
        days = [whole_day(int(one)) for one in held]
        if days[0] is None or days[1] is None:
            return ""
        return f"{abs((days[1] - days[0]).days)}{'일' if language == 'ko' else ' days'}"
    if found.rises is not None and found.rises is not (held[1] > held[0]):
        return ""
    return _with_unit(written_figure(abs(held[0] - held[1])), units[-1])


def _whether(found: Planned, reply: Mapping[str, Any], language: str) -> str:
    """Return whether the row that is named has what is asked, or that there are such rows."""
    rows = reply["rows"]
    if not rows:
        return ""  # that nothing was found is no answer by itself
    words = ("예", "아니오") if language == "ko" else ("yes", "no")
    wanted = found.expected
    if wanted is None:
        return words[0]
    if len(rows) != 1:
        return ""
    names = [column["name"].casefold() for column in reply["columns"]]
    cell = rows[0][names.index(wanted.column.casefold())]
    holds = _holds(cell, wanted)
    return "" if holds is None else words[0] if holds else words[1]


def _holds(cell: str, wanted: Filter) -> bool | None:
    """Tell whether a cell is what is asked for; None where that cannot be told."""
    if isinstance(wanted.value, bool):
        said = truth(cell)
        return None if said is None else said is wanted.value
    if wanted.op in _COMPARED:
        figure, than = quantity(cell), quantity(str(wanted.value))
        if figure is None or than is None or than.unit not in ("", figure.unit):
            return None
        return bool(_COMPARED[wanted.op](figure.value, than.value))
    if wanted.op not in (Op.IS, Op.IS_NOT, Op.AMONG, Op.NOT_AMONG):
        return None
    values = wanted.value if isinstance(wanted.value, list) else [wanted.value]
    same = key_of(cell) in {key_of(str(value)) for value in values}
    return same is (wanted.op in (Op.IS, Op.AMONG))


def _labels(line: str) -> set[str]:
    """Return what a line is labelled with, several times maybe, without the signs of its format.

    A row between bars is with its first cell.
    """
    if line.startswith("|"):
        return {cells_of(line)[0].casefold()}
    return {one.partition(":")[0].strip("*_-#• \t").casefold() for one in pieces_of(line)}


def _is_gone_by(line: str, found: Planned, names: Set[str]) -> bool:
    """Tell whether a plan goes by what a line is labelled with, or by months that it is one of."""
    labels = _labels(line)
    filters = found.plan.filters if found.sketch.is_series else ()
    return bool(labels & names) or any(_names_one(at, one) for at in labels for one in filters)


def _names_one(label: str, condition: Filter) -> bool:
    """Tell whether a label names what a condition does, or a month from its first to its last."""
    values = condition.value if isinstance(condition.value, list) else [condition.value]
    own, days = day(label), [day(str(one)) for one in values]
    known = [one for one in days if one is not None]
    if own is not None and len(known) == len(values):
        return min(known) <= own <= max(known)
    return any(str(one).casefold() in label.split() for one in values)


def _with_unit(figure: str, unit: str) -> str:
    if not unit:
        return figure
    spelt = unit.upper() if len(unit) == 3 and unit.isalpha() and unit in _MONEY else unit
    return f"{figure}{spelt}" if unit == "%" else f"{figure} {spelt}"


_MONEY = frozenset({"eur", "usd", "gbp", "krw", "jpy", "chf", "cad", "aud", "cny", "inr"})


def _quotes(reply: Mapping[str, Any], found: Planned) -> list[RowQuote]:
    """Return the words of the rows; of a long record the lines of what the plan goes by."""
    texts = {item["id"]: item["text"] for item in reply["evidence"]}
    used = {one.column for one in found.plan.filters} | set(found.plan.columns)
    used |= {one.column for one in found.plan.aggregates}
    used |= {one.column for one in found.plan.order_by}
    used |= {found.sketch.key, *found.plan.group_by}
    quotes: list[RowQuote] = []
    for cite in reply["cites"]:
        text = str(texts[cite["id"]][cite["start"] : cite["end"]]).strip()
        if len(text) > _LONGEST_QUOTE:
            names = {name.casefold() for name in used}
            first, *others = text.split("\n")
            # What the things of a turned table are called stands in its first line.
            lines = [first] if first.startswith("|") else []
            lines += [line for line in (first, *others) if _is_gone_by(line, found, names)]
            most = _MOST_OF_SERIES if found.sketch.is_series else _MOST_LINES
            quotes += [RowQuote(evidence_id=cite["id"], text=line) for line in lines[:most]]
        elif text:
            quotes.append(RowQuote(evidence_id=cite["id"], text=text))
    return quotes
