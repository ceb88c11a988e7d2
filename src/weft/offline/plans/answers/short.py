"""What a plan answers in a few words: a figure, cells, figures by group, yes or no."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any

from weft.language.cell_words import is_untold
from weft.language.hangul import has_hangul
from weft.language.patterns import needing_pattern, pattern
from weft.offline.plans.ways import Planned, PlanShape
from weft.retrieval.tables.cells import is_empty, quantity, truth, whole_day, without_marks
from weft.retrieval.tables.coding import key_of
from weft.retrieval.tables.naming import named_unit
from weft.retrieval.tables.plan import Filter, Op
from weft.retrieval.tables.query import written_figure
from weft.retrieval.tables.table import ColumnKind

_COMPARED = {
    Op.OVER: operator.gt,
    Op.AT_LEAST: operator.ge,
    Op.UNDER: operator.lt,
    Op.AT_MOST: operator.le,
}
# What is asked for by its kind, and what every such thing has.
_KINDS = (
    (
        needing_pattern(
            r"\b(?:(?:tele)?phone|mobile|fax) numbers?\b"
            r"|(?:전화|휴대폰|휴대전화|핸드폰|팩스)\s?번호",
            *("number", "번호"),
            flags=re.IGNORECASE,
        ),
        pattern(r"(?<![^\W_])\+?\d(?:[\s()/.-]{0,3}\d){2}"),  # 999 is one, A402 none
    ),
    (
        needing_pattern(
            r"\be-?mail address|이메일|메일\s?주소", "mail", "메일", flags=re.IGNORECASE
        ),
        pattern(r"[^\s@]@[^\s@]"),
    ),
)


def is_of_kind_asked(question: str, short: str) -> bool:
    """Tell whether what is told may be the telephone number or e-mail address that is asked for."""
    return all(
        has.search(short) or has.search(question) or not asks.search(question)
        for asks, has in _KINDS
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
            return _figure(rows, units, language)
        case PlanShape.GROUPS:
            return _groups(found, rows, units, language)
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
    if read is None or read.unit:
        return cell
    bare = without_marks(cell)
    return f"{bare}{unit}" if has_hangul(unit) else _with_unit(bare, unit)


def _is_untold(cell: str) -> bool:
    """Tell whether a cell only says that nothing is known; "NA" may be a name, "none" an answer."""
    is_word = cell.isalpha() and (not cell.islower() or cell in _ANSWERS)
    return is_empty(cell) and not is_word


def _figure(rows: Sequence[Sequence[str]], units: Sequence[str], language: str) -> str:
    if not rows or not rows[0][0]:
        return ""
    return _with_unit(rows[0][0], units[0], language)


def _groups(
    found: Planned, rows: Sequence[Sequence[str]], units: Sequence[str], language: str
) -> str:
    if found.plan.limit:
        return ", ".join(row[0] for row in rows if row[0])
    # Amounts of which the size is left out are others: 3 for 3만.
    unit = units[-1] if language == "ko" or " " in units[-1] else ""
    told = ((row[0], _with_unit(row[-1], unit, language)) for row in rows if row[0])
    return ", ".join(f"{name}: {figure}" for name, figure in told)


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
        holds = _are_same(rows[0][0], found.named[0])
    words = ("예", "아니오") if language == "ko" else ("yes", "no")
    return words[0] if holds else words[1]


def _are_same(cell: str, named: str) -> bool:
    """Tell whether a cell is what is named, which may be a figure in another spelling: a year."""
    figure, other = quantity(cell), quantity(named)
    if figure is not None and other is not None:
        return figure.value == other.value
    return key_of(cell) == key_of(named)


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
    return _with_unit(written_figure(abs(held[0] - held[1])), units[-1], language)


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


def _with_unit(figure: str, unit: str, language: str = "en") -> str:
    if language == "ko" and (korean := _in_korean(figure, unit)):
        return korean
    if not unit:
        return figure
    spelt = unit.upper() if len(unit) == 3 and unit.isalpha() and unit in _MONEY else unit
    return f"{figure}{spelt}" if unit == "%" else f"{figure} {spelt}"


def _in_korean(figure: str, unit: str) -> str:
    """Return an amount as Korean writes it, 12,000만원 or 36대; nothing where its unit is none."""
    size, _, of = unit.rpartition(" ")
    counted = "원" if of == "krw" else of
    if size not in _SIZES or not has_hangul(counted):
        return ""
    if not size and counted == "원":
        return f"{round(float(figure)):,}원"  # there is nothing below a won
    whole, point, places = figure.partition(".")
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{int(whole.removeprefix('-')):,}{point}{places}{_SIZES[size]}{counted}"


# How large a figure's unit is, as the tool says it and in Korean.
_SIZES = {"": "", "×1000": "천", "million": "백만", "billion": "십억"} | {
    one: one for one in "만억조"
}
_MONEY = frozenset({"eur", "usd", "gbp", "krw", "jpy", "chf", "cad", "aud", "cny", "inr"})
