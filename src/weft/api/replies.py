"""Replying to a question, whole or as a stream: the same run, the same answer, either way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from weft.api.edge.problems import body_of
from weft.api.edge.streams import MEDIA_TYPE, StreamEvent, streamed
from weft.api.host import House
from weft.api.runs_underway import Answering, Answerings, answer_of
from weft.api.shapes.answers import AnswerShape, answer_shape, plain
from weft.domain.answer import Answer
from weft.domain.errors import NotFound, WeftError
from weft.domain.event import EventType, RunEvent
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.desk import AskOptions
from weft.flows.rag.flow import RagHouse
from weft.flows.rag.flow import ask as ask_flow
from weft.platform.identity import narrow
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.tool_runs import ToolRun
from weft.ports.store import Store

Flow = Callable[[RagHouse, Scope, RunId], Awaitable[Answer]]
RUN_HEADER = "X-Run-ID"
_LABELS = {
    "guard_input": "Reading the question",
    "think": "Finding evidence",
    "verify": "Checking every sentence against the stored text",
    "guard_output": "Checking what leaves",
    "finish": "Putting the answer together",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked of which knowledge bases; `flow` answers it, `known` is said of it at once.

    `within` narrows the documents that are read for it.
    """

    question: str
    kb: Sequence[str] = ()
    sources: Sequence[str] = ()
    within: DocumentFilter = field(default_factory=DocumentFilter)
    flow: Flow | None = None
    known: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run that has begun, and what its answer is read under."""

    running: Answering
    scope: Scope
    stores: Sequence[Store]


class Teller:
    """Begins answering runs and gives out what comes of them."""

    def __init__(self, house: House, answerings: Answerings) -> None:
        """Take the house, and the list of runs under way."""
        self.house = house
        self.answerings = answerings

    async def begin(self, scope: Scope, wanted: Wanted) -> Begun:
        """Begin a run; raises `UnknownKnowledgeBase`, `IndexMismatch`, `TooManyRequests`."""
        chosen = narrow(scope, wanted.sources) if wanted.sources else scope
        reach = await self.house.reach(chosen, wanted.kb)
        flow = await self.house.answering(reach.stores)

        async def work(run_id: RunId) -> Answer:
            if wanted.flow is not None:
                answer = await wanted.flow(flow, chosen, run_id)
            else:
                options = AskOptions(run_id=run_id, within=wanted.within)
                answer = await ask_flow(flow, chosen, wanted.question, options=options)
            return replace(answer, notes=(*answer.notes, *reach.left_out))

        return Begun(running=self.answerings.begin(scope, work), scope=chosen, stores=reach.stores)

    async def whole(self, begun: Begun, *, request: Request, response: Response) -> AnswerShape:
        """Return the whole answer; a caller that goes away ends the run."""
        response.headers[RUN_HEADER] = begun.running.run_id
        answer = await self.answerings.finished(request, begun.running)
        return await self.shape(begun, answer)

    async def shape(self, begun: Begun, answer: Answer) -> AnswerShape:
        """Return an answer as it leaves, with the tools that were called for it."""
        tool_runs: Sequence[ToolRun] = ()
        with suppress(NotFound):  # cleared in the meantime
            records = self.house.app.records
            tool_runs = await records.tool_runs.of_run(begun.scope, answer.run_id)
        return await answer_shape(answer, begun.scope, stores=begun.stores, tool_runs=tool_runs)

    def stream(self, begun: Begun, wanted: Wanted) -> StreamingResponse:
        """Return the steps as they are taken, then the sentences, then the whole answer."""
        headers = {RUN_HEADER: begun.running.run_id}
        return streamed(self._events(begun, wanted), self.house.meters, headers=headers)

    async def _events(self, begun: Begun, wanted: Wanted) -> AsyncIterator[StreamEvent]:
        running = begun.running
        try:
            yield StreamEvent(event="run", data={"run_id": running.run_id, **wanted.known})
            steps = Steps()
            async for event in running.events():
                yield StreamEvent(event="step", data=steps.step(event), id=event.seq)
            try:
                answer = answer_of(running)
            except WeftError as error:
                yield StreamEvent(event="error", data=body_of(error))
                return
            shape = await self.shape(begun, answer)
            for n, sentence in enumerate(shape.sentences, 1):
                yield StreamEvent(event="sentence", data={"n": n, **plain(sentence)})
            yield StreamEvent(event="answer", data={**plain(shape), **wanted.known})
        finally:
            await self.answerings.let_go(running)


class Steps:
    """Tells a run's events as steps, each with the milliseconds since the first."""

    def __init__(self) -> None:
        """Begin with the next event."""
        self._begin: float | None = None

    def step(self, event: RunEvent) -> dict[str, object]:
        """Return an event as a step; documents are in it by their ids alone."""
        now = event.ts.timestamp()
        self._begin = now if self._begin is None else self._begin
        return {
            "seq": event.seq,
            "type": str(event.type),
            "node": event.node,
            "label": _label(event),
            "ms": round((now - self._begin) * 1000, 1),
        }


def _label(event: RunEvent) -> str:
    if event.type in (EventType.TOOL_REQUESTED, EventType.TOOL_FINISHED):
        return str(event.data.get("tool", ""))
    if event.type is EventType.EVIDENCE_FOUND:
        found = event.data.get("evidence")
        return f"{len(found)} passages" if isinstance(found, list | tuple) else ""
    return _LABELS.get(event.node.rpartition("/")[2], str(event.type).replace("_", " "))


def wants_stream(request: Request, stream: bool | None = None) -> bool:
    """Tell whether a caller wants events: it says so in the body, or accepts nothing else."""
    if stream is not None:
        return stream
    return MEDIA_TYPE in request.headers.get("accept", "")
