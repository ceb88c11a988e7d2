"""What an ontology says of each of its terms, in sentences that can be cited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from weft.domain.document import Chunk, Document, Span
from weft.domain.ids import ChunkId, DocumentId, digest
from weft.domain.scope import Scope
from weft.ontology.schema import EntityClass, Ontology, Relation
from weft.ports.knowledge import StoredChunk

ONTOLOGY = "ontology"


def lines_of(ontology: Ontology, term: str) -> tuple[str, ...]:
    """Return what an ontology says of a class or relation, a sentence each; none if it has none."""
    found = ontology.entity_class(term) or ontology.relation(term)
    if found is None:
        return ()
    own = _of_class(found) if isinstance(found, EntityClass) else _of_relation(found)
    alias = (f"{found.name} is also called {each}." for each in found.aliases)
    said = (f"{found.name}: {found.description}",) if found.description else ()
    return (*own, *said, *alias)


def _of_class(found: EntityClass) -> Iterator[str]:
    yield f"{found.name} is a class."
    for parent in found.parents:
        yield f"{found.name} is a subclass of {parent}."


def _of_relation(found: Relation) -> Iterator[str]:
    kind = "relation between things" if found.datatype is None else "property"
    yield f"{found.name} is a {kind}."
    domain, reached = found.stated
    for name in sorted(domain):
        yield f"{found.name} has the domain {name}."
    for name in sorted(reached) if found.datatype is None else (found.datatype.value,):
        yield f"{found.name} has the range {name}."
    if found.functional:
        yield f"{found.name} has at most one value: it is functional."


def page_of(ontology: Ontology, term: str) -> StoredChunk | None:
    """Return what an ontology says of a term as a passage, or None for a term it has not."""
    lines = lines_of(ontology, term)
    if not lines:
        return None
    text, spans, at = "\n".join(lines), [], 0
    for line in lines:
        spans.append(Span(start=at, end=at + len(line)))
        at += len(line) + 1
    document = DocumentId(f"{ONTOLOGY}:{ontology.name}#{lines[0].split(' ', 1)[0]}")
    return StoredChunk(
        chunk=Chunk(
            id=ChunkId(digest(ONTOLOGY, ontology.name, document, text)),
            document_id=document,
            chunk_index=0,
            text=text,
            start=0,
            end=len(text),
            sentences=tuple(spans),
        ),
        document=Document(
            id=document,
            source=ONTOLOGY,
            type=ONTOLOGY,
            title=f"Ontology {ontology.name}",
            uri=str(document),
            version=ontology.fingerprint,
            acl=frozenset(),
        ),
    )


class OntologyPages:
    """The pages of some ontologies as they are now, to hold sentences against."""

    name = ONTOLOGY

    def __init__(self, ontologies: Callable[[], Sequence[Ontology]]) -> None:
        """Take what gives the ontologies: most answers cite none."""
        self._ontologies = ontologies

    @property
    def knowledge(self) -> OntologyPages:
        """Return what passages are read from."""
        return self

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        """Return the pages of those ids, in that order."""
        del scope
        wanted = frozenset(ids)
        held: dict[ChunkId, StoredChunk] = {}
        for ontology in self._ontologies() if wanted else ():
            for term in _terms(ontology):
                page = page_of(ontology, term)
                if page is not None and page.chunk.id in wanted:
                    held[page.chunk.id] = page
        return [held[one] for one in ids if one in held]


def _terms(ontology: Ontology) -> tuple[str, ...]:
    classes = (each.name for each in ontology.classes)
    return (*classes, *(each.name for each in ontology.relations))
