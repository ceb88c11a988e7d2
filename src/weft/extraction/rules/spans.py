"""Spans of capitalised words and quoted titles: where a name may stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weft.domain.frozen import dataclass
from weft.extraction.rules.casing import STARTERS, Casing
from weft.extraction.rules.literals import LiteralSpan
from weft.language import months
from weft.language.hangul import SCRIPT_BEGINS, SYLLABLES

_LINKS = frozenset("of de von van der den la le du da di dos del des el al bin ibn y zu".split())
_LINKING = _LINKS | {"of", "for", "and", "the", "a"}
# Only words that a name is made of: capitals, numbers, what links them, and iPhone.
_TOKEN = re.compile(
    rf"(?<![^\W_{SYLLABLES}])(?<![^\W_][-‑])"
    rf"(?=[^\W_a-z{SYLLABLES}]|[eix][A-Z]|(?:{'|'.join(sorted(_LINKING))})\b)"
    r"(?:(?:[^\W\d_]\.){2,}(?![^\W\d_])"
    rf"|[^\W_{SYLLABLES}]+"
    rf"(?:['’&](?=[^\W\d_]{{2}})[^\W_{SYLLABLES}]+|[-‑][^\W_{SYLLABLES}]+|\.(?:js|NET|com|org|io|ai)\b|\+\+|#)*)"
)
_AFTER_OF = frozenset({"the", "a"})
_JOINED_HEADS = frozenset(
    "department ministry bureau institute office committee school faculty council centre center"
    " society academy college commission board agency association museum university".split()
)
# `President of France` is a role and a place, `University of Oxford` one name.
_ROLES = frozenset(
    """
    president king queen emperor minister director ceo chairman chair governor mayor head member
    members son daughter one most some many part all south north east west secretary chief
    prince princess duke earl bishop archbishop commander captain city town village state
    capital professor ambassador
    """.split()
).union(months.MONTHS)
HONORIFICS = frozenset(
    """
    mr mrs ms miss dr prof professor sir president senator governor chancellor captain colonel
    lieutenant sergeant admiral congressman minister ceo chairman actor actress singer rapper
    author director producer footballer secretary ambassador commander mister madam lt col gen
    rev reverend
    """.split()
)
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr st jr sr prof gen lt col capt rev mt ft no sgt gov sen".split()
)
_TAILS = frozenset({"inc", "ltd", "llc", "corp", "co", "jr", "sr", "gmbh", "plc", "d.c."})
_CALENDAR = frozenset({*months.NUMBERS, *months.WEEKDAYS})
_QUOTED = re.compile(
    r"“([^“”\n]{2,80})”|(?<![A-Za-z0-9])\"(?=\S)([^\"\n]{2,80})(?<=\S)\"(?![A-Za-z0-9])|[「『《〈]([^」』》〉\n]{1,60})[」』》〉]"
)
_OPENINGS = frozenset(':;•*#>|\n“"')
_NO_WORD_AFTER = frozenset({"()", "'t", "’t"})
_CODE_BEFORE, _CODE_AFTER = frozenset("_/\\=<@$."), frozenset("_=")
_LEAD = 12
_TITLE_WORDS = 10
_WRAPPED_LINE = 60
_SHOUTED_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanCandidate:
    """A span that may be a name; `role` is the honorific taken off it, `quoted` one in quotes."""

    start: int
    end: int
    role: str = ""
    quoted: bool = False


class _Token(NamedTuple):
    start: int
    end: int
    text: str
    initial: bool
    sentence: int

    @property
    def folded(self) -> str:
        return self.text.casefold()

    @property
    def capital(self) -> bool:
        return _is_capital(self.text)


def name_spans(
    text: str, starts: Sequence[int], *, casing: Casing, taken: Sequence[LiteralSpan]
) -> list[SpanCandidate]:
    """Return the names of a text in order, none within another or within what is taken.

    `starts` are the offsets where its sentences begin.
    """
    quoted = [each for each in _quoted(text, casing) if _is_free(each, taken)]
    tokens = _tokens(text, starts, taken=taken, quoted=quoted)
    found = list(quoted)
    at = 0
    while at < len(tokens):
        if not tokens[at].capital:
            at += 1
            continue
        end = _run(text, tokens, at)
        trimmed = _trimmed(tokens[at:end], casing)
        if trimmed:
            found.append(trimmed)
        at = end
    return sorted(found, key=lambda each: each.start)


def _quoted(text: str, casing: Casing) -> Iterator[SpanCandidate]:
    for match in _QUOTED.finditer(text):
        group = next(number for number in (1, 2, 3) if match[number] is not None)
        inner = match[group].rstrip(" ,.;:")
        if inner and _is_title(inner, casing):
            start = match.start(group)
            yield SpanCandidate(start=start, end=start + len(inner), quoted=True)


def _is_title(quoted: str, casing: Casing) -> bool:
    """Tell a title or name in quotes from speech: most of its longer words have capitals."""
    words = quoted.split()
    if len(words) > _TITLE_WORDS or quoted[-1] in "?!" or not quoted[0].isalnum():
        return False
    if all(casing.is_ordinary(word) for word in words):
        return False
    long = [word for word in words if len(word) > 3] or words
    return sum(word[0].isupper() or word[0] > SCRIPT_BEGINS for word in long) * 3 >= len(long) * 2


def _is_free(span: SpanCandidate, taken: Sequence[LiteralSpan]) -> bool:
    return not any(
        each.entity_class == "identifier" and each.start < span.end and span.start < each.end
        for each in taken
    )


def _tokens(
    text: str,
    starts: Sequence[int],
    *,
    taken: Sequence[LiteralSpan],
    quoted: Sequence[SpanCandidate],
) -> list[_Token]:
    """Return the words that names are made of: capitals, numbers and what links them.

    A word between two of them shows in the gap, so that the others need no place here.
    """
    closed = sorted(
        [*((each.start, each.end) for each in taken), *((each.start, each.end) for each in quoted)]
    )
    shouted = _shouted(text, starts)
    tokens: list[_Token] = []
    sentence, gate = 0, 0
    for match in _TOKEN.finditer(text):
        word, (start, end) = match[0], match.span()
        while sentence + 1 < len(starts) and starts[sentence + 1] <= start:
            sentence += 1
        if word[0].islower() and word not in _LINKING and not word[1:2].isupper():
            continue
        while gate < len(closed) and closed[gate][1] <= start:
            gate += 1
        if gate < len(closed) and closed[gate][0] < end:
            continue
        if sentence not in shouted and not _is_code(text, start, end):
            initial = _is_initial(text, start, starts[sentence])
            tokens.append(_Token(start, end, word, initial, sentence))
    return tokens


def _is_capital(word: str) -> bool:
    """Tell whether a word is written as a name: New, NASA, iPhone."""
    first = word[0]
    if first.isupper() or first.istitle():
        return True
    return len(word) > 2 and first in "eix" and word[1].isupper()


def _shouted(text: str, starts: Sequence[int]) -> frozenset[int]:
    """Return the sentences written in capitals throughout: there a capital says nothing."""
    loud: set[int] = set()
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(text)
        words = [word for word in text[start:end].split() if word[:2].isalpha() and len(word) > 1]
        if len(words) >= _SHOUTED_WORDS and sum(map(str.isupper, words)) * 5 > len(words) * 3:
            loud.add(number)
    return frozenset(loud)


def _is_code(text: str, start: int, end: int) -> bool:
    """Tell whether a word is a part of code, or of `Don't`."""
    before, after = text[max(0, start - 1) : start], text[end : end + 2]
    return before in _CODE_BEFORE or after[:1] in _CODE_AFTER or after in _NO_WORD_AFTER


def _is_initial(text: str, start: int, sentence: int) -> bool:
    """Tell whether a word begins its sentence, a quotation, an item or what follows a colon."""
    lead = text[max(0, start - 3) : start].rstrip(" \t")
    if lead[-1:] in _OPENINGS:
        return True
    return start - sentence <= _LEAD and not any(map(str.isalnum, text[sentence:start]))


def _run(text: str, tokens: Sequence[_Token], at: int) -> int:
    """Return the index after the last token of the run of name words that begins at `at`."""
    end = at + 1
    while end < len(tokens):
        step = _step(text, tokens, at=at, end=end)
        if not step:
            break
        end += step
        if tokens[end - 1].text[0].isdigit():
            break
    return end


def _step(text: str, tokens: Sequence[_Token], *, at: int, end: int) -> int:
    """Return how many tokens the run takes in next, none when it ends."""
    last, following = tokens[end - 1], tokens[end]
    gap = text[last.end : following.start]
    spaced = _is_space(text, last.end, gap)
    if following.sentence != last.sentence and gap != ". ":
        return 0
    if not spaced:
        return _punctuated(last, following, gap)
    if following.capital:
        return 1
    if following.text.isdigit():
        return int(len(following.text) <= 4 and last.folded not in _CALENDAR)
    return _linked(text, tokens, at=at, end=end)


def _is_space(text: str, start: int, gap: str) -> bool:
    if gap == " ":
        return True
    if gap.count("\n") != 1 or gap.strip():
        return False
    return start - text.rfind("\n", 0, start) > _WRAPPED_LINE


def _punctuated(last: _Token, following: _Token, gap: str) -> int:
    if gap == ". ":
        short = len(last.text) == 1 or last.folded in _ABBREVIATIONS
        return int(following.capital and short)
    if gap == ", ":
        return int(following.folded in _TAILS and following.capital)
    return int(gap == " & " and following.capital)


def _linked(text: str, tokens: Sequence[_Token], *, at: int, end: int) -> int:
    """Take in `of the X` and the like when the run before it is one that is named so."""
    word = tokens[end].text
    last = tokens[end - 1]
    reach = end + 1
    if word == "and":
        joins = tokens[at].folded in _JOINED_HEADS and end - at > 1
    elif word in ("of", "for"):
        joins = last.folded not in _ROLES and (word == "of" or last.folded in _JOINED_HEADS)
        joins = joins and not (end - at == 1 and tokens[at].initial and last.folded in STARTERS)
        reach += int(reach < len(tokens) and tokens[reach].text in _AFTER_OF)
    else:
        joins = word in _LINKS
        reach += int(reach < len(tokens) and tokens[reach].text in _LINKS)
    if not joins or reach >= len(tokens) or not tokens[reach].capital:
        return 0
    inner = text[last.end : tokens[reach].start]
    return reach - end + 1 if "," not in inner and "\n" not in inner and "." not in inner else 0


def _trimmed(run: Sequence[_Token], casing: Casing) -> SpanCandidate | None:
    """Take off what is no name at the run's ends, and the run itself if nothing is left."""
    kept = list(run)
    while kept and (kept[0].initial or len(kept) < len(run)) and casing.is_common(kept[0].text):
        kept = kept[1:]
        while kept and not kept[0].capital:
            kept = kept[1:]
    role = ""
    while len(kept) > 1 and kept[0].folded.rstrip(".") in HONORIFICS:
        role, kept = kept[0].folded, kept[1:]
    while kept and not kept[0].capital:
        kept = kept[1:]
    if not kept or _is_no_name(kept, casing):
        return None
    return SpanCandidate(start=kept[0].start, end=kept[-1].end, role=role)


def _is_no_name(kept: Sequence[_Token], casing: Casing) -> bool:
    words = [token.text for token in kept if token.capital]
    if len(kept) == 1:
        alone = words[0].casefold()
        return len(alone) == 1 or alone in STARTERS or alone in _CALENDAR or alone in HONORIFICS
    return all(casing.is_ordinary(word) for word in words)
