"""Quotations: where a text stands in another, and whether it was cut out fairly.

A quotation that leaves out the "not", the "if" or the "according to" of its sentence, or half of
one of its phrases, is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from weft.domain.document import Span
from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.markup import plain, unmarked
from weft.language.numerals import SCALES
from weft.language.patterns import korean_pattern, pattern
from weft.language.sentences import whole_sentences
from weft.verification.lexicon import lexicon
from weft.verification.omission import JOINING, bearing, is_guarded, narrows
from weft.verification.wording import Word, WordKind, read_words

_CUT_BEFORE = pattern(r"[A-Za-z0-9_][A-Za-z0-9_]$|\d[.,:/]\d$|[-+<>=]\d$")
_CUT_AFTER = pattern(r"[A-Za-z0-9_][A-Za-z0-9_]|\d[.,:/-]\d|\d%")
_CUT_BEFORE_KOREAN = korean_pattern(rf"[{SYLLABLES}]{{2}}$")
_CUT_AFTER_KOREAN = korean_pattern(rf"[{SYLLABLES}0-9][{SYLLABLES}]")
_OPENS = pattern(r"[,;:()\[\]\"“”—–.!?。*•#>|-]\s*$|^\s*$")
_CLOSES = pattern(r"^\s*[,;:()\[\]\"“”—–.!?。…|'-]|^\s*$")
_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-",
     "−": "-", "‑": "-", "‐": "-", "\u00ad": None, "\u200b": None, "\u200d": None, "\ufeff": None}
)  # fmt: skip


def find_quotation(sentence: str, text: str) -> Span | None:
    """Return where `sentence` stands in `text`, or None: spaces and kinds of quotes apart.

    Where it does not stand as it is written, it may stand as both are read: without the signs of
    Markdown and the like, none of which is a word. Where it stands more than once, a place where
    it is cut out fairly comes first.
    """
    found = list(_places(sentence, text)) or list(_places_as_read(sentence, text))
    fair = (span for span in found if is_fair(text, span))
    return next(fair, found[0] if found else None)


def enclosing(text: str, span: Span, *, spans: Sequence[Span] = ()) -> Span:
    """Return the span of the whole sentences of `text` that `span` touches.

    `spans` are the sentences of `text`, found here when not given.
    """
    whole = spans or whole_sentences(text)
    touched = [s for s in whole if s.start < span.end and span.start < s.end]
    if not touched:
        return span
    return Span(start=min(span.start, touched[0].start), end=max(span.end, touched[-1].end))


def is_fair(text: str, span: Span) -> bool:
    """Tell whether what is left out of the sentences around a span takes nothing from it."""
    whole = enclosing(text, span)
    before, after = text[whole.start : span.start], text[span.end : whole.end]
    if not before.strip() and not after.strip():
        return True  # nothing is left out
    left, right = read_words(before), read_words(after)
    clause = re.match(r"\s*[,;]", after)
    if narrows(right) or _guards(left) or _guards(bearing(right) if clause else right):
        return False
    quoted = read_words(text[span.start : span.end])
    if right and not _CLOSES.match(after) and _is_counted(quoted, right[0]):
        return False
    if quoted and not any(word.kind in (WordKind.WORD, WordKind.FILLER) for word in quoted):
        return True
    return _begins_fairly(before, left) and _ends_fairly(after, right)


def normalise(text: str) -> tuple[str, list[int]]:
    """Return a text in NFKC with plain quotes and single spaces, and each character's old place.

    The list has one more entry than the text: the place after the last character.
    """
    kept: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for plainer in _plainer(char):
            blank = plainer.isspace()
            if blank and (not kept or kept[-1] == " "):
                continue
            kept.append(" " if blank else plainer)
            places.append(place)
    while kept and kept[-1] == " ":
        kept.pop()
        places.pop()
    places.append(places[-1] + 1 if places else 0)
    return "".join(kept), places


@lru_cache(maxsize=8192)
def _plainer(char: str) -> str:
    return unicodedata.normalize("NFKC", char).translate(_QUOTES)


def _places(sentence: str, text: str) -> Iterator[Span]:
    wanted, _ = normalise(sentence.strip())
    if not wanted:
        return
    said, places = normalise(text)
    at = said.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if _is_whole(said, at, end):
            yield Span(start=places[at], end=places[end - 1] + 1)
        at = said.find(wanted, at + 1)


def _places_as_read(sentence: str, text: str) -> Iterator[Span]:
    """Yield where a sentence stands in a text when the signs of both are left out."""
    claim, read = plain(sentence), unmarked(text)
    if (claim, read.text) == (sentence, text):
        return
    kept = set(read.places)
    for span in _places(claim, read.text):
        start, end = read.places[span.start], read.places[span.end - 1] + 1
        # With the signs that go with its first and last word: half a link is none.
        while start > 0 and start - 1 not in kept and not text[start - 1].isspace():
            start -= 1
        while end < len(text) and end not in kept and not text[end].isspace():
            end += 1
        yield Span(start=start, end=end)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Tell whether a range neither begins nor ends inside a word or a number."""
    before, after = text[max(0, start - 2) : start + 1], text[end - 1 : end + 2]
    if start > 0 and (_CUT_BEFORE.search(before) or _CUT_BEFORE_KOREAN.search(before)):
        return False
    return not _CUT_AFTER.match(after) and not _CUT_AFTER_KOREAN.match(after)


def _guards(words: Sequence[Word]) -> bool:
    return any(is_guarded(word) for word in words)


def _is_counted(quoted: Sequence[Word], after: Word) -> bool:
    """Tell whether a quotation ends with a figure whose unit or magnitude is cut off."""
    if not quoted or quoted[-1].kind is not WordKind.NUMBER:
        return False
    known = lexicon()
    return after.form in known.measures or after.form in SCALES


def _begins_fairly(before: str, left: Sequence[Word]) -> bool:
    joins = bool(left) and left[-1].broken and left[-1].form in JOINING
    return joins or bool(_OPENS.search(before))


def _ends_fairly(after: str, right: Sequence[Word]) -> bool:
    if _CLOSES.match(after) or not right:
        return True
    follows = right[0]
    small = follows.kind is WordKind.RELATION or lexicon().has("relatives", follows.form)
    return small and not has_hangul(follows.surface)
