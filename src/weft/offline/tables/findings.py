"""What one table answers, and whether it may: what is asked for, and of how much of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern
from weft.offline.tables.accounting import Account
from weft.offline.tables.binding import Bound
from weft.offline.tables.records import Quote, Table, TableRecord
from weft.offline.tables.spots import Spot, Use

OPEN = pattern(
    r"\b(?:which|what|who|whose)\b|^\s*(?:list|name|show|give)\b|목록|나열|어느|어떤|누구|누가|무엇|뭐",
    re.I,
)
THAN = pattern(r"\bthan\b|보다", re.I)
WHO = pattern(r"\b(?:who|whom|whose|where)\b|누구|누가|어디", re.I)
_ASKING = frozenset({"many", "which", "what", "어떤", "어느"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one table gives: the parts of the answer, what they stand on, how well it fits.

    Of a count the parts are what is counted. A smaller `rank` fits better.
    """

    parts: tuple[str, ...]
    is_count: bool
    table: Table
    rank: int
    quotes: tuple[Quote, ...]


def finding(
    bound: Bound,
    parts: Sequence[str],
    *,
    rows: Sequence[TableRecord],
    names: Sequence[str] = (),
    is_count: bool = False,
) -> Finding:
    """Return what some records answer, with the words of the fields that it goes by."""
    table = bound.account.table
    wanted = {*bound.conditions, *names} - {""}
    quotes: dict[Quote, None] = {}
    for row in rows:
        own = [one.quote for one in row.fields if one.name in wanted] or list(row.quotes[:1])
        quotes.update(dict.fromkeys(own))
    return Finding(
        parts=tuple(parts),
        is_count=is_count,
        table=table,
        rank=0 if bound.account.of(Use.TABLE) else 1,
        quotes=tuple(quotes),
    )


def head_of(account: Account) -> Spot | None:
    """Return what is asked for: what stands behind "which" or "how many", or before 몇."""
    whole = [spot for spot in account.spots if spot.use not in (Use.SMALL, Use.CLASS)]
    for at, word in enumerate(account.words):
        if word.key in _ASKING:
            return next((spot for spot in whole if spot.first > at), None)
        if word.key.startswith("몇"):
            return next((spot for spot in reversed(whole) if spot.last < at), None)
    return whole[0] if whole else None


def is_whole(bound: Bound) -> bool:
    """Tell whether a table has all that it is about: a list in a text says how many there are."""
    table = bound.account.table
    return not table.is_partial and (table.announced or not table.is_labelled)


def is_meant(bound: Bound) -> bool:
    """Tell whether a table may be taken for all people: only where the question names it.

    A directory need not have everybody who works somewhere.
    """
    head = head_of(bound.account)
    people = head is None or head.use is Use.PERSON
    return bool(bound.account.of(Use.TABLE)) or not (bound.account.table.is_personal and people)
