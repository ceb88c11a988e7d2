"""The words of rows that a plan's answer stands on, each as it is written."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from weft.domain.frozen import dataclass
from weft.language.markup import pieces_of
from weft.offline.plans.ways import Planned
from weft.retrieval.tables.cells import day
from weft.retrieval.tables.plan import Filter
from weft.retrieval.tables.rows.written import cells_of

_LONGEST_QUOTE = 600
# Lines that are quoted of a row that is longer; of one with months side by side a year of them.
_MOST_LINES, _MOST_OF_SERIES = 4, 13


@dataclass(frozen=True, slots=True, kw_only=True)
class RowQuote:
    """Words of a row as they stand in the evidence of that id."""

    evidence_id: str
    text: str


def quotes_of(reply: Mapping[str, Any], found: Planned) -> list[RowQuote]:
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
