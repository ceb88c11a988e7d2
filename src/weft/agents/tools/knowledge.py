"""The knowledge tools at work: typed arguments in, passages that may pass out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weft.agents.evidence import EvidenceBook, evidence_item
from weft.agents.tools.library import RunLibrary, RunReader
from weft.agents.tools.manifests import (
    EXACT_FIELDS,
    FETCH_NEIGHBORS,
    FILTER_DOCS,
    GRAPH_QUERY,
    LOOK_UP,
    NAMESAKES,
    RAG_SEARCH,
    READ_DOCUMENTS,
)
from weft.agents.tools.passing import Passing
from weft.domain.document import Document
from weft.domain.ids import DocumentId
from weft.index.definitions import name_key
from weft.index.segment import Floats
from weft.language.terms import terms
from weft.platform.manifest import Handler
from weft.ports.knowledge import DocumentFilter, Reference
from weft.retrieval.hits import Found, Hit, Query
from weft.retrieval.lookup import LookupQuery
from weft.retrieval.search import matching

PER_DOCUMENT = 6
MOST_DOCUMENTS = 50


class KnowledgeTools:
    """The handlers of one run's knowledge tools."""

    def __init__(self, library: RunLibrary, reader: RunReader, *, book: EvidenceBook) -> None:
        """Take what is read, who reads, and what the run was given so far."""
        self._library = library
        self._reader = reader
        self._book = book
        self._passing = Passing(library, reader)
        self._vectors: dict[str, Floats] = {}

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by tool name."""
        return {
            RAG_SEARCH: self.rag_search,
            GRAPH_QUERY: self.graph_query,
            FETCH_NEIGHBORS: self.fetch_neighbors,
            FILTER_DOCS: self.filter_docs,
            LOOK_UP: self.look_up,
            NAMESAKES: self.namesakes,
            READ_DOCUMENTS: self.read_documents,
        }

    async def rag_search(self, args: Mapping[str, Any]) -> object:
        """Return the best passages for a query."""
        wanted = args.get("documents")
        query = Query(
            text=args["query"],
            top_k=args.get("top_k", self._library.top_k),
            per_document=args.get("per_document", PER_DOCUMENT),
            filter=DocumentFilter() if wanted is None else _these(_pairs(wanted)),
        )
        found = await self._search(query)
        hits = found.hits
        if wanted is not None:  # of two bases that hold a document of one id, the one that is meant
            named = set(_pairs(wanted))
            hits = tuple(hit for hit in hits if _is_among(hit, named))
        return {"evidence": await self._items(hits), **_said(found)}

    async def graph_query(self, args: Mapping[str, Any]) -> object:
        """Return the documents that match every condition, and their best passages."""
        wanted, most = _filter(args), args.get("top_k", self._library.top_k)
        if wanted.is_empty:
            return {"documents": [], "evidence": []}
        found: list[tuple[str, Document]] = []
        for base in self._library.bases:
            among = await matching(base, self._reader.scope, self._reader.within)
            own = wanted if among is None else replace(wanted, documents=among)
            listed = await base.knowledge.find(self._reader.scope, own, MOST_DOCUMENTS)
            found += [(base.name, one) for one in listed]
        items = [_document_item(base, one) for base, one in found]
        if not found or not most:
            await self._passing.read((base, one.id) for base, one in found)
            return {"documents": items, "evidence": []}
        text = args.get("text") or self._reader.question
        best = await self._search(Query(text=text, filter=wanted, top_k=most))
        await self._passing.read((base, one.id) for base, one in found)
        return {"documents": items, "evidence": await self._items(best.hits), **_said(best)}

    async def fetch_neighbors(self, args: Mapping[str, Any]) -> object:
        """Return the references around some documents, and passages of those reached."""
        ids = [DocumentId(one) for one in args["document_ids"]]
        edges: list[Reference] = []
        for base in self._library.bases:
            edges += await self._edges(base.name, ids, args.get("depth", 1))
        reached = {end for edge in edges for end in (edge.source, edge.target)} - set(ids)
        reply: dict[str, object] = {
            "references": [
                {"source": edge.source, "target": edge.target, "kinds": list(edge.kinds)}
                for edge in edges
            ],
            "evidence": [],
        }
        if reached:
            query = Query(
                text=self._reader.question,
                filter=DocumentFilter(documents=frozenset(reached)),
                top_k=self._library.top_k,
                per_document=2,
            )
            found = await self._search(query)
            reply |= {"evidence": await self._items(found.hits), **_said(found)}
        return reply

    async def filter_docs(self, args: Mapping[str, Any]) -> object:
        """Return the documents found so far that share words with a query, most shared first."""
        asked = set(terms(args["query"]))
        among = set(args.get("document_ids") or ()) or None
        said: dict[DocumentId, set[str]] = {}
        items: dict[DocumentId, dict[str, str]] = {}
        for evidence in self._book.entries():
            if among is None or evidence.document_id in among:
                held = said.setdefault(evidence.document_id, set())
                held.update(terms(f"{evidence.title}\n{evidence.text}"))
                items[evidence.document_id] = {
                    "knowledge_base": evidence.knowledge_base,
                    "document_id": evidence.document_id,
                    "title": evidence.title,
                    "uri": evidence.uri,
                }
        ranked = sorted((key for key in said if asked & said[key]), key=str)
        ranked.sort(key=lambda key: len(asked & said[key]), reverse=True)
        return {"documents": [items[key] for key in ranked]}

    async def look_up(self, args: Mapping[str, Any]) -> object:
        """Return the passages that define some names."""
        spelt = dict(args.get("written") or {})
        keys: dict[str, str] = {}
        for name in args["names"]:
            key = name if name == name.casefold() else name_key(name)
            keys.setdefault(key, name)
            if key != name:
                spelt.setdefault(key, name)
        wanted = LookupQuery(
            names=tuple(keys),
            vector=await self._vector(args.get("near")),
            spelt=spelt,
            within=self._reader.within,
        )
        library, scope = self._library, self._reader.scope
        found = await library.retrieval.lookup(library.bases, scope, wanted)
        passed = {name: await self._passing.let_pass(hits) for name, hits in found.items()}
        items = {name: [self._item(hit) for hit in hits] for name, hits in passed.items()}
        every = {item["id"]: item for own in items.values() for item in own}
        return {
            "names": [
                {"name": keys[name], "ids": [one["id"] for one in own]}
                for name, own in items.items()
            ],
            "evidence": list(every.values()),
        }

    async def namesakes(self, args: Mapping[str, Any]) -> object:
        """Return the things that bear a name."""
        library, scope = self._library, self._reader.scope
        found = await library.retrieval.namesakes(library.bases, scope, args["name"])
        await self._passing.read(pair for one in found for pair in one.documents)
        return {
            "bearers": [
                {
                    "names": list(one.names),
                    "documents": [
                        {"knowledge_base": base, "document_id": document}
                        for base, document in sorted(one.documents)
                    ],
                }
                for one in found
            ]
        }

    async def read_documents(self, args: Mapping[str, Any]) -> object:
        """Return the passages of some documents in order."""
        library, reader = self._library, self._reader
        wanted = _pairs(args["documents"], bases=[base.name for base in library.bases])
        found = await library.retrieval.pages(
            library.bases, reader.scope, wanted, within=reader.within
        )
        return {"evidence": await self._items(found)}

    async def _edges(self, name: str, ids: Sequence[DocumentId], depth: int) -> list[Reference]:
        """Return the references around some documents, both ends of each within the run's."""
        scope = self._reader.scope
        base = next(one for one in self._library.bases if one.name == name)
        among = await matching(base, scope, self._reader.within)
        edges = await base.knowledge.neighbours(scope, ids, depth)
        return [edge for edge in edges if among is None or {edge.source, edge.target} <= among]

    async def _search(self, query: Query) -> Found:
        library, reader = self._library, self._reader
        query = replace(query, within=reader.within)
        search = library.retrieval.search
        found = await search(library.bases, library.embedder, reader.scope, query=query)
        if found.vector is not None:
            self._vectors[query.text] = found.vector
        return found

    async def _vector(self, near: str | None) -> Floats | None:
        embedder = self._library.embedder
        if embedder is None or not near:
            return None
        if near not in self._vectors:
            self._vectors[near] = (await embedder.queries([near]))[0]
        return self._vectors[near]

    async def _items(self, hits: Iterable[Hit]) -> list[dict[str, Any]]:
        return [self._item(hit) for hit in await self._passing.let_pass(hits)]

    def _item(self, hit: Hit) -> dict[str, Any]:
        evidence = hit.evidence
        name = self._book.id_of(evidence.knowledge_base, evidence.chunk_id)
        return {
            **evidence_item(evidence, name),
            "score": float(hit.score),
            "cosine": float(hit.cosine),
            "cosines": [float(one) for one in hit.cosines],
        }


def _said(found: Found) -> dict[str, Any]:
    """Return what a search says of the words of its query."""
    return {
        "words": [
            {"stem": one.stem, "words": list(one.words), "df": one.df, "idf": float(one.idf)}
            for one in found.terms
        ],
        "naming": float(found.naming),
        "notes": list(found.notes),
    }


def _pairs(
    documents: Sequence[Mapping[str, str]], *, bases: Sequence[str] = ("",)
) -> list[tuple[str, DocumentId]]:
    """Return documents with their bases; one that names none is meant in each."""
    return [
        (base, DocumentId(one["document_id"]))
        for one in documents
        for base in ([one["knowledge_base"]] if one.get("knowledge_base") else bases)
    ]


def _is_among(hit: Hit, named: set[tuple[str, DocumentId]]) -> bool:
    evidence = hit.evidence
    own = {(evidence.knowledge_base, evidence.document_id), ("", evidence.document_id)}
    return not named.isdisjoint(own)


def _these(documents: Sequence[tuple[str, DocumentId]]) -> DocumentFilter:
    return DocumentFilter(documents=frozenset(str(one) for _, one in documents))


def _filter(args: Mapping[str, Any]) -> DocumentFilter:
    contains = {}
    if "file_path" in args:
        contains["uri"] = args["file_path"]
    if "title" in args:
        contains["title"] = args["title"]
    return DocumentFilter(
        exact={key: args[key] for key in EXACT_FIELDS if key in args},
        contains=contains,
        types=frozenset({args["type"]}) if "type" in args else frozenset(),
    )


def _document_item(base: str, document: Document) -> dict[str, object]:
    return {
        "knowledge_base": base,
        "document_id": document.id,
        "title": document.title,
        "uri": document.uri,
    }
