"""Names in a document's chunks, found and typed by rules, with their offsets in its text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from weft.domain.claim import Mention
from weft.domain.document import Chunk, Span
from weft.domain.frozen import dataclass
from weft.extraction.rules.casing import Casing, casing
from weft.extraction.rules.classes import Hints, clues, decide, hints, lookup
from weft.extraction.rules.columns import subject_of, things
from weft.extraction.rules.fields import fields, names
from weft.extraction.rules.gazetteer import Gazetteer, gazetteer, known_names, with_title
from weft.extraction.rules.korean import korean_names
from weft.extraction.rules.literals import LiteralSpan, literals
from weft.extraction.rules.row_claims import cell_names, rows_of
from weft.extraction.rules.spans import SpanCandidate, name_spans
from weft.extraction.rules.table_rows import StatingRow
from weft.language.hangul import has_hangul
from weft.language.names import normalise
from weft.language.sentences import sentences
from weft.ontology.schema import ANYTHING, Ontology

_YEAR = re.compile(r"(?:1\d{3}|20\d{2})(?:[-–/]\d{2,4})?\Z")
_NO_NAME, _TAXONOMY = "-", " :: "
_FRAMED_WEIGHT, _LIKELY_WEIGHT = 10, 4
_PART_WEIGHT = 3
_LISTED_WEIGHT = 2
_SURE_WEIGHT = 3
_LISTED_GAPS = frozenset({", ", " and ", ", and ", " or ", "/", " & ", "와 ", "과 ", "·"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A place in a chunk where a name may stand.

    Of two that overlap the lower `rank` stays. `sure` is the class that its form alone gives,
    `framed` the one that what stands round it speaks for.
    """

    span: SpanCandidate
    rank: int
    sure: str = ""
    framed: str = ""
    weight: int = _FRAMED_WEIGHT

    @property
    def start(self) -> int:
        return self.span.start

    @property
    def end(self) -> int:
        return self.span.end


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sources:
    """What the finders of one document need."""

    ontology: Ontology
    hints: Hints
    casing: Casing
    known: Gazetteer
    rows: Sequence[StatingRow]


def mentions(
    chunks: Sequence[Chunk],
    ontology: Ontology,
    *,
    text: str,
    title: str = "",
    rows: Sequence[StatingRow] = (),
) -> list[Mention]:
    """Return the mentions of one document's chunks, by chunk and place.

    `text` is the whole document's: whether a capital at the beginning of a sentence makes a name,
    and of which class a name is, is decided from all of it, and from nothing else. A name has one
    class throughout the document. `rows` are those of its tables. Offsets are the document's:
    `text[start:end] == surface`.
    """
    sources = _Sources(
        ontology=ontology,
        hints=hints(ontology),
        casing=casing(text),
        known=with_title(gazetteer(ontology), title),
        rows=rows,
    )
    places = [(chunk, each) for chunk in chunks for each in _in_chunk(chunk, sources)]
    named = [(chunk, each, normalise(chunk.text[each.start : each.end])) for chunk, each in places]
    classes = _classes(named, sources, subject=_subject(text, title, ontology))
    return [
        Mention(
            chunk_id=chunk.id,
            start=chunk.start + each.start,
            end=chunk.start + each.end,
            surface=chunk.text[each.start : each.end],
            name=name,
            entity_class=each.sure or classes[name],
        )
        for chunk, each, name in named
        if name and (each.sure or classes[name])
    ]


def sentence_starts(chunk: Chunk) -> list[int]:
    """Return where the sentences of a chunk begin, in its own text, found by rule if not given."""
    spans = chunk.sentences or sentences(chunk.text)
    return sorted({0, *(span.start for span in spans)})


def _in_chunk(chunk: Chunk, sources: _Sources) -> list[_Found]:
    text = chunk.text
    taken = literals(text)
    spans = name_spans(text, sentence_starts(chunk), casing=sources.casing, taken=taken)
    spans = list(_with_years(text, spans, taken, hints=sources.hints))
    found = [_Found(span=each, rank=1 if each.quoted else 2) for each in spans]
    found += [_found(each.start, each.end, rank=1, sure=each.entity_class) for each in taken]
    found += [_found(each.start, each.end, rank=2) for each in known_names(text, sources.known)]
    found += _listed(text, sources.ontology)
    found += _tabled(chunk, sources)
    if has_hangul(text):
        korean = korean_names(text, sources.hints.members)
        found += [_found(each.start, each.end, rank=2, framed=each.entity_class) for each in korean]
    return _without_overlaps(found, len(text))


def _found(start: int, end: int, *, rank: int, sure: str = "", framed: str = "") -> _Found:
    return _Found(span=SpanCandidate(start=start, end=end), rank=rank, sure=sure, framed=framed)


def _listed(text: str, ontology: Ontology) -> Iterator[_Found]:
    """Yield the names in `Key: value` lines whose key is a relation to things."""
    literal = {each.name for each in ontology.classes if each.literal}
    for each in fields(text, ontology):
        end = each.end if _TAXONOMY in each.value else each.start + len(each.key)
        yield _found(each.start, end, rank=0, sure=_NO_NAME)
        kinds = sorted(each.relation.stated[1] - literal - {ANYTHING}) if each.relation else []
        for span in names(each) if kinds else ():
            framed = "person" if "person" in kinds else kinds[0]
            weight = _FRAMED_WEIGHT if len(kinds) == 1 else _LIKELY_WEIGHT
            found = _found(span.start, span.end, rank=0, framed=framed)
            yield replace(found, weight=weight)


def _tabled(chunk: Chunk, sources: _Sources) -> Iterator[_Found]:
    """Yield what the rows of tables are about, and the names in cells of relations to things."""
    for row in rows_of(chunk, sources.rows):
        yield _in_cell(chunk, row.subject.span, row.kind)
        for cell in row.values:
            kinds = things(cell.relation, sources.ontology) if cell.relation else []
            for span in cell_names(cell, sources.ontology) if kinds else ():
                yield _in_cell(chunk, span, kinds[0] if len(kinds) == 1 else "")


def _in_cell(chunk: Chunk, span: Span, kind: str) -> _Found:
    start, end = span.start - chunk.start, span.end - chunk.start
    return _found(start, end, rank=0, framed=kind)


def _with_years(
    text: str, spans: Sequence[SpanCandidate], taken: list[LiteralSpan], *, hints: Hints
) -> Iterator[SpanCandidate]:
    """Yield the spans, an event's with the year before it (2002 Winter Olympics)."""
    years = {each.end: each for each in taken if _YEAR.match(text[each.start : each.end])}
    for span in spans:
        year = years.get(span.start - 1)
        last = text[span.start : span.end].rsplit(" ", 1)[-1].casefold()
        if year and lookup(hints.endings, last) == "event":
            taken.remove(year)
            span = replace(span, start=year.start)
        yield span


def _without_overlaps(found: Sequence[_Found], length: int) -> list[_Found]:
    """Return the places in order; of two that overlap the surer stays, then the longer."""
    used = bytearray(length)
    kept: list[_Found] = []
    for each in sorted(found, key=lambda each: (each.rank, each.start - each.end, each.start)):
        if not any(used[each.start : each.end]):
            used[each.start : each.end] = b"\1" * (each.end - each.start)
            kept.append(each)
    return sorted((each for each in kept if each.sure != _NO_NAME), key=lambda each: each.start)


def _subject(text: str, title: str, ontology: Ontology) -> tuple[str, str]:
    """Return the title's name and the class that the document's field lines leave it, if one."""
    relations = {each.relation for each in fields(text, ontology) if each.relation}
    domains = [each.stated[0] for each in sorted(relations, key=lambda each: each.name)]
    shared = frozenset.intersection(*domains) if domains else frozenset()
    return subject_of(title, {})[0], next(iter(shared)) if len(shared) == 1 else ""


def _classes(
    named: Sequence[tuple[Chunk, _Found, str]], sources: _Sources, *, subject: tuple[str, str]
) -> Mapping[str, str]:
    """Return one class for each name, from all the places where the document has it.

    It is empty where the ontology lets no class in that fits.
    """
    ontology, hints = sources.ontology, sources.hints
    weights: defaultdict[str, Counter[str]] = defaultdict(Counter)
    if subject[1]:
        weights[subject[0]][subject[1]] = _FRAMED_WEIGHT * _FRAMED_WEIGHT
    surfaces: dict[str, str] = {}
    for chunk, each, name in named:
        if not each.sure:
            weights[name].update(clues(chunk.text, each.span, hints=hints))
            weights[name].update({each.framed: each.weight} if each.framed else {})
            surfaces.setdefault(name, chunk.text[each.start : each.end])
    for name, kinds in _neighbours(named, weights).items():
        weights[name].update(kinds)
    settled = {
        name: decide(weights[name], surface, ontology=ontology)
        for name, surface in surfaces.items()
    }
    persons = {name for name, kind in settled.items() if kind == "person" and " " in name}
    parts = {part for name in persons for part in (name.split(" ")[0], name.split(" ")[-1])}
    for name in parts & settled.keys():
        more = weights[name] + Counter(person=_PART_WEIGHT)
        settled[name] = decide(more, surfaces[name], ontology=ontology)
    return settled


def _neighbours(
    named: Sequence[tuple[Chunk, _Found, str]], weights: Mapping[str, Counter[str]]
) -> dict[str, Counter[str]]:
    """Return what the names beside them in a list say of names that little else speaks for."""
    known = {
        name: max(kinds, key=lambda kind: (kinds[kind], kind))
        for name, kinds in weights.items()
        if kinds and max(kinds.values()) >= _SURE_WEIGHT
    }
    given: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (chunk, left, left_name), (other, right, right_name) in pairwise(named):
        if chunk is other and chunk.text[left.end : right.start] in _LISTED_GAPS:
            for name, neighbour in ((left_name, right_name), (right_name, left_name)):
                if name in weights and name not in known and neighbour in known:
                    given[name][known[neighbour]] += _LISTED_WEIGHT
    return given
