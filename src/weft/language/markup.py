"""Markdown, reStructuredText and HTML as people read them: the words without the signs.

What is struck out (`~~`, `<del>`) keeps its signs: without them it would say what it takes back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from weft.domain.frozen import dataclass
from weft.language.blocks.restructured import directive_in, is_target
from weft.language.patterns import pattern

_SIGN = pattern(r"[*_`#>|\[<&\\=]|^[ \t]*(?:[-+•~]|\.\.[ \t])", re.MULTILINE)
_WORD = pattern(r"[^\W_]")
_BETWEEN_PIECES = pattern(r"\s+[·|]\s+")
_BULLET = pattern(r"^(?:[-*+•>]\s+)+")
# Stands for a character of code while signs are looked for.
_CODE = "\ue000"
# Tildes alone right below words are a heading's.
_FENCE = pattern(
    r"^(?:(?<!\S\n)|(?=[ \t]*(?:`|~+[ \t]*\w)))[ \t]*(`{3,}|~{3,})[^\n]*\n(?s:(.*?))"
    r"(?:^[ \t]*\1[ \t]*$|\Z)\n?",
    re.MULTILINE,
)
_INLINE_CODE = pattern(
    r"(?<![`\w\\])(`{1,2})(?=[^\s`])((?:[^`\n]|\n(?!\s*\n))*[^\s`])\1_{0,2}(?!`)"
)
# Of what a role names the last part where a tilde says so, else what stands before the target.
_ROLE = pattern(
    r"(?<!\w):[a-z][\w.+:-]*:(?:`~(?:[\w-]+\.)*([^`<>\n]+)`"
    r"|`([^`<>]*[^`<>\s])\s*<[^<>`]+>`|(?=`)())"
)
_DIRECTIVE = pattern(r"^[ \t]*\.\.[ \t]+[a-z_][^\n]*$\n?", re.MULTILINE)
_NAMED_LINK = pattern(r"(?<![\w`])`([^`<>]+?)\s*<[^<>\s]+>`__?")
_DELIMITER_ROW = pattern(
    r"^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+(?:\|[ \t]*)?$\n?", re.MULTILINE
)
_RULE = pattern(r"^[ \t]*([-=*_^~\"])(?:[ \t]*\1){2,}[ \t]*$\n?", re.MULTILINE)
_ROW = pattern(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_BETWEEN_CELLS = pattern(r"(?<!\\)\|")
# Signs that go whole, at the beginnings and ends of lines.
_LINES = tuple(
    pattern(text, re.MULTILINE)
    for text in (
        r"^[ \t]{0,3}(?:>[ \t]?)+(?=[ \t]*[^\s\d=])",
        r"(?<=\S)[ \t]+#+[ \t]*$|(?<=\S)[ \t]*\{#[\w-]+\}[ \t]*$",
        r"^[ \t]{0,3}#{1,6}[ \t]+(?=\S)",
        r"^[ \t]*[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)",
        r"^[ \t]{0,3}\[[^\]\n]+\]:[ \t]+\S+[^\n]*$\n?",
    )
)
_TAGS = (
    "a|abbr|b|big|center|cite|code|em|font|i|img|kbd|mark|q|samp|small|source|span|strong|sub|sup|"
    "tt|u|var"
)
_PARTING_TAG = pattern(
    r"</?(?:blockquote|br|details|dd|div|dl|dt|figure|figcaption|h[1-6]|hr|li|ol|p|picture|pre|"
    r"summary|table|tbody|td|th|thead|tr|ul)(?:\s[^<>]*)?/?>"
)
# Within one paragraph, over the ends of its lines.
_LINKED = r"(?:[^\[\]\n]|\n(?!\s*\n))"
_ADDRESS = r"\(\s*(?:[^()\s]|\([^()\s]*\))*(?:[ \t]+\"[^\"\n]*\")?\)"
# Signs round words that stay: their first group. Code has brackets right behind a word.
_AROUND = tuple(
    pattern(text)
    for text in (
        r"<!--(?s:.*?)-->()",
        rf"!\[({_LINKED}*)\](?:{_ADDRESS}|\[[^\[\]\n]*\])",
        rf"(?<![^\W_])\[({_LINKED}*)\]{_ADDRESS}",
        r"\[\^[^\]\s]+\]:?()",
        r"(?<!\w)\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]",
        rf"(?<!\w)\[((?={_LINKED}*[^\W\d_]){_LINKED}+)\]\[[^\[\]\n]*\]",
        r"<(https?://[^<>\s]+|[\w.+-]+@[\w.-]+)>",
        rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>()",
    )
)


def _emphasis(mark: str) -> re.Pattern[str]:
    """Return a pattern of words between asterisks or underscores, in one paragraph."""
    sign, many = re.escape(mark[0]), len(mark)
    # A Korean particle may follow at once, an English letter may not: `a*b*c` is no emphasis.
    outside = r"A-Za-z0-9_" if mark[0] == "*" else r"\w"
    words = rf"((?:[^{sign}\n]|\n(?!\s*\n))+?)"
    opens, closes = (
        rf"(?<![{outside}{sign}\\]){sign}{{{many}}}",
        rf"{sign}{{{many}}}(?![{outside}{sign}])",
    )
    name = r"(?![a-z0-9]+__)" if mark == "__" else ""  # as in `__init__`
    return pattern(rf"{opens}(?=[^\s{sign}]){name}{words}(?<=\S){closes}")


# The innermost first.
_EMPHASIS = tuple(map(_emphasis, ("*", "**", "***", "_", "__")))
# What is left of emphasis whose other end is in the next sentence; `f(a, **more)` is code.
_STRAY = pattern(
    r"(?<!, )(?<![\w(*\\])\*\*(?=\w)()|(?<=[^\s*(,=\\])\*\*(?![\w*(])()"
    r"|\A\*(?=\w)()|(?<=[^\W\d_]|[.!?:;)\"”’])\*\Z()"
)
_ESCAPE = pattern(r"\\([*_#\[\]|`<>~\\])")
_ENTITY = pattern(r"&(?:[a-zA-Z]{2,31}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_DEEPEST = 4
# Files whose signs are part of what they say: programs, settings. Others are written for people.
_PROSE = frozenset(
    "md markdown mdx mkd rst txt text log html htm xhtml pdf docx odt pptx xlsx epub eml rtf "
    "csv tsv tab json jsonl ndjson".split()
)
_SUFFIX = pattern(r"\.([A-Za-z0-9]{1,10})(?:[?#].*)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """A text without signs; `places` is where each character of it stands in the text with them."""

    text: str
    places: tuple[int, ...]


def is_prose(address: str) -> bool:
    """Tell whether what is at an address (a path, a URI) is written for people, not for machines.

    An address whose end says nothing is taken for prose.
    """
    found = _SUFFIX.search(address.rpartition("/")[2])
    return found is None or found[1].lower() in _PROSE or found[1].isdigit()


def plain(text: str) -> str:
    """Return a text as a reader of its format sees it, on the lines on which it stands."""
    return unmarked(text).text


@lru_cache(maxsize=2048)
def unmarked(text: str) -> PlainText:
    """Return a text without the signs of its format; the cells of a row stand apart.

    A text of signs alone stays as it is.
    """
    if not _SIGN.search(text):
        return _Marked(text).read()
    found = _Marked(text)
    found.take_code()
    found.replace(_DELIMITER_ROW, lambda _: iter(()))
    found.replace(_RULE, lambda _: iter(()))
    found.replace(_ROW, _cells)
    for sign in _LINES:
        found.replace(sign, lambda _: iter(()))
    found.replace(_PARTING_TAG, lambda _: iter((" ",)))
    for sign in _AROUND:
        found.replace(sign, _inner)
    for _ in range(_DEEPEST):
        if not sum(found.replace(sign, _inner) for sign in _EMPHASIS):
            break
    found.replace(_STRAY, lambda _: iter(()))
    found.replace(_ESCAPE, _inner)
    found.replace(_ENTITY, _character)
    read = found.read()
    return read if _WORD.search(read.text) else _Marked(text).read()


# What stays of a match: ranges of it, or other characters in their place.
_Piece = tuple[int, int] | str


def _inner(match: re.Match[str]) -> Iterator[_Piece]:
    yield match.span(1)


def _role(match: re.Match[str]) -> Iterator[_Piece]:
    for group in (1, 2):
        if match[group]:
            yield "`"
            yield match.span(group)
            yield "`"


def _directive(match: re.Match[str]) -> Iterator[_Piece]:
    """Yield what a directive's line says, and any other line as it is; a target says nothing."""
    directive = directive_in(match[0])
    if directive is not None and match[0][directive.start :].strip():
        at = match[0].index(directive.name) if directive.tells_when else directive.start
        yield match.start() + at, match.end()
    elif directive is None and not is_target(match[0]):
        yield match.span()


def _character(match: re.Match[str]) -> Iterator[_Piece]:
    from html import unescape  # here, because its table of names takes longer than most texts

    said = unescape(match[0])
    yield match.span() if said == match[0] else said.replace("\xa0", " ")


def _cells(match: re.Match[str]) -> Iterator[_Piece]:
    """Yield the cells of a row that say something, with a sign between them."""
    start, is_first = match.start(1), True
    for part in (*_BETWEEN_CELLS.finditer(match[1]), None):
        end = match.end(1) if part is None else match.start(1) + part.start()
        cell = match.string[start:end]
        if cell.strip():
            if not is_first:
                yield " · "
            is_first = False
            left = len(cell) - len(cell.lstrip())
            yield start + left, start + left + len(cell.strip())
        start = end + 1


class _Marked:
    """A text on its way: what signs are looked for in, its characters, and where each one stood."""

    def __init__(self, text: str) -> None:
        self._seen = text
        self._text = text
        self._places = list(range(len(text)))

    def replace(
        self, sign: re.Pattern[str], kept: Callable[[re.Match[str]], Iterator[_Piece]]
    ) -> bool:
        """Put what stays of it in the place of each match; tell whether there was one."""
        seen: list[str] = []
        text: list[str] = []
        places: list[int] = []
        at = 0
        for match in sign.finditer(self._seen):
            for piece in ((at, match.start()), *kept(match)):
                if isinstance(piece, str):
                    seen.append(piece)
                    text.append(piece)
                    # What is put in stands where the one before it does, within a match.
                    put = max(self._places[match.start()], places[-1] if places else 0)
                    places += [put] * len(piece)
                else:
                    begin, end = piece
                    seen.append(self._seen[begin:end])
                    text.append(self._text[begin:end])
                    places += self._places[begin:end]
            at = match.end()
        if not at:
            return False
        self._seen = "".join((*seen, self._seen[at:]))
        self._text = "".join((*text, self._text[at:]))
        self._places = places + self._places[at:]
        return True

    def take_code(self) -> None:
        """Take the signs of code away, and hide what stands between them from all that follows."""
        self.replace(_ROLE, _role)
        self.replace(_DIRECTIVE, _directive)
        self.replace(_NAMED_LINK, _inner)
        for sign in (_FENCE, _INLINE_CODE):
            hidden: list[tuple[int, int]] = []
            shift = 0
            for match in sign.finditer(self._seen):
                begin, end = match.span(2)
                shift += begin - match.start()
                hidden.append((begin - shift, end - shift))
                shift += match.end() - end
            self.replace(sign, lambda match: iter((match.span(2),)))
            for begin, end in hidden:
                lines = self._seen[begin:end].split("\n")
                covered = "\n".join(_CODE * len(line) for line in lines)
                self._seen = self._seen[:begin] + covered + self._seen[end:]

    def read(self) -> PlainText:
        """Return the text as it is now, without space around it."""
        left = len(self._text) - len(self._text.lstrip())
        right = len(self._text.rstrip())
        return PlainText(text=self._text[left:right], places=tuple(self._places[left:right]))


def pieces_of(line: str) -> list[str]:
    """Return the pieces of a line that a dot or a bar parts: each may have a label of its own."""
    return [piece.strip() for piece in _BETWEEN_PIECES.split(_BULLET.sub("", line.strip()))]
