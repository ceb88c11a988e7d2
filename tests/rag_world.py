"""A small world for flows: documents in memory, a plain search, records in memory."""

from __future__ import annotations

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, cast

from weft.agents.model.prompts import Prompts
from weft.agents.model.runner import ModelAgents
from weft.agents.tools.library import Retrieval, RunLibrary
from weft.agents.tools.manifests import KNOWLEDGE_TOOLS
from weft.domain.answer import Answer
from weft.domain.document import Chunk, Document, Span, chunk_id
from weft.domain.errors import NotFound
from weft.domain.event import RunEvent
from weft.domain.evidence import Evidence
from weft.domain.ids import ChunkId, DocumentId, RunId
from weft.domain.scope import Scope
from weft.flows.asking import Asking
from weft.flows.catalog import FlowCatalog
from weft.flows.roles import RoleFiller
from weft.flows.running import FlowRunner
from weft.flows.services import Services
from weft.flows.toolkits import Toolkits
from weft.language.sentences import sentences
from weft.language.terms import terms, word_terms, words
from weft.platform.manifest import ToolCatalog
from weft.platform.policy import OpenPolicy
from weft.platform.tools import Dispatcher, DispatcherDeps
from weft.ports.embedder import Embedder
from weft.ports.knowledge import DocumentFilter, Knowledge, Reference, StoredChunk
from weft.ports.policy import Place, Policy, Verdict
from weft.ports.records.audit import Audit, AuditEntry, AuditHead
from weft.ports.records.runs import Run, RunHeader, Runs, RunStatus
from weft.ports.records.steering import RunOrder
from weft.ports.records.tape import RunSource, Tape, TapeEntry
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolRun, ToolRuns
from weft.ports.store import Base
from weft.retrieval.hits import Found, Hit, Query, QuestionTerm
from weft.retrieval.lookup import LookupQuery
from weft.retrieval.namesakes import Namesake
from weft.retrieval.tables.desk import TableDesk
from weft.retrieval.tables.shelf import TableOutline, TablesWanted
from weft.retrieval.tables.table import TypedTable
from weft.runtime.amounts import NO_LIMITS


class StillClock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def elapsed(self) -> float:
        return self.seconds


class Shelf:
    """Documents of one chunk a paragraph, readable by whoever shares a principal."""

    def __init__(self) -> None:
        self.texts: dict[DocumentId, str] = {}
        self.documents: dict[DocumentId, Document] = {}
        self.held: dict[ChunkId, StoredChunk] = {}
        self.references: list[Reference] = []

    def put(self, name: str, text: str, **known: Any) -> DocumentId:
        key = DocumentId(f"file:test/{name}")
        self.remove(key)
        document = Document(
            id=key,
            source=known.get("source", "test"),
            type=known.get("type", "file"),
            title=known.get("title", name),
            uri=known.get("uri", f"file:///{name}"),
            version=str(hash(text)),
            acl=frozenset(known.get("acl", {"tenant:*"})),
            metadata=known.get("metadata", {}),
        )
        self.texts[key], self.documents[key] = text, document
        at = 0
        for index, part in enumerate(text.split("\n\n")):
            chunk = Chunk(
                id=chunk_id(key, part, chunk_index=index),
                document_id=key,
                chunk_index=index,
                text=part,
                start=at,
                end=at + len(part),
                sentences=tuple(_lines(part)),
            )
            self.held[chunk.id] = StoredChunk(chunk=chunk, document=document)
            at += len(part) + 2
        return key

    def remove(self, key: DocumentId) -> None:
        self.held = {k: v for k, v in self.held.items() if v.document.id != key}
        self.documents.pop(key, None)
        self.texts.pop(key, None)

    def readable(self, scope: Scope) -> list[StoredChunk]:
        return [
            one for one in self.held.values() if not one.document.acl.isdisjoint(scope.principals)
        ]

    async def chunks(self, scope: Scope, ids: Sequence[ChunkId]) -> list[StoredChunk]:
        by_id = {one.chunk.id: one for one in self.readable(scope)}
        return [by_id[key] for key in ids if key in by_id]

    async def text(self, scope: Scope, document_id: DocumentId) -> str:
        if document_id not in {one.document.id for one in self.readable(scope)}:
            raise NotFound
        return self.texts[document_id]

    async def find(self, scope: Scope, wanted: DocumentFilter, limit: int) -> list[Document]:
        if wanted.is_empty:
            return []
        known = {one.document.id: one.document for one in self.readable(scope)}
        return [known[key] for key in sorted(known) if _matches(known[key], wanted)][:limit]

    async def neighbours(
        self, scope: Scope, ids: Sequence[DocumentId], depth: int
    ) -> list[Reference]:
        del scope
        near, found = set(ids), []
        for _ in range(depth):
            found = [edge for edge in self.references if {edge.source, edge.target} & near]
            near |= {end for edge in found for end in (edge.source, edge.target)}
        return found


def _lines(text: str) -> list[Span]:
    found: list[Span] = []
    for span in sentences(text):
        at = span.start
        for line in text[span.start : span.end].split("\n"):
            if ": " in line or "\n" not in text[span.start : span.end]:
                found.append(Span(start=at, end=at + len(line)))
            at += len(line) + 1
    return found or [Span(start=0, end=len(text))]


def _matches(document: Document, wanted: DocumentFilter) -> bool:
    if wanted.documents is not None and document.id not in wanted.documents:
        return False
    exact = all(document.metadata.get(key) == value for key, value in wanted.exact.items())
    near = {**document.metadata, "title": document.title, "uri": document.uri}
    contains = all(
        part.casefold() in str(near.get(key, "")).casefold()
        for key, part in wanted.contains.items()
    )
    return exact and contains and (not wanted.types or document.type in wanted.types)


async def plain_search(
    bases: Sequence[Base], embedder: Embedder | None, scope: Scope, *, query: Query
) -> Found:
    """Rank by shared stems weighed by rarity; without vectors."""
    del embedder
    readable = [
        (base.name, one) for base in bases for one in cast(Shelf, base.knowledge).readable(scope)
    ]
    stems = [set(terms(f"{one.document.title}\n{one.chunk.text}")) for _, one in readable]
    df = Counter(stem for held in stems for stem in held)
    total = len(readable)
    asked: dict[str, list[str]] = {}
    for word in words(unicodedata.normalize("NFKC", query.text)):
        for stem in word_terms(word):
            asked.setdefault(stem, []).append(word)
    known = {
        stem: math.log(1 + total / df[stem]) / math.log(1 + total) if df[stem] else 1.0
        for stem in asked
    }
    scored = [
        (sum(known[stem] for stem in asked if stem in held), name, one)
        for held, (name, one) in zip(stems, readable, strict=True)
        if _is_wanted(one.document, query.filter, scope)
        and (query.within.is_empty or _matches(one.document, query.within))
    ]
    scored.sort(key=lambda item: (-item[0], item[2].chunk.id))
    best = max((score for score, _, _ in scored), default=0.0) or 1.0
    return Found(
        hits=tuple(
            Hit(evidence=_evidence(name, one), score=score / best, cosine=0.0, cosines=())
            for score, name, one in scored[: query.top_k]
            if score > 0
        ),
        terms=tuple(
            QuestionTerm(stem=stem, words=tuple(said), df=df[stem], idf=known[stem])
            for stem, said in asked.items()
        ),
        passages=total,
    )


def _is_wanted(document: Document, wanted: DocumentFilter, scope: Scope) -> bool:
    named = scope.sources is None or bool({document.source, document.type} & scope.sources)
    return named and (wanted.is_empty or _matches(document, wanted))


def _evidence(base: str, one: StoredChunk) -> Evidence:
    return one.evidence(f"{base}/{one.chunk.id}", knowledge_base=base)


async def no_names(
    bases: Sequence[Base], scope: Scope, wanted: LookupQuery
) -> Mapping[str, tuple[Hit, ...]]:
    """Know no passage that defines a name."""
    del bases, scope
    return dict.fromkeys(wanted.names, ())


async def no_namesakes(bases: Sequence[Base], scope: Scope, name: str) -> Sequence[Namesake]:
    """Know nobody who bears a name."""
    del bases, scope, name
    return ()


async def whole_documents(
    bases: Sequence[Base],
    scope: Scope,
    documents: Collection[tuple[str, DocumentId]],
    *,
    within: DocumentFilter,
) -> Sequence[Hit]:
    """Return all paragraphs of some documents."""
    del within
    return [
        Hit(evidence=_evidence(base.name, one), score=0.0, cosine=0.0, cosines=())
        for base in bases
        for one in cast(Shelf, base.knowledge).readable(scope)
        if (base.name, one.document.id) in documents
    ]


class NoTables(TableDesk):
    """A desk in whose knowledge bases nothing is a table."""

    async def tables(
        self, bases: Sequence[Base], scope: Scope, wanted: TablesWanted
    ) -> tuple[TypedTable, ...]:
        """Return no tables."""
        return ()

    async def outlines(
        self, bases: Sequence[Base], scope: Scope, within: DocumentFilter
    ) -> tuple[TableOutline, ...]:
        """Return no tables."""
        del bases, scope, within
        return ()


@dataclass
class Ledgers:
    """Runs, tool runs, audit and tape in memory: what was written, in order."""

    headers: dict[RunId, RunHeader] = field(default_factory=dict)
    ended: dict[RunId, RunStatus] = field(default_factory=dict)
    summaries: dict[RunId, Mapping[str, object]] = field(default_factory=dict)
    written: list[RunEvent] = field(default_factory=list)
    calls: dict[tuple[RunId, str], ToolRun] = field(default_factory=dict)
    audited: list[AuditEntry] = field(default_factory=list)
    read: list[RunSource] = field(default_factory=list)
    taped: list[TapeEntry] = field(default_factory=list)
    tapes: dict[tuple[RunId, str], TapeEntry] = field(default_factory=dict)
    frontiers: dict[RunId, str] = field(default_factory=dict)
    saves: int = 0
    dies_at: int = -1
    actors: dict[RunId, str] = field(default_factory=dict)

    async def create(self, scope: Scope, header: RunHeader) -> None:
        self.headers.setdefault(header.run_id, header)

    async def get(self, scope: Scope, run_id: RunId) -> Run:
        status = self.ended.get(run_id, RunStatus.RUNNING)
        actor = self.actors.get(run_id, scope.actor)
        return Run(header=self.headers[run_id], actor=actor, status=status)

    async def add_sources(self, scope: Scope, run_id: RunId, sources: Sequence[RunSource]) -> None:
        self.read += sources

    async def sources(self, scope: Scope, run_id: RunId) -> list[RunSource]:
        own = (one.sources for (run, _), one in self.tapes.items() if run == run_id)
        return sorted({*self.read, *(each for sources in own for each in sources)})

    async def put(self, scope: Scope, run_id: RunId, entry: TapeEntry) -> None:
        self.taped.append(entry)
        self.tapes[run_id, entry.key] = entry

    async def begin(self, scope: Scope, call: ToolCall) -> ToolRun:
        known = self.calls.get((call.run_id, call.action_id))
        if known is not None:
            return replace(known, begun_before=True)
        run = ToolRun(call=call, outcome=None, begun_before=False)
        self.calls[call.run_id, call.action_id] = run
        return run

    async def of_run(self, scope: Scope, run_id: RunId) -> list[ToolRun]:
        return [run for (owner, _), run in self.calls.items() if owner == run_id]


class MemoryRuns(Ledgers):
    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        self.written += events

    async def finish(
        self, scope: Scope, run_id: RunId, *, status: RunStatus, summary: Mapping[str, object]
    ) -> None:
        self.ended.setdefault(run_id, status)
        self.summaries.setdefault(run_id, summary)

    async def erase(self, scope: Scope, run_id: RunId) -> None:
        del self.headers[run_id]

    async def events(self, scope: Scope, run_id: RunId, *, after_seq: int = 0) -> list[RunEvent]:
        return [one for one in self.written if one.run_id == run_id and one.seq > after_seq]

    async def find(self, scope: Scope, run_id: RunId, key: str) -> TapeEntry | None:
        return self.tapes.get((run_id, key))

    async def save_frontier(
        self,
        scope: Scope,
        run_id: RunId,
        *,
        frontier: Mapping[str, object],
        status: RunStatus = RunStatus.RUNNING,
    ) -> None:
        self.frontiers[run_id] = json.dumps(frontier)
        self.saves += 1
        if self.saves == self.dies_at:
            raise Killed

    async def load_frontier(self, scope: Scope, run_id: RunId) -> Mapping[str, object] | None:
        kept = self.frontiers.get(run_id)
        return None if kept is None else dict(json.loads(kept))


class Killed(BaseException):
    """The process is gone."""


class MemoryToolRuns(Ledgers):
    async def finish(
        self, scope: Scope, run_id: RunId, action_id: str, *, outcome: ToolOutcome
    ) -> bool:
        known = self.calls[run_id, action_id]
        if known.outcome is None:
            self.calls[run_id, action_id] = replace(known, outcome=outcome)
        return known.outcome is None


class MemoryAudit(Ledgers):
    async def append(self, scope: Scope, entry: AuditEntry) -> AuditHead:
        self.audited.append(entry)
        return AuditHead(seq=len(self.audited), mac="")


class Orders:
    """Nobody orders anything."""

    async def put(self, scope: Scope, run_id: RunId, order: RunOrder) -> None:
        raise AssertionError(order)

    async def take(self, scope: Scope, run_id: RunId) -> list[RunOrder]:
        return []


class CountingPolicy:
    """Lets everything pass and counts what was asked at each place."""

    def __init__(self) -> None:
        self.seen: Counter[Place] = Counter()

    async def check(self, scope: Scope, place: Place, text: str) -> Verdict:
        self.seen[place] += 1
        return Verdict(text=text)


@dataclass
class World:
    """A runner of flows, and everything in it that a test wants to look at."""

    flows: FlowRunner
    shelf: Shelf
    runs: MemoryRuns
    tool_runs: MemoryToolRuns
    audit: MemoryAudit
    clock: StillClock
    library: RunLibrary

    async def ask(self, scope: Scope, question: str, **options: Any) -> Answer:
        """Answer a question from the shelf."""
        asking = Asking(question=question, knowledge_bases=("docs",), **options)
        return (await self.flows.run(scope, asking)).answer


def make_world(model: Any = None, policy: Policy | None = None, **options: Any) -> World:
    shelf, clock = options.get("shelf") or Shelf(), options.get("clock") or StillClock()
    runs, tool_runs, audit = MemoryRuns(), MemoryToolRuns(), MemoryAudit()
    dispatcher = Dispatcher(
        DispatcherDeps(
            catalog=ToolCatalog(KNOWLEDGE_TOOLS),
            policy=policy or OpenPolicy(),
            tool_runs=cast(ToolRuns, tool_runs),
            audit=cast(Audit, audit),
            clock=clock,
        )
    )
    shelves: Mapping[str, Shelf] = options.get("shelves") or {"docs": shelf}
    library = RunLibrary(
        bases=tuple(
            Base(name=name, knowledge=cast(Knowledge, one)) for name, one in shelves.items()
        ),
        embedder=None,
        retrieval=Retrieval(
            search=options.get("search", plain_search),
            lookup=no_names,
            namesakes=no_namesakes,
            pages=whole_documents,
        ),
        tables=NoTables(),
        policy=policy or OpenPolicy(),
        tape=cast(Tape, runs),
    )

    async def open_library(scope: Scope, names: tuple[str, ...]) -> RunLibrary:
        wanted = tuple(base for base in library.bases if base.name in names)
        return library if len(shelves) == 1 else replace(library, bases=wanted)

    agents = None
    if model is not None:
        terms = options.get("terms")
        agents = ModelAgents(
            model, Prompts(options.get("prompts")), dispatcher=dispatcher, terms=terms
        )
    services = Services(
        filler=RoleFiller(agents),
        toolkits=Toolkits(dispatcher, open_library, survey=options.get("survey")),
        policy=policy or OpenPolicy(),
        runs=cast(Runs, runs),
        audit=cast(Audit, audit),
        tape=cast(Tape, runs),
        tool_runs=cast(ToolRuns, tool_runs),
        steering=Orders(),
        clock=clock,
        most=options.get("most", NO_LIMITS),
        agent_s=options.get("agent_s", 90.0),
    )
    return World(
        flows=FlowRunner(services, FlowCatalog(options.get("flows"))),
        shelf=shelf,
        runs=runs,
        tool_runs=tool_runs,
        audit=audit,
        clock=clock,
        library=library,
    )
