"""Passages as the offline rules read them: their candidate sentences and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from weft.domain.document import Span
from weft.language.hangul import SYLLABLES, has_hangul
from weft.language.sentences import sentences
from weft.language.terms import stem, terms
from weft.offline.evidence.found import FoundEvidence
from weft.retrieval.hits import Hit

_FIELD = re.compile(
    rf"^[ \t>*-]*[\"']?([A-Za-z{SYLLABLES}][\w .()/-]{{1,38}}?)[\"']?\s*[:=]\s+(\S.*)$"
)
_MARKER = re.compile(r"^(?:[-*+•>]\s+|\d{1,3}[.)]\s+|#{1,6}\s+)+")
_HEADING = re.compile(r"#{1,6}\s+\S[^\n]*$")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s")
# "5. **Next year's conference.**" heads what follows it in the paragraph.
_RUN_IN = re.compile(r"(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(\*\*|__)(?:(?!\1).){2,80}\1:?")
# "**Ann Oak, 3 May.**" heads nothing: it signs what follows.
_SIGNS = re.compile(r"(?:\*\*|__)[^,]{2,40}, [^,]*\d")
_NAMED_ITEM = re.compile(r"\d{1,3}[.)]\s+([A-Z][\w' -]{2,60})\.")
MOST_SENTENCES = 3
_SMALL = 3
_TABLE_RULE = re.compile(r"\s*\|[\s:|-]*-[\s:|-]*\|")
_EMPHASISED = re.compile(r"^(\*\*|__|\*|_|`)((?:(?!\1).)+)\1$", re.DOTALL)
_LINK_ONLY = re.compile(r"^[\[!(<]*\S*(?:https?://|\]\()\S*[>)\].]*$")
_BADGE = re.compile(r"^\s*(?:!?\[!?\[?[^\]]*\]?\([^)]*\)\]?(?:\([^)]*\))?\s*)+$|^\.\. |^\s*:\w+:")
_INITIAL = re.compile(r"(?:^|[\s(])(?:[A-Z]|Dr|Mr|Mrs|St|Jr|No|vs)\.\s*$")
_BETWEEN = re.compile(r"\s+[·|]\s+")
_EMPHASIS = re.compile(r"\*\*|__")
# Front matter that repeats what a citation shows anyway.
_LABELS = frozenset({"title", "id", "slug", "uid", "layout", "permalink", "metadata-version"})
_FILE_NAME = re.compile(r"^[\w./-]*(?:\.\w{1,5}|[A-Z]{4,})$")
_RULE = re.compile(r"^[\W_]*$")
# Paragraphs of law are one sentence.
_LONGEST = 1600
_WRAPPED = 700
# A row as long as this is shown whole: a field alone does not say whose it is.
_ROW = 500
_HEADING_WORDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassage:
    """A passage with its stems, once for all: those of where it stands are in `place` too."""

    evidence_id: str
    hit: Hit
    stems: frozenset[str]
    place: frozenset[str]

    @property
    def document(self) -> tuple[str, str]:
        """Return what tells its document from all others."""
        return self.hit.evidence.knowledge_base, self.hit.evidence.document_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A sentence that may be shown: exactly as it stands in its passage, markers trimmed.

    `place` counts the sentences of the passage from 0; `field` is the key of a `Key: value` line.
    `head` are the stems of what it stands under in the passage (a heading, a run-in head, the head
    of a table), and `led` how near that is to the question.
    """

    evidence_id: str
    hit: Hit
    text: str
    place: int
    cosine: float
    field: str
    stems: frozenset[str]
    head: frozenset[str] = frozenset()
    led: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """What sentences stand under: its stems, how near it is to the question, and how deep it is."""

    stems: frozenset[str] = frozenset()
    cosine: float = 0.0


def read_passages(book: FoundEvidence) -> list[ReadPassage]:
    """Return the passages of a book with their words, in order of finding."""
    found: list[ReadPassage] = []
    for name, hit in book.entries():
        place = place_stems(hit)
        stems = stems_of(hit.evidence.text) | place
        found.append(ReadPassage(evidence_id=name, hit=hit, stems=stems, place=place))
    return found


def candidates(passage: ReadPassage) -> Iterator[Candidate]:
    """Yield the sentences of a passage that say something: no headings, badges or bare links."""
    hit, text = passage.hit, passage.hit.evidence.text
    if is_row(hit) and len(text) <= _ROW:
        yield _row(passage)
        return
    spans = hit.evidence.sentences or tuple(sentences(text))
    heading = run_in = _Head()
    for place, last, span in _whole(text, spans):
        cosine = max(hit.cosines[place : last + 1], default=hit.cosine)
        whole = text[span.start : span.end].strip()
        if _HEADING.match(whole):
            heading, run_in = _Head(stems=stems_of(whole), cosine=cosine), _Head()
            continue
        if _ITEM.match(whole):
            run_in = _Head()
        if _is_run_in(whole) or _is_named_item(whole) or _is_table_head(text, span):
            run_in = _Head(stems=stems_of(whole), cosine=cosine)
            continue
        for piece in _pieces(text, span):
            yield Candidate(
                evidence_id=passage.evidence_id,
                hit=hit,
                text=piece,
                place=place,
                cosine=cosine,
                field=field_of(piece),
                stems=stems_of(piece),
                head=heading.stems | run_in.stems,
                led=max(heading.cosine, run_in.cosine),
            )


def _is_named_item(whole: str) -> bool:
    """Tell whether a sentence is but the name of what follows it: "7. Disclaimer of Warranty."."""
    match = _NAMED_ITEM.fullmatch(whole)
    words = [word for word in match[1].split() if len(word) > _SMALL] if match else []
    return bool(words) and all(word[0].isupper() for word in words)


def _is_table_head(text: str, span: Span) -> bool:
    """Tell whether a row is the head of a table: a rule follows it."""
    return text[span.start] == "|" and bool(_TABLE_RULE.match(text, span.end))


def is_row(hit: Hit) -> bool:
    """Tell whether a passage is a row of a table, whose fields say one thing together."""
    if not hit.evidence.document_id.startswith("record:"):
        return False
    lines = [line for line in hit.evidence.text.splitlines() if line.strip()]
    return len(lines) > 1 and sum(bool(field_of(line.strip())) for line in lines) * 2 > len(lines)


def _row(passage: ReadPassage) -> Candidate:
    hit = passage.hit
    said = hit.evidence.text.strip()
    return Candidate(
        evidence_id=passage.evidence_id,
        hit=hit,
        text=said,
        place=0,
        cosine=max(hit.cosines, default=hit.cosine),
        field="",
        stems=stems_of(said),
    )


def _whole(text: str, spans: Sequence[Span]) -> Iterator[tuple[int, int, Span]]:
    """Yield the sentences, those cut behind an initial ("H. P. | Lovecraft") joined again."""
    first = 0
    for place, span in enumerate(spans):
        if place + 1 < len(spans) and _INITIAL.search(text[span.start : span.end]):
            continue
        yield first, place, Span(start=spans[first].start, end=span.end)
        first = place + 1


def _is_run_in(whole: str) -> bool:
    return _RUN_IN.fullmatch(whole) is not None and not _SIGNS.match(whole)


def field_of(line: str) -> str:
    """Return the key of a `Key: value` line, or an empty string."""
    match = _FIELD.match(line) if "\n" not in line else None
    return match[1] if match and len(match[1].split()) <= 4 else ""


@lru_cache(maxsize=4096)
def fields_of(text: str) -> tuple[str, ...]:
    """Return the keys of all `Key: value` pieces of a text, as rows and heads of pages have them.

    `**Owner:** Data · **Tier:** 3` has two.
    """
    pieces = (piece.strip() for line in text.splitlines() for piece in _BETWEEN.split(line))
    return tuple(filter(None, (field_of(_EMPHASIS.sub("", piece)) for piece in pieces)))


@lru_cache(maxsize=4096)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text, the parts of its joined words and its identifiers included."""
    return frozenset(terms(text))


def place_stems(hit: Hit) -> frozenset[str]:
    """Return the stems of where a passage stands: title, section and the end of its address."""
    evidence = hit.evidence
    near = "/".join(evidence.uri.replace("\\", "/").split("/")[-3:])
    named = re.sub(r"([a-z])([A-Z])", r"\1 \2", f"{evidence.title} {near}")
    extra = {stem(part) for part in re.split(r"[\W_\d]+", named.casefold()) if part}
    return stems_of(f"{named}\n{evidence.section or ''}") | extra


def _pieces(text: str, span: Span) -> Iterator[str]:
    whole = text[span.start : span.end].strip()
    lines = [line.strip() for line in whole.splitlines() if line.strip()]
    has_fields = sum(bool(field_of(line)) for line in lines) * 2 > len(lines)
    for piece in lines if has_fields or len(whole) > _WRAPPED else [_without_heading(whole)]:
        said = _unmarked(piece)
        if _says_something(piece, said):
            yield said


def _unmarked(piece: str) -> str:
    """Return a piece without the signs of lists, headings and emphasis around it."""
    said = _MARKER.sub("", piece).strip()
    match = _EMPHASISED.match(said)
    return match[2] if match else said


def _without_heading(sentence: str) -> str:
    """Return a sentence without the headings that stand in lines of their own before it."""
    lines = sentence.split("\n")
    while len(lines) > 1 and (lines[0].startswith("#") or _RULE.match(lines[0])):
        lines.pop(0)
    return "\n".join(lines)


def _is_label(field: str, said: str) -> bool:
    """Tell whether a field says only what a document is called, or names a file beside it."""
    if field.casefold() in _LABELS:
        return True
    value = said.rsplit(maxsplit=1)[-1]
    return "file" in field.casefold().split("-") and bool(_FILE_NAME.match(value))


def _says_something(piece: str, said: str) -> bool:
    if not said or len(said) > _LONGEST or _RULE.match(said):
        return False
    if _LINK_ONLY.match(said) or _BADGE.match(piece):
        return False
    if field := field_of(_EMPHASIS.sub("", said)):
        return not _is_label(field, said)
    if piece.startswith("#"):
        return False
    if sum(bool(cell.strip()) for cell in piece.split("|")) > 1 and piece.startswith("|"):
        return True
    count = len(said.split())
    ended = said[-1] in ".!?:;。\"'”)]" or has_hangul(said)
    return count >= _HEADING_WORDS or (count >= 2 and ended)
