"""Sentences as spans of a text, found by rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.domain.document import Span
from weft.language import months
from weft.language.patterns import pattern

LONGEST = 600

# A line that opens an item, a table row, a heading, a quotation or a block of code.
_OPENS = pattern(
    r"[ \t]*(?:\||#{1,6}[ \t]|```|~~~|>[ \t]"
    r"|(?:[-*+•‣·]|\d{1,3}[.)]|\([a-zA-Z0-9]{1,3}\)|[a-z]\))[ \t]+\S)"
)
# A line after which nothing goes on: rows, headings, fences, rules.
_CLOSES = pattern(r"[ \t]*(?:\||#{1,6}[ \t]|```|~~~|([=\-~^\"*#+_.:])\1{2,}[ \t]*$)")
_BAR = " | "
_ROW = pattern(r"\s*\|[^\n]*\|\s*")
# The first is a letter of ASCII or anything from `À` to U+FFFF: told so, it compiles in a hundredth
# of the time that the set itself takes.
_FIELD = pattern(r"(?![\U00010000-\U0010ffff])[^\x00-@\[-`{-\xbf][\w .\-/()]{0,40}:(?:[ \t]|$)")
_END = pattern(
    r"""(?<![.!?…])[.!?…]++["'”’»)\]*_]*+(?=(\s+)(?:["'“‘«(\[*_]*)(.))"""
    r"""|[。？！]+["'”’」』）]*"""
)
_WORD_BEFORE = pattern(r"[^\s(\[\"'“‘]+$")
_INITIALS = pattern(r"(?:[^\W\d_]\.)+")
_ABBREVIATIONS = months.ABBREVIATED.union(
    "approx assoc ave bros ca capt cf co col corp dept dr ed eds est etc gen gov hon inc jr lt ltd "
    "maj messrs mr mrs ms mt prof rep rev sen sgt sr st ste univ v vs viz "
    "e.g i.e a.m p.m u.s u.k u.n e.u d.c ph.d b.a m.a al".split()
)
# These are abbreviations before a number, and else may be words.
_NUMBERED = frozenset("app art ch eq eqs fig figs no nos nr op p para pp sec vol vols".split())
# These end a sentence more often than not when a capital letter follows.
_EITHER = frozenset({"etc", "al", "a.m", "p.m", "ph.d"})
_CLAUSE = pattern(r"[;:,)\]、，；：—–]\s|\n|[、，；：]")


def sentences(text: str) -> tuple[Span, ...]:
    """Return the sentences of `text` in order, stripped, at most 600 characters each.

    Together they hold every character that is not white space. A line break inside a paragraph ends
    none; blank lines, items, rows, headings and neighbouring fields do.
    """
    return tuple(part for span in whole_sentences(text) for part in _shortened(text, span))


def whole_sentences(text: str) -> tuple[Span, ...]:
    """Return the same sentences, however long they are."""
    found = (
        stripped(text, sentence)
        for start, end in _stretches(text)
        for sentence in _within(text, Span(start=start, end=end))
    )
    return tuple(span for span in found if span.start < span.end)


def stripped(text: str, span: Span) -> Span:
    """Return a span without the white space at its ends; an empty one if there is nothing else."""
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start=start, end=end)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text between line breaks that end a sentence."""
    start = at = 0
    line = ""
    in_fields = False
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        before, line = line, text[at:end]
        is_field = _FIELD.match(line) is not None
        if at > start and _breaks(before, line, fields=is_field and in_fields):
            yield start, at
            start = at
        in_fields = is_field or (in_fields and line[:1] in (" ", "\t"))
        at = end + 1
    yield start, len(text)


def _breaks(before: str, line: str, *, fields: bool) -> bool:
    if fields or not line.strip() or not before.strip():
        return True
    if before.count(_BAR) == line.count(_BAR) > 0:
        return True  # rows of a table without bars around it
    return _OPENS.match(line) is not None or _CLOSES.match(before) is not None


def _within(text: str, stretch: Span) -> Iterator[Span]:
    """Yield the sentences of a stretch, unstripped; a row is one, whatever its cells say."""
    at = stretch.start
    is_bare = (
        text.count(_BAR, stretch.start, stretch.end) > 1
        and "\n" not in text[stretch.start : stretch.end].strip()
    )
    if is_bare or _ROW.fullmatch(text, stretch.start, stretch.end):
        yield stretch
        return
    for mark in _END.finditer(text, at, stretch.end):
        before = text[max(at, mark.start() - 40) : mark.start()]
        if _ends(mark, before):
            yield Span(start=at, end=mark.end())
            at = mark.end()
    yield Span(start=at, end=stretch.end)


def _ends(mark: re.Match[str], before: str) -> bool:
    following = mark[2]
    if following is None:
        return True
    if following.islower():
        return False
    if mark[0][0] != "." or mark[0].startswith(".."):
        return True
    return _full_stop(before, following)


def ends_with_stop(text: str) -> bool:
    """Tell whether a text ends with the dot of a sentence, and not of an abbreviation."""
    return text.endswith(".") and not text.endswith("..") and _full_stop(text[:-1], "")


def _full_stop(before: str, following: str) -> bool:
    """Tell whether the dot after `before` ends a sentence: not in abbreviations and initials."""
    found = _WORD_BEFORE.search(before)
    if found is None:
        return True
    word = found[0]
    if word.isdigit() and not before[: found.start()].strip():
        return False  # the number of an item
    folded = word.casefold()
    if folded in _EITHER:
        return following.isupper()
    if folded in _NUMBERED:
        return not following.isdigit()
    if folded in _ABBREVIATIONS:
        return False
    return not _INITIALS.fullmatch(word + ".")


def _shortened(text: str, sentence: Span) -> Iterator[Span]:
    """Yield a sentence, in parts where it is too long: cut at a clause, else a word's end."""
    rest = sentence
    while rest.end - rest.start > LONGEST:
        cut = _cut(text, rest.start)
        part = stripped(text, Span(start=rest.start, end=cut))
        if part.start < part.end:
            yield part
        rest = stripped(text, Span(start=cut, end=rest.end))
    if rest.start < rest.end:
        yield rest


def _cut(text: str, start: int) -> int:
    limit = start + LONGEST
    clauses = _CLAUSE.finditer(text, start + LONGEST // 2, limit)
    clause = max((mark.end() for mark in clauses), default=0)
    if clause:
        return clause
    for at in range(limit, start, -1):
        if text[at].isspace():
            return at
    return limit
