"""How documents are come by on the way: by a search, a name, an issue key; each a tool's call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic

from weft.agents.toolbox import RuleTools
from weft.agents.tools.manifests import (
    GRAPH_QUERY,
    LOOK_UP,
    NAMESAKES,
    RAG_SEARCH,
    READ_DOCUMENTS,
)
from weft.domain.ids import DocumentId
from weft.offline.evidence.documents import Sheet, sheets_of
from weft.offline.evidence.found import hits_in, terms_in
from weft.offline.question.names import key_of
from weft.retrieval.hits import Hit, QuestionTerm

_MOST_FOUND = 8
_MOST_NAMED = 2
_MOST_DOCUMENTS = 20
_LONGEST = 2000
# Many times what the longest chains take.
PLANNING_S = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a search gave: its passages, and what it says of the words of its query."""

    hits: tuple[Hit, ...]
    terms: tuple[QuestionTerm, ...]
    naming: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedBearer:
    """One thing of a name: its other names, and (knowledge base, document) of where it is named."""

    names: tuple[str, ...]
    documents: frozenset[tuple[str, DocumentId]]


@dataclass(frozen=True, slots=True)
class Reach:
    """Where passages come from: the tools of a run.

    What a question leads to is looked for until `until`, in seconds of the monotonic clock; what
    was found by then answers it or does not.
    """

    tools: RuleTools
    until: float = field(default_factory=lambda: monotonic() + PLANNING_S)

    @property
    def is_late(self) -> bool:
        """Tell whether no further step is to be planned."""
        return monotonic() >= self.until

    async def search(self, text: str, *, top_k: int, per_document: int) -> Searched:
        """Return what a search finds."""
        reply = await self.tools.use(
            RAG_SEARCH, query=text[:_LONGEST], top_k=top_k, per_document=per_document
        )
        return Searched(
            hits=tuple(hits_in(reply)),
            terms=terms_in(reply),
            naming=float(reply.get("naming", 0.0)),
        )

    async def found(self, text: str) -> tuple[Searched, list[Sheet]]:
        """Return what a search says of the words of a text, and the best documents."""
        found = await self.search(text, top_k=_MOST_FOUND, per_document=2)
        return found, sheets_of(found.hits)

    async def lookup(
        self, names: Sequence[str], *, spelt: Mapping[str, str], near: str = ""
    ) -> Mapping[str, Sequence[Hit]]:
        """Return the passages that define some names, by key; `spelt` has them as written."""
        args: dict[str, object] = {"names": list(names)}
        written = {key: name for key, name in spelt.items() if key in names}
        if written:
            args["written"] = written
        if near:
            args["near"] = near[:_LONGEST]
        reply = await self.tools.use(LOOK_UP, **args)
        by_id = {hit.evidence.id: hit for hit in hits_in(reply)}
        return {one["name"]: [by_id[each] for each in one["ids"]] for one in reply.get("names", ())}

    async def bearers(self, name: str) -> list[NamedBearer]:
        """Return the things that are called by a name."""
        reply = await self.tools.use(NAMESAKES, name=name)
        return [
            NamedBearer(
                names=tuple(one["names"]),
                documents=frozenset(
                    (each["knowledge_base"], DocumentId(each["document_id"]))
                    for each in one["documents"]
                ),
            )
            for one in reply.get("bearers", ())
        ]

    async def named(self, name: str) -> list[Sheet]:
        """Return the documents about the bearer of a name, whole."""
        key = key_of(name)
        found = await self.lookup([key], spelt={key: name})
        return [await self.whole(sheet) for sheet in sheets_of(found.get(key, ()))[:_MOST_NAMED]]

    async def of_issue(self, issue: str) -> list[Sheet]:
        """Return the document of an issue key, whole."""
        reply = await self.tools.use(GRAPH_QUERY, issue_key=issue, top_k=0)
        documents = [
            (one["knowledge_base"], DocumentId(one["document_id"]))
            for one in reply.get("documents", ())
        ][:_MOST_DOCUMENTS]
        return sheets_of(await self.pages(documents)) if documents else []

    async def whole(self, sheet: Sheet) -> Sheet:
        """Return a document with all of its passages."""
        if sheet.hits[0].evidence.document_id.startswith("record:"):
            return sheet
        return sheets_of([*sheet.hits, *await self.pages([sheet.key])])[0]

    async def pages(self, documents: Collection[tuple[str, DocumentId]]) -> list[Hit]:
        """Return all passages of some documents."""
        wanted = [{"knowledge_base": base, "document_id": one} for base, one in documents]
        return hits_in(await self.tools.use(READ_DOCUMENTS, documents=wanted))
