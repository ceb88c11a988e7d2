"""The four knowledge tools at work: every passage they give goes into the run's book."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from weft.agents.evidence import EvidenceBook
from weft.agents.tools.manifests import (
    EXACT_FIELDS,
    FETCH_NEIGHBORS,
    FILTER_DOCS,
    GRAPH_QUERY,
    RAG_SEARCH,
)
from weft.domain.document import Document
from weft.domain.errors import PolicyViolation
from weft.domain.event import EventType
from weft.domain.ids import DocumentId, RunId
from weft.domain.scope import Scope
from weft.language.terms import terms
from weft.offline.chains.subquestions import Sources, follow, set_aside
from weft.offline.tables.listings import may_list
from weft.offline.tables.rows import is_of_a_table
from weft.offline.tables.words import goes_over_rows, naming_stems
from weft.platform.manifest import Handler
from weft.platform.policy import apply, violation_data
from weft.ports.embedder import Embedder
from weft.ports.knowledge import DocumentFilter, Reference
from weft.ports.policy import Action, Place, Policy, Violation
from weft.ports.records.conversations import MessageSource
from weft.ports.records.tape import RunSource, Tape
from weft.ports.store import Base
from weft.retrieval.families import Family, SiblingQuery
from weft.retrieval.hits import Found, Hit, Query
from weft.retrieval.lookup import LookupQuery
from weft.retrieval.search import matching

PASSAGES = 8
MOST_DOCUMENTS = 50
# Neighbours are looked for among so many of the best passages.
_WIDE = 60


class Search(Protocol):
    """From a question to passages: `weft.retrieval.search.search`."""

    async def __call__(
        self, bases: Sequence[Base], embedder: Embedder | None, scope: Scope, *, query: Query
    ) -> Found:
        """Return the best passages, and what is known of the question's words."""
        ...


class Lookup(Protocol):
    """From names to the passages that define them: `weft.retrieval.lookup.lookup`."""

    async def __call__(
        self, bases: Sequence[Base], scope: Scope, wanted: LookupQuery
    ) -> Mapping[str, tuple[Hit, ...]]:
        """Return the passages that define each name."""
        ...


class Siblings(Protocol):
    """From passages to all that stands beside them: `weft.retrieval.families.siblings`."""

    async def __call__(
        self, bases: Sequence[Base], scope: Scope, beside: SiblingQuery
    ) -> Sequence[Family]:
        """Return the rows, pages and documents that some evidence belongs to, whole."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What the tools read from: knowledge bases, the search over them, and what may pass.

    Without `lookup`, chains are followed as far as the passages that a search finds; without
    `siblings`, nothing is counted or listed over the rows of tables.
    """

    bases: tuple[Base, ...]
    embedder: Embedder | None
    search: Search
    policy: Policy
    tape: Tape
    lookup: Lookup | None = None
    siblings: Siblings | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """On whose behalf, for what question, and within which documents the tools read."""

    run_id: RunId
    scope: Scope
    question: str
    emit: Callable[[EventType, Mapping[str, object]], None]
    within: DocumentFilter = field(default_factory=DocumentFilter)


class KnowledgeTools:
    """The handlers of one run's knowledge tools."""

    def __init__(self, library: Library, reader: Reader, *, book: EvidenceBook) -> None:
        """Take what is read, who reads, and where the findings are written."""
        self._library = library
        self._reader = reader
        self._book = book

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by tool name."""
        return {
            RAG_SEARCH: self.rag_search,
            GRAPH_QUERY: self.graph_query,
            FETCH_NEIGHBORS: self.fetch_neighbors,
            FILTER_DOCS: self.filter_docs,
        }

    async def rag_search(self, args: Mapping[str, Any]) -> object:
        """Return the best passages for a query."""
        query = Query(text=args["query"], top_k=args.get("top_k", PASSAGES), per_document=6)
        found = await self._search(query)
        items = await self._admit(found.hits)
        if (sources := self._sources()) is not None:
            reached = await follow(query.text, self._book, sources=sources)
            items += [_evidence_item(name, hit) for name, hit in reached]
            self._book.aside = await set_aside(query.text, sources)
        await self._set_beside(query.text)
        return {"evidence": items}

    async def graph_query(self, args: Mapping[str, Any]) -> object:
        """Return the documents that match every condition, and their best passages."""
        wanted = _filter(args)
        if wanted.is_empty:
            return {"documents": [], "evidence": []}
        documents: list[Document] = []
        for base in self._library.bases:
            among = await matching(base, self._reader.scope, self._reader.within)
            found = await base.knowledge.find(self._reader.scope, wanted, MOST_DOCUMENTS)
            documents += [one for one in found if among is None or one.id in among]
        if not documents:
            return {"documents": [], "evidence": []}
        text = args.get("text") or self._reader.question
        best = await self._search(Query(text=text, filter=wanted, top_k=PASSAGES))
        return {
            "documents": [_document_item(document) for document in documents],
            "evidence": await self._admit(best.hits),
        }

    async def fetch_neighbors(self, args: Mapping[str, Any]) -> object:
        """Return the references around some documents, and passages of those reached."""
        ids = [DocumentId(one) for one in args["document_ids"]]
        edges: list[Reference] = []
        for base in self._library.bases:
            edges += await self._edges(base, ids, args.get("depth", 1))
        reached = {end for edge in edges for end in (edge.source, edge.target)} - set(ids)
        hits: Sequence[Hit] = ()
        if reached:
            query = Query(text=self._reader.question, top_k=_WIDE, per_document=2)
            found = await self._search(query)
            hits = [hit for hit in found.hits if hit.evidence.document_id in reached][:PASSAGES]
        return {
            "references": [
                {"source": edge.source, "target": edge.target, "kinds": list(edge.kinds)}
                for edge in edges
            ],
            "evidence": await self._admit(hits),
        }

    async def _edges(self, base: Base, ids: Sequence[DocumentId], depth: int) -> list[Reference]:
        """Return the references around some documents, both ends of each within the run's."""
        scope = self._reader.scope
        among = await matching(base, scope, self._reader.within)
        edges = await base.knowledge.neighbours(scope, ids, depth)
        return [edge for edge in edges if among is None or {edge.source, edge.target} <= among]

    async def filter_docs(self, args: Mapping[str, Any]) -> object:
        """Return the documents in the book that share words with a query, most shared first."""
        asked = set(terms(args["query"]))
        among = set(args.get("document_ids") or ()) or None
        said: dict[DocumentId, set[str]] = {}
        items: dict[DocumentId, dict[str, str]] = {}
        for _, hit in self._book.entries():
            evidence = hit.evidence
            if among is None or evidence.document_id in among:
                held = said.setdefault(evidence.document_id, set())
                held.update(terms(f"{evidence.title}\n{evidence.text}"))
                items[evidence.document_id] = {
                    "document_id": evidence.document_id,
                    "title": evidence.title,
                    "uri": evidence.uri,
                }
        ranked = sorted((key for key in said if asked & said[key]), key=str)
        ranked.sort(key=lambda key: len(asked & said[key]), reverse=True)
        return {"documents": [items[key] for key in ranked]}

    def _sources(self) -> Sources | None:
        """Return what names and descriptions are followed in; None without a look-up."""
        library = self._library
        if library.lookup is None:
            return None
        return Sources(
            bases=library.bases,
            scope=self._reader.scope,
            search=self._found,
            within=self._reader.within,
            lookup=library.lookup,
            let_pass=self._let_pass,
        )

    async def _set_beside(self, question: str) -> None:
        """Put what stands beside the passages into the book, where a question goes over rows."""
        library = self._library
        if library.siblings is None or not goes_over_rows(question):
            return
        found = [hit.evidence for _, hit in self._book.entries()]
        beside = SiblingQuery(
            evidence=[one for one in found if is_of_a_table(one)],
            stems=naming_stems(question),
            whole=frozenset(one.document_id for one in found if may_list(one)),
            within=self._reader.within,
        )
        for family in await library.siblings(library.bases, self._reader.scope, beside):
            passed = [hit for hit in [await self._passed(hit) for hit in family.hits] if hit]
            if len(passed) == len(family.hits):  # else what is computed from it would be wrong
                await self._read(passed)
                self._book.put_aside(family, passed)

    async def recall(self, documents: Sequence[MessageSource]) -> None:
        """Bring into the book the best passages of documents that were cited before.

        The scope decides anew: what the caller may no longer read does not come back.
        """
        for cited in documents:
            wanted = DocumentFilter(contains={"uri": cited.uri})
            # With the title: the question itself may hold no word of the document.
            text = f"{self._reader.question}\n{cited.title}"
            query = Query(text=text, filter=wanted, top_k=PASSAGES, per_document=PASSAGES)
            found = await self._search(query)
            named = (cited.knowledge_base, cited.document)
            await self._admit(
                hit
                for hit in found.hits
                if (hit.evidence.knowledge_base, hit.evidence.document_id) == named
            )

    async def _search(self, query: Query) -> Found:
        found = await self._found(query)
        self._book.learn(found)
        return found

    async def _found(self, query: Query) -> Found:
        library, reader = self._library, self._reader
        query = replace(query, within=reader.within)
        return await library.search(library.bases, library.embedder, reader.scope, query=query)

    async def _admit(self, hits: Iterable[Hit]) -> list[dict[str, object]]:
        """Return passages as items, as far as the policy lets them pass; the book gets the same."""
        return [_evidence_item(self._book.add(hit), hit) for hit in await self._let_pass(hits)]

    async def _let_pass(self, hits: Iterable[Hit]) -> list[Hit]:
        """Return passages as far as the policy lets them pass.

        The run's record says which documents it read before anybody sees their text.
        """
        passed = [hit for hit in [await self._passed(hit) for hit in hits] if hit is not None]
        await self._read(passed)
        return passed

    async def _read(self, passed: Iterable[Hit]) -> None:
        sources = {
            RunSource(knowledge_base=h.evidence.knowledge_base, document=h.evidence.document_id)
            for h in passed
        }
        if sources:
            reader = self._reader
            await self._library.tape.add_sources(reader.scope, reader.run_id, sorted(sources))

    async def _passed(self, hit: Hit) -> Hit | None:
        policy, scope = self._library.policy, self._reader.scope
        try:
            verdict = await apply(policy, scope, Place.RETRIEVED, text=hit.evidence.text)
        except PolicyViolation as error:
            self._tell(Violation(rule=error.code, action=Action.BLOCK, excerpt=""))
            return None
        for violation in verdict.violations:
            self._tell(violation)
        if verdict.text == hit.evidence.text:
            return hit
        # Another text has other sentences: spans and cosines of the old one do not fit it.
        evidence = replace(hit.evidence, text=verdict.text, sentences=())
        return replace(hit, evidence=evidence, cosines=())

    def _tell(self, violation: Violation) -> None:
        data = violation_data(Place.RETRIEVED, violation)
        self._reader.emit(EventType.POLICY_VIOLATION, data)


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


def _document_item(document: Document) -> dict[str, object]:
    return {"document_id": document.id, "title": document.title, "uri": document.uri}


def _evidence_item(name: str, hit: Hit) -> dict[str, object]:
    evidence = hit.evidence
    return {
        "id": name,
        "document_id": evidence.document_id,
        "chunk_id": evidence.chunk_id,
        "title": evidence.title,
        "uri": evidence.uri,
        "section": evidence.section,
        "page": evidence.page,
        "text": evidence.text,
    }
