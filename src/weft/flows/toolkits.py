"""What runs work with while they go on: their knowledge bases, tools and evidence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from weft.agents.evidence import EvidenceBook, EvidenceRef
from weft.agents.toolbox import Toolbox
from weft.agents.tools.graph import GraphTools
from weft.agents.tools.knowledge import KnowledgeTools
from weft.agents.tools.library import RunLibrary, RunReader
from weft.agents.tools.tables import TableTools
from weft.domain.errors import NotFound
from weft.domain.event import EventType
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.platform.memory import SharedMemory
from weft.platform.recorded_calls import RecordedCalls
from weft.platform.tools import CallContext, Dispatcher, Settle
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.tool_runs import ToolRun, ToolStatus
from weft.runtime.budget import Budget, Usage
from weft.runtime.context import RunContext

_ONE_CALL = Usage(tool_calls=1)
_EVERYTHING = DocumentFilter()


class OpenLibrary(Protocol):
    """Opens the knowledge bases of a run by their names."""

    async def __call__(self, scope: Scope, names: tuple[str, ...]) -> RunLibrary:
        """Return them, or raise `UnknownKnowledgeBase`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkit:
    """What one run works with: its knowledge bases, what it was given, what it remembers.

    `recorded` are the tool calls of a run that is replayed.
    """

    dispatcher: Dispatcher
    library: RunLibrary
    book: EvidenceBook = field(default_factory=EvidenceBook)
    memory: SharedMemory = field(default_factory=SharedMemory)
    recorded: RecordedCalls | None = None

    async def restore(self, scope: Scope, refs: Iterable[EvidenceRef]) -> None:
        """Read again the passages that the run was given before it was resumed.

        What was deleted since, or may not be read any more, does not come back.
        """
        lacking = self.book.lacks(refs)
        for base in self.library.bases:
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
        call = CallContext(
            run_id=ctx.run_id,
            scope=ctx.scope,
            knowledge_bases=tuple(base.name for base in self.library.bases),
            handlers={
                **KnowledgeTools(self.library, reader, book=self.book).handlers(),
                **TableTools(self.library, reader, book=self.book).handlers(),
                **GraphTools(self.library, reader, book=self.book).handlers(),
            },
            emit=emit,
            reserve=lambda: _reserve_call(ctx.budget),
            recorded=self.recorded,
            memory=self.memory,
            ask=ask,
            tape=self.library.tape,
        )
        return Toolbox(self.dispatcher, call, book=self.book, tape=self.library.tape, path=ctx.path)


class Toolkits:
    """The toolkits of the runs that go on in this process."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        open_library: OpenLibrary,
        *,
        recorded: RecordedCalls | None = None,
    ) -> None:
        """Take the one dispatcher, and how knowledge bases are opened.

        `recorded` are the tool calls of the one run that is replayed here.
        """
        self._dispatcher = dispatcher
        self.open_library = open_library
        self._recorded = recorded
        self._held: dict[RunId, Toolkit] = {}

    @asynccontextmanager
    async def opened(
        self, scope: Scope, run_id: RunId, *, names: tuple[str, ...], given: Iterable[ToolRun] = ()
    ) -> AsyncIterator[Toolkit]:
        """Make a run's toolkit, and keep it as long as the block lasts.

        `given` are the calls of a run that is resumed: what their replies held is in the book.
        """
        library = await self.open_library(scope, names)
        toolkit = Toolkit(dispatcher=self._dispatcher, library=library, recorded=self._recorded)
        for call in given:
            if call.outcome is not None and call.outcome.status is ToolStatus.OK:
                toolkit.book.take_in(call.outcome.output)
        self._held[run_id] = toolkit
        try:
            yield toolkit
        finally:
            del self._held[run_id]

    def of(self, ctx: RunContext) -> Toolkit:
        """Return the toolkit of a run that goes on here, or raise `NotFound`."""
        try:
            return self._held[ctx.run_id]
        except KeyError:
            raise NotFound("nothing is kept of this run here", run=ctx.run_id) from None


def _reserve_call(budget: Budget) -> Settle:
    reservation = budget.reserve(_ONE_CALL)
    return lambda: reservation.settle(_ONE_CALL)
