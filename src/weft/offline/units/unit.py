"""Units: what an answer shows as one, a sentence, an item, a row or a labelled line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from weft.domain.document import Span
from weft.domain.frozen import dataclass
from weft.language.blocks.lines import LineBlock, LineKind, blocks_of
from weft.language.patterns import pattern
from weft.language.sentences import sentences

# An item longer than this is read sentence by sentence.
_WHOLE_ITEM = 320
_WHOLE_RECORD = 700
_SHORTEST = 3
_LONGEST = 1200
_INITIAL = pattern(r"(?:^|[\s(])(?:[A-Z]|Dr|Mr|Mrs|St|Jr|No|vs)\.\s*$")
_RUN_IN = pattern(r"(\*\*|__)(?:(?!\1).){2,80}\1[.:]?\s*")
_LINKED = pattern(r"!?\[[^\]]*\]\([^)]*\)|https?://\S+|<[^>]*>")
_SAYS = pattern(r"[^\W_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerUnit:
    """A unit's span in its passage, and what it stands under there.

    `heads` are the headings, the bold line, the table's header and the line with a colon above it;
    `before` is the sentence before it in its block; `first` when it opens its block.
    """

    start: int
    end: int
    kind: LineKind
    heads: tuple[str, ...]
    before: str = ""
    first: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heads:
    """What the units that follow stand under."""

    headings: tuple[tuple[int, str], ...] = ()
    run_in: str = ""
    header: str = ""
    lead: str = ""

    def texts(self, kind: LineKind) -> tuple[str, ...]:
        """Return them for a unit of a kind: only rows stand under a table's header."""
        header = self.header if kind is LineKind.ROW else ""
        found = (*(text for _, text in self.headings), self.run_in, header, self.lead)
        return tuple(filter(None, found))

    def beside(self, block: LineBlock) -> _Heads:
        """Return what a block stands under that is indented no further than what is described."""
        kept = tuple(one for one in self.headings if one[0] < block.closes)
        return self if len(kept) == len(self.headings) else replace(self, headings=kept)

    def below(self, block: LineBlock, text: str) -> _Heads:
        """Return what stands under a heading further down."""
        kept = tuple(one for one in self.headings if one[0] < block.level)
        return _Heads(headings=(*kept, (block.level, text)))


def units_of(
    text: str, *, spans: Sequence[Span] = (), record: bool = False
) -> tuple[AnswerUnit, ...]:
    """Return the units of a passage in order: spans of it that say something.

    `spans` are its sentences, found anew if there are none. A `record` is a row of labelled lines
    and one unit, as long as it is short enough to be shown whole.
    """
    whole = _trimmed(text, 0, len(text))
    if record and whole.end - whole.start <= _WHOLE_RECORD:
        unit = AnswerUnit(start=whole.start, end=whole.end, kind=LineKind.ROW, heads=())
        return (unit,) if _is_worth(text, unit) else ()
    ends = tuple(spans) or sentences(text)
    return tuple(unit for unit in _units(text, ends) if _is_worth(text, unit))


def _units(text: str, spans: Sequence[Span]) -> Iterator[AnswerUnit]:
    heads = _Heads()
    for block in blocks_of(text):
        said = text[block.start : block.end].strip()
        if block.kind is LineKind.HEADING:
            heads = heads.below(block, said)
            continue
        heads = heads.beside(block)
        if block.kind is LineKind.HEADER:
            heads = replace(heads, header=said)
            continue
        if block.kind is LineKind.PARAGRAPH:
            if _RUN_IN.fullmatch(said):
                heads = replace(heads, run_in=said, lead="")
                continue
            heads = replace(heads, lead="")
        yield from _of_block(text, block, spans=spans, heads=heads.texts(block.kind))
        if said.endswith((":", "：")):
            heads = replace(heads, lead=_last_sentence(said))


def _last_sentence(said: str) -> str:
    last = sentences(said)[-1]
    return said[last.start : last.end]


def _of_block(
    text: str, block: LineBlock, *, spans: Sequence[Span], heads: tuple[str, ...]
) -> Iterator[AnswerUnit]:
    """Yield a block as one unit, or a unit for each of its sentences."""
    whole = _trimmed(text, block.start, block.end)
    alone = block.kind in (LineKind.ROW, LineKind.CODE, LineKind.FIELD)
    if alone or (block.kind is LineKind.ITEM and whole.end - whole.start <= _WHOLE_ITEM):
        yield AnswerUnit(start=whole.start, end=whole.end, kind=block.kind, heads=heads)
        return
    before, first = "", True
    for span in _within(text, whole, spans):
        said = text[span.start : span.end]
        if first and _RUN_IN.fullmatch(said):
            heads = (*heads, said)
            continue
        yield AnswerUnit(
            start=span.start, end=span.end, kind=block.kind, heads=heads, before=before, first=first
        )
        before, first = said, False


def _within(text: str, block: Span, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the sentences in a block, those cut behind an initial ("H. P. | Lovecraft") joined."""
    start = block.start
    for span in spans:
        end = min(span.end, block.end)
        if span.end <= block.start or span.start >= block.end:
            continue
        if end < block.end and _INITIAL.search(text[start:end]):
            continue
        found = _trimmed(text, start, end)
        if found.end > found.start:
            yield found
        start = end
    rest = _trimmed(text, start, block.end)
    if rest.end > rest.start:
        yield rest


def _trimmed(text: str, start: int, end: int) -> Span:
    said = text[start:end]
    left = len(said) - len(said.lstrip())
    return Span(start=start + left, end=start + max(left, len(said.rstrip())))


def _is_worth(text: str, unit: AnswerUnit) -> bool:
    """Tell whether a unit says something: no badge, no bare address, no rule."""
    said = text[unit.start : unit.end]
    if not _SHORTEST <= len(said) <= _LONGEST or said.endswith((":", "：")):
        return False  # what ends so leads to what follows, and stands above that
    return _SAYS.search(_LINKED.sub("", said)) is not None
