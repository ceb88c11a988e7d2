"""Searching for callers: what may be asked, and the passages as they leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from weft.api.host import Host
from weft.api.shapes.answers import EvidenceShape, NoteShape, evidence_shape, note_shapes
from weft.bootstrap.knowledge import bases_of, top_k_of
from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.flows.asking import LONGEST_QUESTION
from weft.ingest.seen_sources import seen_sources
from weft.platform.access import require
from weft.platform.audit import audited, found_ids
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.audit import Deed
from weft.retrieval.hits import Explanation, Query
from weft.retrieval.search import search as find

Word = Annotated[str, Field(max_length=500)]
Key = Annotated[str, Field(min_length=1, max_length=100)]
Number = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Finite = Annotated[float, Field(allow_inf_nan=False)]  # no document's metadata has another
Exact = Annotated[dict[Key, Word | bool | Number | Finite], Field(max_length=16)]


class Filters(BaseModel):
    """Which documents: every given condition must hold."""

    model_config = ConfigDict(extra="forbid")

    exact: Exact = Field(default_factory=dict)
    contains: Annotated[dict[Key, Word], Field(max_length=16)] = Field(default_factory=dict)
    types: Annotated[list[Word], Field(max_length=64)] = Field(default_factory=list)
    sources: Annotated[list[Word], Field(max_length=64)] = Field(default_factory=list)
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None

    def filter(self) -> DocumentFilter:
        """Return the filter that the conditions make."""
        return DocumentFilter(
            exact=dict(self.exact),
            contains=dict(self.contains),
            types=frozenset(self.types),
            sources=frozenset(self.sources),
            since=self.since,
            until=self.until,
        )


class SearchWanted(BaseModel):
    """What is searched for, in which knowledge bases (all of them if none is named)."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"query": "who founded Apollo", "top_k": 5}},
    )

    kb: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=64)] = Field(
        default_factory=list
    )
    query: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    top_k: int | None = Field(default=None, ge=1, le=100)
    filters: Filters = Field(default_factory=Filters)
    explain: bool = False


class FoundPassageShape(BaseModel):
    """A passage that one stage found."""

    document_id: str
    chunk_id: str


class StageShape(BaseModel):
    """What one stage of the search found, best first."""

    stage: str
    found: list[FoundPassageShape]


class ExplanationShape(BaseModel):
    """How the passages of one knowledge base were found."""

    kb: str
    names: list[str]
    stages: list[StageShape]
    requeries: list[str]


class SearchReply(BaseModel):
    """The passages, best first, with notes on what the search could not do."""

    evidence: list[EvidenceShape]
    notes: list[NoteShape]
    explanations: list[ExplanationShape]


class Searcher:
    """Searches knowledge bases under a caller's scope."""

    def __init__(self, host: Host) -> None:
        """Take the host of the service."""
        self._host = host

    async def search(self, scope: Scope, wanted: SearchWanted) -> SearchReply:
        """Return the passages for a question."""
        if not wanted.query.strip():
            raise BadInput("The query is empty.")
        stores = await self._host.stores(scope, wanted.kb)
        target = f"kb:{','.join(store.name for store in stores) or '-'}"
        app = self._host.app
        top_k = wanted.top_k or top_k_of(app.settings, stores)
        query = Query(
            text=wanted.query.strip(),
            top_k=top_k,
            filter=wanted.filters.filter(),
            explain=wanted.explain,
        )
        async with audited(app.records.audit, scope, Deed(action="search", target=target)) as act:
            require(scope, "kb.read", target)
            found = await find(bases_of(stores), app.embedder, scope, query=query)
            shown = [hit.evidence for hit in found.hits[:top_k]]
            act.note(**found_ids(shown))
        return SearchReply(
            evidence=[evidence_shape(one) for one in shown],
            notes=note_shapes(found.notes),
            explanations=[_explained(each) for each in found.explanations],
        )

    async def check_sources(self, scope: Scope, kb: Sequence[str], wanted: Sequence[str]) -> None:
        """Raise `BadInput` naming the allowed sources where one that is wanted is not among them.

        Names of sources and types of documents are compared without regard to case.
        """
        if not wanted:
            return
        allowed = await seen_sources(scope, await self._host.stores(scope, kb))
        unknown = [name for name in wanted if name.casefold() not in allowed]
        if unknown:
            raise BadInput(
                f"sources: there is no source '{unknown[0]}'; allowed: {', '.join(sorted(allowed))}"
            )


def _explained(said: Explanation) -> ExplanationShape:
    # Scores stay inside: what is shown is the order.
    return ExplanationShape(
        kb=said.knowledge_base,
        names=[name for name, _ in said.names],
        stages=[
            StageShape(
                stage=stage,
                found=[
                    FoundPassageShape(document_id=step.document_id, chunk_id=step.chunk_id)
                    for step in steps
                ],
            )
            for stage, steps in said.stages
        ],
        requeries=[query for _, _, query in said.requeries],
    )
