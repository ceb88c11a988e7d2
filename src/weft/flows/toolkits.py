"""What runs work with while they go on: their knowledge bases, tools and evidence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import field, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from weft.agents.evidence import EvidenceBook, EvidenceRef
from weft.agents.toolbox import Toolbox
from weft.agents.tools.graph_manifests import GRAPH_TOOLS
from weft.agents.tools.knowledge import KnowledgeTools
from weft.agents.tools.library import RunLibrary, RunReader
from weft.agents.tools.rdf_manifests import RDF_TOOLS
from weft.agents.tools.tables import TableTools
from weft.agents.tools.web import WEB, WebPages, WebTools
from weft.domain.errors import Forbidden, NotFound, StoreUnavailable, UnknownKnowledgeBase
from weft.domain.event import EventType
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.notes import note
from weft.domain.readiness import Readiness, State
from weft.domain.scope import Scope
from weft.platform.manifest import Handler
from weft.platform.memory import SharedMemory
from weft.platform.recorded_calls import RecordedCalls
from weft.platform.taint import Taint
from weft.platform.tools import CallContext, Dispatcher, Settle
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.tool_runs import ToolRun, ToolStatus
from weft.retrieval.rdf.ontology_pages import ONTOLOGY, OntologyPages
from weft.runtime.amounts import Usage
from weft.runtime.budget import Budget
from weft.runtime.context import RunContext
from weft.verification.citations import Citable

if TYPE_CHECKING:
    from weft.ontology.schema import Ontology

# What sentences may cite that is in no knowledge base.
STANDING_APART = frozenset({ONTOLOGY, WEB})
_ONE_CALL = Usage(tool_calls=1)
_EVERYTHING = DocumentFilter()


class Skipping(StrEnum):
    """Which knowledge bases that cannot be asked now a run goes on without: some, or even all."""

    NONE = ""
    SOME = "some"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenBases:
    """The knowledge bases that a run is given, by name.

    A run that `skips_blocked` begins without those that do not answer, and says so itself. One that
    `names_none` was given all there were: it begins with those that are left of them.
    """

    names: tuple[str, ...]
    skips_blocked: Skipping = Skipping.NONE
    names_none: bool = False


class OpenLibrary(Protocol):
    """Opens the knowledge bases of a run by their names."""

    async def __call__(self, scope: Scope, names: tuple[str, ...]) -> RunLibrary:
        """Return them, or raise `UnknownKnowledgeBase`."""
        ...


class Survey(Protocol):
    """Looks how knowledge bases stand."""

    async def __call__(self, scope: Scope, names: tuple[str, ...]) -> tuple[Readiness, ...]:
        """Return the state of each, or raise `UnknownKnowledgeBase`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """What one run works with: its knowledge bases, what it was given, what it remembers.

    `standing` tells how the knowledge bases stood when the run began, where its flow looks at that;
    `replies` are those that tools gave before the run was resumed, by their actions, and `recorded`
    the tool calls of a run that is replayed.
    """

    dispatcher: Dispatcher
    library: RunLibrary
    book: EvidenceBook = field(default_factory=EvidenceBook)
    memory: SharedMemory = field(default_factory=SharedMemory)
    taint: Taint = field(default_factory=Taint)
    standing: tuple[Readiness, ...] = ()
    replies: tuple[tuple[str, object], ...] = ()
    parts: dict[tuple[tuple[str, ...], str], Toolkit] = field(default_factory=dict)
    recorded: RecordedCalls | None = None

    def part(self, names: tuple[str, ...], place: str = "") -> Toolkit:
        """Return the toolkit of a child run that has some of the knowledge bases, and no other.

        It has a book of its own, so that what one child run finds does not depend on when others
        find something, and the memory of all. `place` is the path that it works at, where several
        have the same knowledge bases: then its memory is its own too, for replies name passages by
        the ids of one book.
        """
        key = (names, place)
        known = {*names, *STANDING_APART} if place else set(names)
        if key not in self.parts:
            bases = tuple(base for base in self.library.bases if base.name in names)
            part = replace(
                self,
                library=replace(self.library, bases=bases),
                book=EvidenceBook(),
                memory=SharedMemory() if place else self.memory,
                parts={},
            )
            for action, reply in self.replies:
                at_place = not place or action.startswith(f"{place}/")
                if at_place and _bases_in(reply) <= known:
                    part.book.take_in(reply)
            self.parts[key] = part
        return self.parts[key]

    @property
    def citable(self) -> tuple[Citable, ...]:
        """Return what sentences are held against: bases, their ontologies, what the web said."""
        books = (self.book, *(part.book for part in self.parts.values()))
        return (*citable(self.library), *map(WebPages, books))

    async def restore(self, scope: Scope, refs: Iterable[EvidenceRef]) -> None:
        """Read again the passages that the run was given before it was resumed.

        What was deleted since, or may not be read any more, does not come back.
        """
        lacking = self.book.lacks(refs)
        for base in self.citable:
            own = {one.chunk_id: one for one in lacking if one.knowledge_base == base.name}
            if own:
                stored = await base.knowledge.chunks(scope, list(own))
                self.book.restore(
                    one.evidence(own[one.chunk.id].id, knowledge_base=base.name) for one in stored
                )

    def tools(
        self, ctx: RunContext, *, question: str, within: DocumentFilter = _EVERYTHING
    ) -> Toolbox:
        """Return the tools of a node that works for a question, within some documents."""

        def emit(kind: EventType, data: Mapping[str, object]) -> None:
            ctx.emit(kind, data)

        async def ask(request: Mapping[str, object], *, key: str) -> object:
            return await ctx.ask(request, key=key)

        reader = RunReader(
            run_id=ctx.run_id, scope=ctx.scope, question=question, emit=emit, within=within
        )
        tables = TableTools(self.library, reader, book=self.book)
        call = CallContext(
            run_id=ctx.run_id,
            scope=ctx.scope,
            knowledge_bases=tuple(base.name for base in self.library.bases),
            handlers={
                **KnowledgeTools(self.library, reader, book=self.book).handlers(),
                **tables.handlers(),
                **self._late(reader),
                **WebTools(self.library, reader, book=self.book).handlers(),
            },
            summaries=tables.summaries(),
            emit=emit,
            reserve=lambda: _reserve_call(ctx.budget),
            recorded=self.recorded,
            memory=self.memory,
            taint=self.taint,
            ask=ask,
            tape=self.library.tape,
        )
        return Toolbox(self.dispatcher, call, book=self.book, tape=self.library.tape, path=ctx.path)

    def _late(self, reader: RunReader) -> Mapping[str, Handler]:
        """Return the handlers of tools that most runs never call: loaded with the first call."""

        @cache
        def graph() -> Mapping[str, Handler]:
            from weft.agents.tools.graph import GraphTools

            return GraphTools(self.library, reader, book=self.book).handlers()

        @cache
        def rdf() -> Mapping[str, Handler]:
            from weft.agents.tools.rdf import RdfTools

            return RdfTools(self.library, reader, book=self.book).handlers()

        late = {tool.name: graph for tool in GRAPH_TOOLS}
        if self.library.rdf is not None:
            late |= {tool.name: rdf for tool in RDF_TOOLS}
        return {name: _loading(name, handlers) for name, handlers in late.items()}


def left_out(toolkit: Toolkit) -> tuple[str, ...]:
    """Return a note for each knowledge base that a run goes on without."""
    return tuple(
        note("left_out", base=one.title, reason=" ".join(one.reasons))
        for one in toolkit.standing
        if one.state is State.BLOCKED
    )


class Toolkits:
    """The toolkits of the runs that go on in this process."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        open_library: OpenLibrary,
        *,
        survey: Survey | None = None,
        recorded: RecordedCalls | None = None,
    ) -> None:
        """Take the one dispatcher, and how knowledge bases are opened and looked at.

        `recorded` are the tool calls of the one run that is replayed here.
        """
        self._dispatcher = dispatcher
        self.open_library = open_library
        self._survey = survey or _all_ready
        self._recorded = recorded
        self._held: dict[RunId, tuple[tuple[str, ...], Toolkit]] = {}

    async def standing(self, scope: Scope, names: tuple[str, ...]) -> tuple[Readiness, ...]:
        """Return how knowledge bases stand, or raise `UnknownKnowledgeBase`."""
        return await self._survey(scope, names) if names else ()

    async def library(
        self, scope: Scope, given: GivenBases
    ) -> tuple[RunLibrary, tuple[Readiness, ...]]:
        """Open knowledge bases; return them, and how they stood where blocked ones are skipped.

        Raises `UnknownKnowledgeBase`, and `StoreUnavailable` where none that is left answers.
        """
        names = given.names
        while True:
            try:
                standing = await self.standing(scope, names) if given.skips_blocked else ()
                blocked = {one.name for one in standing if one.state is State.BLOCKED}
                usable = tuple(name for name in names if name not in blocked)
                if not usable and given.skips_blocked is Skipping.SOME:
                    usable, standing = names, ()  # the first of them says why it cannot be asked
                return await self.open_library(scope, usable), standing
            except (UnknownKnowledgeBase, Forbidden, StoreUnavailable):
                left = await self._left_of(scope, names) if given.names_none else names
                if left == names:
                    raise
                names = left

    async def _left_of(self, scope: Scope, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return those that are there, open to the caller, and answer.

        Raises `StoreUnavailable` where some are left and none of them answers.
        """
        left: list[str] = []
        silent: StoreUnavailable | None = None
        for name in names:
            try:
                await self.open_library(scope, (name,))
            except (UnknownKnowledgeBase, Forbidden):
                continue
            except StoreUnavailable as error:
                silent = error
            else:
                left.append(name)
        if silent is not None and not left:
            raise silent
        return tuple(left)

    @asynccontextmanager
    async def opened(
        self,
        scope: Scope,
        run_id: RunId,
        *,
        bases: GivenBases,
        calls: Iterable[ToolRun] = (),
        taint: Taint | None = None,
    ) -> AsyncIterator[Toolkit]:
        """Make a run's toolkit, and keep it as long as the block lasts.

        `calls` are those of a run that is resumed: what their replies held is in the book. `taint`
        says what the person wrote; without one nothing goes out that is said in other words.
        """
        library, standing = await self.library(scope, bases)
        replies = tuple(
            (call.call.action_id, call.outcome.output)
            for call in calls
            if call.outcome is not None and call.outcome.status is ToolStatus.OK
        )
        toolkit = Toolkit(
            dispatcher=self._dispatcher,
            library=library,
            standing=standing,
            replies=replies,
            taint=taint or Taint(tainted=True),
            recorded=self._recorded,
        )
        for _, reply in toolkit.replies:
            toolkit.book.take_in(reply)
        self._held[run_id] = bases.names, toolkit
        try:
            yield toolkit
        finally:
            del self._held[run_id]

    def of(self, ctx: RunContext) -> Toolkit:
        """Return the toolkit of a run that goes on here, or raise `NotFound`.

        A child run with knowledge bases of its own gets a toolkit that reaches no other.
        """
        try:
            names, toolkit = self._held[ctx.run_id]
        except KeyError:
            raise NotFound("nothing is kept of this run here", run=ctx.run_id) from None
        return toolkit if ctx.kb_refs == names else toolkit.part(ctx.kb_refs)


async def _all_ready(scope: Scope, names: tuple[str, ...]) -> tuple[Readiness, ...]:
    del scope
    return tuple(Readiness(name=name, title=name, state=State.READY) for name in names)


def _loading(name: str, handlers: Callable[[], Mapping[str, Handler]]) -> Handler:
    async def handle(args: Mapping[str, Any]) -> object:
        return await handlers()[name](args)

    return handle


def _bases_in(reply: object) -> set[str]:
    """Return the knowledge bases that the passages of a tool's reply are from."""
    found = reply.get("evidence", ()) if isinstance(reply, Mapping) else ()
    return {str(one["knowledge_base"]) for one in found}


def citable(library: RunLibrary) -> tuple[Citable, ...]:
    """Return what stands somewhere else than in a run's own record: bases and their ontologies."""

    def known() -> list[Ontology]:
        return [library.ontology_of(base.name) for base in library.bases]

    return (*library.bases, OntologyPages(known))


def _reserve_call(budget: Budget) -> Settle:
    reservation = budget.reserve(_ONE_CALL)
    return lambda: reservation.settle(_ONE_CALL)
