"""Answers computed over the rows of tables: counts, lists, the greatest, the smallest, ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.domain.notes import note
from weft.language.patterns import pattern
from weft.language.terms import fold
from weft.offline.evidence.found import FoundEvidence
from weft.offline.question.roles import language_of
from weft.offline.tables.accounting import account
from weft.offline.tables.binding import Bound, bind
from weft.offline.tables.comparing import ends, pair, winner
from weft.offline.tables.findings import OPEN, THAN, WHO, Finding
from weft.offline.tables.records import Quote, Table
from weft.offline.tables.spots import Use
from weft.offline.tables.tallying import count, list_all
from weft.verification.support import assess, enclosing

MOST_QUOTES = 12
_MOST_SHORT = 300
_COUNTS = pattern(r"\bhow many\b|\bnumber of\b|몇\s?(?:명|개|곳|건|대|가지|팀|군데)", re.I)
_OPENING = pattern(r"^\W*(?:in|into|on|onto|at|to|from|by|for|with|of|under) ", re.IGNORECASE)
_CLAUSE = pattern(
    r"(?<=\w)[ ,]+(?:who|whose|whom|that|which)\b(?! of\b)|\b(?:when|why)\b", re.IGNORECASE
)
_THAT_OF = pattern(r"\bthan (?:that|those)\b(?: of\b)?", re.IGNORECASE)
_NOT = pattern(r"\b(?:not|no|never|without|except|neither|nor)\b|n['’]t\b|않|없|아닌|제외", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """An answer computed over rows: what it is, the rows that it stands on, and notes on it."""

    short: str
    quotes: tuple[Quote, ...]
    notes: tuple[str, ...] = ()


def work_out(
    text: str,
    tables: Iterable[Table],
    *,
    book: FoundEvidence,
    organisation: Callable[[str], bool],
) -> Worked | None:
    """Return the computed answer of a question that goes over rows, None where there is none.

    Where two tables that fit as well give other answers, that which has all of the others' counts;
    where neither has, nothing does.
    """
    if _NOT.search(text) or _is_nested(text):
        return None
    found: list[Finding] = []
    for table in tables:
        told = account(text, table, organisation=organisation)
        bound = bind(told) if told is not None else None
        if bound is not None:
            found += [one] if (one := _answer(text, bound)) is not None else []
    best = _agreed(found)
    return _worked(text, best, book) if best is not None else None


def _answer(text: str, bound: Bound) -> Finding | None:
    if bound.account.of(Use.COMPARING):
        return pair(text, bound) if len(bound.values) == 2 else winner(bound)
    if not bound.rows or (THAN.search(text) and not bound.account.of(Use.FIGURE)):
        return None
    if bound.account.of(Use.RANGE):
        return ends(bound)
    if _COUNTS.search(text):
        return count(bound)
    return list_all(text, bound) if OPEN.search(text) or WHO.search(text) else None


def _is_nested(text: str) -> bool:
    """Tell whether a question describes something by way of something else."""
    return bool(_CLAUSE.search(_THAT_OF.sub(" ", _OPENING.sub("", text))))


def _agreed(found: Sequence[Finding]) -> Finding | None:
    """Return the finding that the others of its rank do not contradict."""
    first = min((one.rank for one in found), default=0)
    best = [one for one in found if one.rank == first]
    for one in best:
        own = set(map(fold, one.parts))
        if all(one.is_count is other.is_count for other in best) and all(
            set(map(fold, other.parts)) <= own for other in best
        ):
            return one
    return None


def _worked(text: str, best: Finding, book: FoundEvidence) -> Worked | None:
    parts = tuple(dict.fromkeys(best.parts))
    short = str(len(parts)) if best.is_count else ", ".join(parts)
    if not parts or len(short) > _MOST_SHORT:
        return None
    notes: list[str] = []
    said = language_of(text)
    if len(best.quotes) > MOST_QUOTES:
        shown = note("rows_shown", language=said, count=len(best.quotes), shown=MOST_QUOTES)
        notes.append(shown)
    if best.is_count:
        table = best.table
        counted = len(table.records)
        notes.append(note("counted", language=said, title=table.title, count=counted))
    quotes = (_whole(quote, book) for quote in best.quotes[:MOST_QUOTES])
    return Worked(short=short, quotes=tuple(dict.fromkeys(quotes)), notes=tuple(notes))


def _whole(quote: Quote, book: FoundEvidence) -> Quote:
    """Return a quotation that stands on its own: with the rest of its sentence where it needs it.

    A heading may be taken for the beginning of the sentence below it.
    """
    hit = book.hit(quote.evidence_id)
    at = hit.evidence.text.find(quote.text) if hit is not None else -1
    if hit is None or at < 0:
        return quote
    text, spans = hit.evidence.text, hit.evidence.sentences
    around = enclosing(text, Span(start=at, end=at + len(quote.text)), spans=spans)
    whole = text[around.start : around.end]
    return quote if assess(quote.text, whole).holds else replace(quote, text=whole)
