"""What the knowledge tools read from, and on whose behalf."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from weft.domain.event import EventType
from weft.domain.frozen import dataclass
from weft.domain.ids import DocumentId, RunId
from weft.domain.scope import Scope
from weft.ports.embedder import Embedder
from weft.ports.fetching import WebSearch
from weft.ports.files.rdf_dataset import RdfDatasets
from weft.ports.knowledge import DocumentFilter
from weft.ports.policy import Policy
from weft.ports.records.tape import Tape
from weft.ports.store import Base
from weft.retrieval.hits import Found, Hit, Query
from weft.retrieval.lookup import LookupQuery
from weft.retrieval.namesakes import Namesake
from weft.retrieval.tables.desk import TableDesk

if TYPE_CHECKING:
    from weft.ontology.schema import Ontology


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


class Namesakes(Protocol):
    """From a name to the things that are called by it: `weft.retrieval.namesakes.namesakes`."""

    async def __call__(self, bases: Sequence[Base], scope: Scope, name: str) -> Sequence[Namesake]:
        """Return the things of a name."""
        ...


class Pages(Protocol):
    """From documents to their passages: `weft.retrieval.document_passages.pages`."""

    async def __call__(
        self,
        bases: Sequence[Base],
        scope: Scope,
        documents: Collection[tuple[str, DocumentId]],
        *,
        within: DocumentFilter,
    ) -> Sequence[Hit]:
        """Return the passages of some documents in order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The ways to find something in knowledge bases."""

    search: Search
    lookup: Lookup
    namesakes: Namesakes
    pages: Pages


def _baseline(base: str) -> Ontology:
    # Here, because most questions are answered without the graph.
    from weft.ontology.catalog import load_baseline

    return load_baseline()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLibrary:
    """The knowledge bases of one run, and how they are searched.

    `top_k` is how many passages a search gives where nobody says how many; `ontology_of` gives
    the ontology that a base is read by. Without `web` nothing outside is searched, without
    `rdf` nothing asked in RDF.
    """

    bases: tuple[Base, ...]
    embedder: Embedder | None
    retrieval: Retrieval
    tables: TableDesk
    policy: Policy
    tape: Tape
    top_k: int = 8
    ontology_of: Callable[[str], Ontology] = _baseline
    web: WebSearch | None = None
    rdf: RdfDatasets | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReader:
    """On whose behalf, for what question, and within which documents the tools read."""

    run_id: RunId
    scope: Scope
    question: str
    emit: Callable[[EventType, Mapping[str, object]], None]
    within: DocumentFilter = field(default_factory=DocumentFilter)
