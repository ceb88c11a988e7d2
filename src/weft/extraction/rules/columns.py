"""Claims that a document states as key and value: columns of a table, lines of a header."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from weft.domain.claim import Claim, Mention, Method, claim_id
from weft.domain.document import Chunk, Span, Value
from weft.extraction.rules.fields import FieldLine, fields, names
from weft.extraction.vocabulary import DOCUMENT_CLASS
from weft.language.names import normalise
from weft.ontology.schema import Certainty, Ontology, Relation, spelt

_COLUMN_CONFIDENCE = 1.0

# From a normalised name to the class that it has in a document.
ClassOf = Callable[[str], str | None]


def _nowhere(name: str) -> str | None:
    return None


def subject_of(title: str, classes: Mapping[str, str]) -> tuple[str, str]:
    """Return the name and class under which a document's title is a subject."""
    name = normalise(re.sub(r"\s*\([^()]*\)\s*\Z", "", title)) or normalise(title)
    return name, classes.get(name, DOCUMENT_CLASS)


def claims_from_columns(
    metadata: Mapping[str, Value],
    ontology: Ontology,
    *,
    chunk: Chunk,
    subject: tuple[str, str],
    class_of: ClassOf = _nowhere,
) -> list[Claim]:
    """Return a claim for each column that the ontology knows as a relation, placed on `chunk`.

    `subject` is the document's name and class (`subject_of`). A value of a class of things is a
    name; where several classes may be meant, if the document has such a name (`class_of` tells
    under which class); others stay literals.
    """
    name, kind = subject
    made: list[Claim] = []
    for key in sorted(metadata):
        relation, value = ontology.relation(key), metadata[key]
        if relation is None or value is None or value == "" or not name:
            continue
        kinds = things(relation, ontology)
        place = _line_of(key, chunk)
        for said in _listed(value) if isinstance(value, str) and kinds else (value,):
            spoken, thing = _thing(said, kinds, class_of)
            made.append(
                Claim(
                    id=claim_id(
                        chunk.id, name, predicate=relation.name, said=str(said), start=place.start
                    ),
                    chunk_id=chunk.id,
                    subject_name=name,
                    subject_class=kind,
                    predicate=relation.name,
                    object_name=spoken or None,
                    object_class=thing or None,
                    value=None if spoken else said,
                    start=place.start,
                    end=place.end,
                    method=Method.COLUMN,
                    confidence=_COLUMN_CONFIDENCE,
                )
            )
    return made


def _thing(said: Value, kinds: Sequence[str], class_of: ClassOf) -> tuple[str, str]:
    """Return the name and class of the thing that a value stands for, empty for a literal."""
    if not isinstance(said, str) or not kinds:
        return "", ""
    name = normalise(said)
    own = kinds[0] if len(kinds) == 1 else class_of(name) or ""
    return (name, own) if name and own else ("", "")


def _listed(value: str) -> list[str]:
    """Return the parts of a list, as headers and front matter give it."""
    return [part.strip() for part in value.split(";") if part.strip()] or [value]


def _line_of(key: str, chunk: Chunk) -> Span:
    """Return where in the document a header has a key; the whole chunk where it has none."""
    found = re.search(rf"^{re.escape(key)}[ \t]*:[^\n]*[^\s]", chunk.text, re.MULTILINE)
    if found is None:
        return Span(start=chunk.start, end=chunk.end)
    return Span(start=chunk.start + found.start(), end=chunk.start + found.end())


def things(relation: Relation, ontology: Ontology) -> list[str]:
    """Return the classes of things that a relation leads to, sorted; none of a property."""
    literal = {each.name for each in ontology.classes if each.literal}
    return sorted(relation.stated[1] - literal)


def field_claims(
    chunk: Chunk, mentions: Sequence[Mention], *, ontology: Ontology, subject: tuple[str, str]
) -> Iterator[Claim]:
    """Yield what the field lines of a chunk state of the document; `subject` is its name and class.

    A value is a name where one of `mentions` stands for it, else a literal.
    """
    if not subject[0]:
        return
    by_span = {(each.start - chunk.start, each.end - chunk.start): each for each in mentions}
    for each in fields(chunk.text, ontology):
        places = [(span.start, span.end) for span in names(each)]
        named = [by_span[place] for place in places if place in by_span]
        for spoken in named:
            if spoken.name != subject[0]:
                yield _field_claim(chunk, each, subject=subject, spoken=spoken)
        if not named:
            yield _field_claim(chunk, each, subject=subject, spoken=None)


def _field_claim(
    chunk: Chunk, field: FieldLine, *, subject: tuple[str, str], spoken: Mention | None
) -> Claim:
    predicate = field.relation.name if field.relation else spelt(field.key).replace(" ", "_")
    certainty = field.relation.certainty if field.relation else Certainty.MEDIUM
    said = spoken.name if spoken else field.value
    return Claim(
        id=claim_id(
            chunk.id, subject[0], predicate=predicate, said=said, start=chunk.start + field.start
        ),
        chunk_id=chunk.id,
        subject_name=subject[0],
        subject_class=subject[1],
        predicate=predicate,
        object_name=spoken.name if spoken else None,
        object_class=spoken.entity_class if spoken else None,
        value=None if spoken else field.value,
        start=chunk.start + field.start,
        end=chunk.start + field.end,
        method=Method.GENERATED,
        confidence=certainty.confidence,
    )
