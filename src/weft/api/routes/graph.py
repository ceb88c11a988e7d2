"""The graph over HTTP: documents and their references, entities and what is claimed of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from weft.api.dependencies import Inside, ReadScope
from weft.api.edge.trail import leaves
from weft.domain.document import Document
from weft.domain.errors import NotFound
from weft.domain.ids import DocumentId
from weft.domain.scope import Scope
from weft.platform.audit import counted_ids
from weft.ports.knowledge import Reference
from weft.ports.store import Store

Most = Annotated[int, Query(ge=1, le=1000, description="The most documents.")]
Names = Annotated[
    list[Annotated[str, Field(max_length=100)]],
    Query(
        default_factory=list,
        max_length=64,
        description="Knowledge bases; all of them if none is named.",
    ),
]
DocumentName = Annotated[str, Path(alias="id", max_length=2000, description="Its id.")]
Depth = Annotated[int, Query(ge=1, le=3, description="How many hops.")]
View = Annotated[Literal["documents", "entities"], Query(description="What the nodes are.")]
_READ_FOR_ENTITIES = 100
_PAGE = 500


class GraphNodeShape(BaseModel):
    """A document or an entity; `kind` is the document's type or the entity's class."""

    id: str
    label: str
    kind: str
    kb: str


class GraphEdgeShape(BaseModel):
    """An edge; `kind` says what it is: kinds of references, or a relation."""

    source: str
    target: str
    kind: str


class GraphShape(BaseModel):
    """Nodes and the edges between them."""

    nodes: list[GraphNodeShape]
    edges: list[GraphEdgeShape]


class ReferencesOfTypes(BaseModel):
    """How many references lead from documents of one type to documents of another."""

    source: str
    target: str
    references: int


class GraphStats(BaseModel):
    """How large the graph is, as far as the caller may read it.

    `types` counts documents by their type, `pairs` references by the types of their two ends.
    """

    documents: int
    references: int
    mentions: int
    claims: int
    types: dict[str, int]
    pairs: list[ReferencesOfTypes]


class IndexStats(BaseModel):
    """How much is in the index of each knowledge base."""

    documents: int
    chunks: int
    bases: dict[str, dict[str, int]]
    made_with: dict[str, dict[str, str]]


def _shown_ids(graph: GraphShape, given: Mapping[str, object]) -> Mapping[str, object]:
    if given.get("view", "documents") != "documents":
        return {"entities_count": len(graph.nodes)}  # their ids are words of documents
    return counted_ids(documents=[node.id for node in graph.nodes])


router = APIRouter(tags=["graph"])


@router.get("/graph", summary="Show the graph")
@leaves("graph.read", "kb:{kb}", noting=_shown_ids)
async def whole(
    inside: Inside, scope: ReadScope, *, kb: Names, limit: Most = 100, view: View = "documents"
) -> GraphShape:
    """Return documents and the references between them, or entities and their relations."""
    found = GraphShape(nodes=[], edges=[])
    for store in await inside.host.stores(scope, kb):
        room = limit - len(found.nodes)
        if room > 0:
            make = _of_documents if view == "documents" else _of_entities
            part = await make(scope, store, room)
            found.nodes += part.nodes
            found.edges += part.edges
    return found


@router.get("/graph/stats", summary="Count the graph")
@leaves("graph.read", "kb:{kb}")
async def stats(inside: Inside, scope: ReadScope, *, kb: Names) -> GraphStats:
    """Count documents, references, mentions and claims that the caller may read."""
    total = GraphStats(documents=0, references=0, mentions=0, claims=0, types={}, pairs=[])
    types: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for store in await inside.host.stores(scope, kb):
        counts = await store.holdings.counts(scope)
        total.documents += counts.documents
        total.references += counts.references
        total.mentions += counts.mentions
        total.claims += counts.claims
        type_of = await _types(scope, store)
        types.update(type_of.values())
        pairs.update(await _pairs(scope, store, type_of))
    total.types = dict(sorted(types.items()))
    total.pairs = [
        ReferencesOfTypes(source=source, target=target, references=count)
        for (source, target), count in sorted(pairs.items())
    ]
    return total


@router.get("/graph/document/{id:path}", summary="Show a document's neighbours")
@leaves("graph.read", "document:{document_id}", noting=_shown_ids)
async def neighbours(
    inside: Inside, scope: ReadScope, *, document_id: DocumentName, kb: Names, depth: Depth = 1
) -> GraphShape:
    """Return a document with all that refer to it or that it refers to, within some hops."""
    key = DocumentId(document_id)
    for store in await inside.host.stores(scope, kb):
        try:
            document = await store.documents.document(scope, key)
        except NotFound:
            continue
        edges = await store.knowledge.neighbours(scope, [key], depth)
        return await _joined(scope, store, [document], edges)
    raise NotFound("There is no such document.")


@router.get("/index/stats", summary="Count the index")
@leaves("kb.read", "kb:*")
async def index(inside: Inside, scope: ReadScope) -> IndexStats:
    """Count the documents and chunks of every knowledge base that the caller may read."""
    found = IndexStats(documents=0, chunks=0, bases={}, made_with={})
    for store in await inside.host.stores(scope, []):
        counts = await store.holdings.counts(scope)
        found.documents += counts.documents
        found.chunks += counts.chunks
        found.bases[store.name] = {"documents": counts.documents, "chunks": counts.chunks}
        found.made_with[store.name] = dict(store.made_with)
    return found


async def _types(scope: Scope, store: Store) -> dict[DocumentId, str]:
    """Return the type of every readable document, in the order of their ids."""
    types: dict[DocumentId, str] = {}
    after: DocumentId | None = None
    while page := await store.documents.page(scope, after=after, limit=_PAGE):
        types |= {document.id: document.type for document in page}
        after = page[-1].id
    return types


async def _pairs(
    scope: Scope, store: Store, types: Mapping[DocumentId, str]
) -> Counter[tuple[str, str]]:
    """Count the references by the types of the documents that they lead from and to."""
    found: Counter[tuple[str, str]] = Counter()
    ids = list(types)
    for begin in range(0, len(ids), _PAGE):
        some = frozenset(ids[begin : begin + _PAGE])
        for edge in await store.knowledge.neighbours(scope, sorted(some), 1):
            # An edge is met from both its ends: it counts where it leads from.
            if edge.source in some and edge.target in types:
                found[types[edge.source], types[edge.target]] += 1
    return found


async def _of_documents(scope: Scope, store: Store, limit: int) -> GraphShape:
    listed = await store.documents.page(scope, after=None, limit=limit)
    ids = {document.id for document in listed}
    edges = await store.knowledge.neighbours(scope, sorted(ids), 1)
    among = [edge for edge in edges if edge.source in ids and edge.target in ids]
    return await _joined(scope, store, listed, among)


async def _joined(
    scope: Scope, store: Store, known: Sequence[Document], edges: Sequence[Reference]
) -> GraphShape:
    """Return a graph of documents with the ends of all edges."""
    by_id = {document.id: document for document in known}
    for edge in edges:
        for end in (edge.source, edge.target):
            if end not in by_id:
                by_id[end] = await store.documents.document(scope, end)
    return GraphShape(
        nodes=[
            GraphNodeShape(id=each.id, label=each.title or each.id, kind=each.type, kb=store.name)
            for each in by_id.values()
        ],
        edges=[
            GraphEdgeShape(source=edge.source, target=edge.target, kind=", ".join(edge.kinds))
            for edge in edges
        ],
    )


async def _of_entities(scope: Scope, store: Store, limit: int) -> GraphShape:
    """Return the entities of the first documents' claims, and the relations between them."""
    nodes: dict[str, GraphNodeShape] = {}
    edges: dict[tuple[str, str, str], GraphEdgeShape] = {}

    def node(name: str, kind: str) -> str | None:
        key = f"{kind}:{name}"
        if key not in nodes and len(nodes) >= limit:
            return None
        nodes.setdefault(key, GraphNodeShape(id=key, label=name, kind=kind, kb=store.name))
        return key

    for document in await store.documents.page(scope, after=None, limit=_READ_FOR_ENTITIES):
        opened = await store.documents.opened(scope, document.id)
        for claim in opened.claims:
            if claim.object_name is None or claim.object_class is None:
                continue
            left = node(claim.subject_name, claim.subject_class)
            right = node(claim.object_name, claim.object_class)
            if left is not None and right is not None:
                edge = GraphEdgeShape(source=left, target=right, kind=claim.predicate)
                edges[left, right, claim.predicate] = edge
    return GraphShape(nodes=list(nodes.values()), edges=list(edges.values()))
