"""A cited place in its document: Markdown drawn as it is read, the cited words marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderResult
from rich.markdown import Heading, Markdown
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from weft.cli.terminal.places import PlacedText, heading_of, place_of
from weft.domain.display import harmless, on_one_line
from weft.domain.frozen import dataclass

_AROUND = 600
# Punctuation to a reader of Markdown, as emphasis beside them needs; taken out of what is shown.
_BEGIN, _END = "\u2e28", "\u2e29"
_SIGNS = re.compile(f"[{_BEGIN}{_END}]")
_CITED = Style(color="black", bgcolor="yellow", bold=True)
_GUTTER, _NO_GUTTER = Segment("▌ ", Style(color="yellow", bold=True)), Segment("  ")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?s:.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_MARKDOWN = re.compile(r"\.(?:md|markdown|mdx|mkd)$", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPlace:
    """A document's text with the span that is cited there, and where the document is."""

    document: str
    title: str
    uri: str
    text: str
    start: int
    end: int

    @property
    def passage(self) -> PlacedText:
        """Return the cited words as what is pointed at."""
        words = self.text[self.start : self.end]
        return PlacedText(
            document=self.document, uri=self.uri, start=self.start, text=words, title=self.title
        )


def print_place(console: Console, place: CitedPlace) -> None:
    """Print the words around a citation; a bar stands beside the lines that hold the cited ones."""
    address = place_of(place.passage, here=Path.cwd())
    title = heading_of(place.passage, address)
    head = Text(on_one_line(address), style="bold")
    console.print(head.append(f"  {title}" if title else "", style="dim"))
    console.print()
    around = _window(place)
    if _MARKDOWN.search(place.uri):
        console.print(_Marked(_Plainly(around, hyperlinks=False)))
    else:
        console.print(_Marked(Text(around)))


def _window(place: CitedPlace) -> str:
    """Return the paragraphs around a citation, the cited words between two signs."""
    text, start, end = place.text, place.start, place.end
    body = 0
    if _MARKDOWN.search(place.uri) and (header := _FRONT_MATTER.match(text)):
        body = header.end() if header.end() <= start else 0
    first, last = max(body, start - _AROUND), min(len(text), end + _AROUND)
    if first > body:
        parting = _PARAGRAPH.search(text, first, start)
        first = parting.end() if parting else text.rfind("\n", 0, start) + 1
    if last < len(text):
        partings = list(_PARAGRAPH.finditer(text, end, last))
        last = partings[-1].start() if partings else text.find("\n", end) % (len(text) + 1)
    parts = (text[first:start], text[start:end], text[end:last])
    before, cited, after = (_SIGNS.sub("", harmless(part)) for part in parts)
    more, rest = ("…\n\n" if first > body else ""), ("\n\n…" if last < len(text) else "")
    return f"{more}{before}{_between(cited)}{after}{rest}".strip("\n")


def _between(cited: str) -> str:
    """Put the signs round the words of each line: what begins a line may be a sign of Markdown."""
    return "\n".join(
        re.sub(r"^([ \t]*(?:[-*+>|]+[ \t]+|#+[ \t]+|\d+[.)][ \t]+)?)(\S.*?)([ \t|]*)$",
               rf"\1{_BEGIN}\2{_END}\3", line)
        for line in cited.split("\n")
    )  # fmt: skip


class _Heading(Heading):
    """A heading where the text begins, not in the middle of the line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        self.text.stylize("bold")
        yield self.text


class _Plainly(Markdown):
    """Markdown with headings where the text begins."""

    elements: ClassVar = {**Markdown.elements, "heading_open": _Heading}


@dataclass(frozen=True, slots=True)
class _Marked:
    """What is drawn, its lines with a bar where they hold what stands between the two signs."""

    inner: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width - 2
        is_cited = False
        for line in console.render_lines(self.inner, options.update_width(width), pad=False):
            parts, was_cited = [], is_cited
            for segment in line:
                for words, cited in _parted(segment.text, is_cited):
                    is_cited = cited
                    if words:
                        style = (segment.style or Style()) + _CITED if cited else segment.style
                        parts.append(Segment(words, style))
                        was_cited = was_cited or cited
            holds = was_cited and any(part.text.strip() for part in parts)
            yield _GUTTER if holds else _NO_GUTTER
            yield from parts
            yield Segment.line()


def _parted(text: str, is_cited: bool) -> Iterator[tuple[str, bool]]:
    """Yield a text's parts, each with whether it stands between the signs."""
    at = 0
    for found in _SIGNS.finditer(text):
        yield text[at : found.start()], is_cited
        is_cited, at = found[0] == _BEGIN, found.end()
    yield text[at:], is_cited
