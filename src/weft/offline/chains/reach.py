"""How documents are come by on the way: by a name, an issue key, or read whole; each a tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from time import monotonic

from weft.agents.toolbox import RuleTools
from weft.agents.tools.manifests import GRAPH_QUERY, LOOK_UP, RAG_SEARCH, READ_DOCUMENTS
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId
from weft.offline.evidence.found import hits_in
from weft.retrieval.hits import Hit

_MOST_DOCUMENTS = 20
_PASSAGES = 20
_LONGEST = 2000
# Many times what the longest chains take.
PLANNING_S = 6.0

# The knowledge base and the document.
DocumentKey = tuple[str, DocumentId]


def key_of_hit(hit: Hit) -> DocumentKey:
    """Return which document a passage is of."""
    return hit.evidence.knowledge_base, hit.evidence.document_id


@dataclass(frozen=True, slots=True)
class Reach:
    """Where passages come from: the tools of a run.

    What a question leads to is looked for until `until`, in seconds of the monotonic clock; what
    was found by then answers it or does not.
    """

    tools: RuleTools
    until: float = field(default_factory=lambda: monotonic() + PLANNING_S, kw_only=True)

    @property
    def is_late(self) -> bool:
        """Tell whether no further step is to be planned."""
        return monotonic() >= self.until

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

    async def of_issue(self, issue: str) -> list[DocumentKey]:
        """Return the documents of an issue key."""
        reply = await self.tools.use(GRAPH_QUERY, issue_key=issue, top_k=0)
        return [
            (one["knowledge_base"], DocumentId(one["document_id"]))
            for one in reply.get("documents", ())
        ][:_MOST_DOCUMENTS]

    async def pages(self, documents: Sequence[DocumentKey]) -> list[Hit]:
        """Return all passages of some documents."""
        if not documents:
            return []
        return hits_in(await self.tools.use(READ_DOCUMENTS, documents=_wanted(documents)))

    async def within(self, question: str, documents: Sequence[DocumentKey]) -> list[Hit]:
        """Return the passages of some documents that are nearest to a question."""
        reply = await self.tools.use(
            RAG_SEARCH,
            query=question[:_LONGEST],
            top_k=_PASSAGES,
            documents=_wanted(documents),
        )
        return hits_in(reply)


def _wanted(documents: Sequence[DocumentKey]) -> list[dict[str, str]]:
    return [{"knowledge_base": base, "document_id": one} for base, one in documents]
