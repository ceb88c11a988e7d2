"""A stretch of Markdown without the signs round it: the words of a bold, linked or coded cell."""

from __future__ import annotations

from weft.domain.document import Span
from weft.language.patterns import pattern
from weft.language.sentences import stripped

_SIGNS = "*_`~ \t"
_LINKED = pattern(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{0,500}\)")


def bare(text: str, span: Span) -> Span:
    """Return a span without the white space, emphasis, code signs and link round its words."""
    span = _unsigned(text, span)
    linked = _LINKED.fullmatch(text, span.start, span.end)
    if linked is None:
        return span
    return _unsigned(text, Span(start=linked.start(1), end=linked.end(1)))


def _unsigned(text: str, span: Span) -> Span:
    inner = stripped(text, span)
    start, end = inner.start, inner.end
    while start < end and text[start] in _SIGNS:
        start += 1
    while start < end and text[end - 1] in _SIGNS:
        end -= 1
    # `__init__` and `*args` are words as they stand.
    return Span(start=start, end=end) if _is_round(text, inner, start=start, end=end) else inner


def _is_round(text: str, span: Span, *, start: int, end: int) -> bool:
    """Tell whether the same signs stand before and behind."""
    before = text[span.start : start].replace(" ", "")
    behind = text[end : span.end].replace(" ", "")
    return bool(end > start) and before == behind[::-1]
