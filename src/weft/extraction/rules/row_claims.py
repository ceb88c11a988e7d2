"""Claims from the rows of tables: what a row says of the thing that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from weft.domain.claim import Claim, Mention, Method, claim_id
from weft.domain.document import Chunk, Span
from weft.domain.ids import ChunkId
from weft.extraction.rules.columns import things
from weft.extraction.rules.fields import FieldLine, names
from weft.extraction.rules.table_rows import StatingCell, StatingRow
from weft.extraction.vocabulary import class_of, predicate_of
from weft.language.markup import plain
from weft.ontology.schema import Certainty, Ontology, spelt

# So many a document; what is asked of longer tables is computed from their rows.
MOST_ROW_CLAIMS = 1_000


def rows_of(chunk: Chunk, rows: Sequence[StatingRow]) -> Iterator[StatingRow]:
    """Yield the rows that stand in a chunk as a whole."""
    for row in rows:
        if chunk.start <= row.span.start and row.span.end <= chunk.end:
            yield row


def cell_names(cell: StatingCell, ontology: Ontology) -> list[Span]:
    """Return where in the document the names stand that a cell lists, if it lists names."""
    if cell.relation is None or not things(cell.relation, ontology):
        return []
    return names(
        FieldLine(
            key=cell.column,
            value=cell.text,
            start=cell.span.start,
            end=cell.span.end,
            value_start=cell.span.start,
            relation=cell.relation,
        )
    )


def row_claims(
    chunks: Sequence[Chunk],
    rows: Sequence[StatingRow],
    *,
    mentions: Iterable[Mention],
    ontology: Ontology,
) -> Iterator[Claim]:
    """Yield what rows state, each where it stands first, `MOST_ROW_CLAIMS` at most.

    A cell is a name where one of `mentions` is all of it, or of what it lists; else a literal.
    """
    places = {(each.chunk_id, each.start, each.end): each for each in mentions}
    told, left = set[int](), MOST_ROW_CLAIMS
    for chunk in chunks:
        for row in rows_of(chunk, rows):
            if row.span.start in told:  # chunks overlap
                continue
            told.add(row.span.start)
            for claim in _of_row(chunk, row, places=places, ontology=ontology):
                if not left:
                    return
                left -= 1
                yield claim


def _of_row(
    chunk: Chunk,
    row: StatingRow,
    *,
    places: Mapping[tuple[ChunkId, int, int], Mention],
    ontology: Ontology,
) -> Iterator[Claim]:
    subject = places.get((chunk.id, row.subject.span.start, row.subject.span.end))
    if subject is None or class_of(subject.entity_class, ontology) is None:
        return
    for cell in row.values:
        spans = cell_names(cell, ontology) or [cell.span]
        found = [places.get((chunk.id, span.start, span.end)) for span in spans]
        named = [one for one in found if one and not _is_literal(one, ontology)]
        is_literal = cell.relation is not None and not things(cell.relation, ontology)
        predicate = _predicate(cell, ontology)
        for spoken in () if is_literal else named:
            if spoken.name != subject.name:
                yield _claim(chunk, row, cell, ends=(subject, spoken), predicate=predicate)
        if is_literal or not named:
            yield _claim(chunk, row, cell, ends=(subject, None), predicate=predicate)


def _predicate(cell: StatingCell, ontology: Ontology) -> str:
    """Return a column as a claim's relation is spelt once it is kept: its id is made from that."""
    known = cell.relation or predicate_of(cell.column, ontology)
    return known.name if known else spelt(cell.column).replace(" ", "_")


def _is_literal(mention: Mention, ontology: Ontology) -> bool:
    known = ontology.entity_class(mention.entity_class)
    return known is not None and known.literal


def _claim(
    chunk: Chunk,
    row: StatingRow,
    cell: StatingCell,
    *,
    ends: tuple[Mention, Mention | None],
    predicate: str,
) -> Claim:
    subject, spoken = ends
    relation = cell.relation
    value = None if spoken else " ".join(plain(cell.text).split())
    return Claim(
        id=claim_id(
            chunk.id,
            subject.name,
            predicate=predicate,
            said=spoken.name if spoken else str(value),
            start=row.span.start,
        ),
        chunk_id=chunk.id,
        subject_name=subject.name,
        subject_class=subject.entity_class,
        predicate=predicate,
        object_name=spoken.name if spoken else None,
        object_class=spoken.entity_class if spoken else None,
        value=value,
        start=row.span.start,
        end=row.span.end,
        method=Method.GENERATED,
        confidence=(relation.certainty if relation else Certainty.MEDIUM).confidence,
    )
