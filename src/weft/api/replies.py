"""Replying to a question, whole or as a stream: the same run, the same answer, either way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from weft.api.edge.problems import body_of
from weft.api.edge.streams import MEDIA_TYPE, StreamEvent, streamed
from weft.api.host import Host, ReachedBases
from weft.api.runs_underway import Answering, Answerings, outcome_of
from weft.api.shapes.answers import AnswerShape, answer_shape, plain
from weft.domain.entity import EntityOverride
from weft.domain.errors import NotFound, WeftError
from weft.domain.event import EventType, RunEvent
from weft.domain.frozen import dataclass
from weft.domain.scope import Scope
from weft.flows.asking import Asking, FlowOutcome
from weft.flows.conversation import Saying, converse
from weft.flows.toolkits import Skipping
from weft.platform.access import reads
from weft.platform.identity import narrow
from weft.ports.knowledge import DocumentFilter
from weft.ports.records.conversations import ConversationId, Conversations
from weft.ports.records.tool_runs import ToolRun
from weft.ports.store import Store
from weft.runtime.amounts import Limits

RUN_HEADER = "X-Run-ID"
DEFAULT_AGENT = "weft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked of which knowledge bases; `known` is said of it at once.

    `flow` names what answers it (empty: the default), in a conversation if one is given; `within`
    narrows the documents that are read for it, `limits` what the run may spend, `overrides` what
    names of the question mean. A stream that is left ends the run, unless it `goes_on`; one that
    `makes_do` asks what can be asked of what is named, and names the rest. `rounds` is for debates;
    `meaning` is the id of what a question over rows means.
    """

    question: str
    kb: Sequence[str] = ()
    sources: Sequence[str] = ()
    within: DocumentFilter = field(default_factory=DocumentFilter)
    flow: str = ""
    limits: Limits | None = None
    conversation: ConversationId | None = None
    overrides: tuple[EntityOverride, ...] = ()
    known: dict[str, object] = field(default_factory=dict)
    goes_on: bool = False
    makes_do: bool = False
    rounds: int = 1
    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run that has begun, and what its answer is read under."""

    running: Answering
    scope: Scope
    stores: Sequence[Store]


class Teller:
    """Begins answering runs and gives out what comes of them."""

    def __init__(
        self, host: Host, answerings: Answerings, *, conversations: Callable[[], Conversations]
    ) -> None:
        """Take the host, the list of runs under way, and where conversations are kept."""
        self.host = host
        self.answerings = answerings
        self._conversations = conversations

    async def begin(self, scope: Scope, wanted: Wanted) -> Begun:
        """Begin a run; raises `UnknownKnowledgeBase`, `IndexMismatch`, `TooManyRequests`."""
        chosen = narrow(scope, wanted.sources) if wanted.sources else scope
        flow = self.host.flows.catalog.find(wanted.flow)
        reach = await self._reach(chosen, wanted, skipping=flow.skips_blocked)

        asking = Asking(
            question=wanted.question,
            knowledge_bases=reach.names,
            flow=flow.name,
            within=wanted.within,
            limits=wanted.limits,
            overrides=wanted.overrides,
            rounds=wanted.rounds,
            meaning=wanted.meaning,
            names_none=not wanted.kb,
        )

        async def work(named: Asking) -> FlowOutcome:
            outcome = await self._run(chosen, named, wanted.conversation)
            notes = (*outcome.answer.notes, *reach.left_out)
            return replace(outcome, answer=replace(outcome.answer, notes=notes))

        running = await self.answerings.begin(scope, asking, work)
        return Begun(running=running, scope=chosen, stores=reach.stores)

    async def _reach(self, scope: Scope, wanted: Wanted, *, skipping: Skipping) -> ReachedBases:
        """Return what a run is given; a flow that names what it cannot ask is given all."""
        is_named = skipping is Skipping.SOME and bool(wanted.kb)
        if skipping is not Skipping.ALL and not is_named and not wanted.makes_do:
            return await self.host.reach(scope, wanted.kb)
        found = await self.host.survey(scope, wanted.kb)
        if skipping is Skipping.ALL or (is_named and await self._is_readable(scope, found)):
            return replace(found, left_out=())
        if not wanted.makes_do:
            return await self.host.reach(scope, wanted.kb)
        return replace(found, names=tuple(store.name for store in found.stores))

    async def _is_readable(self, scope: Scope, found: ReachedBases) -> bool:
        """Tell whether some can be asked and all may be read: of others nothing is said."""
        guards = {one.name: one.guard for one in await self.host.app.library.listed(scope)}
        return bool(found.stores) and all(reads(scope, guards[name]) for name in found.names)

    async def _run(
        self, scope: Scope, asking: Asking, conversation: ConversationId | None
    ) -> FlowOutcome:
        if conversation is None:
            return await self.host.flows.run(scope, asking)
        saying = Saying(asking=asking, conversation_id=conversation)
        return await converse(self.host.flows, self._conversations(), scope, saying=saying)

    async def whole(self, begun: Begun, *, request: Request, response: Response) -> AnswerShape:
        """Return the whole answer; a caller that goes away ends the run."""
        response.headers[RUN_HEADER] = begun.running.run_id
        outcome = await self.answerings.finished(request, begun.running)
        return await self.shape(begun, outcome)

    async def ended(self, begun: Begun) -> AnswerShape:
        """Return the answer of a run that is streamed, once it has ended; raises its error."""
        async for _ in begun.running.events():
            pass
        return await self.shape(begun, outcome_of(begun.running))

    async def shape(self, begun: Begun, outcome: FlowOutcome) -> AnswerShape:
        """Return an answer as it leaves, with the tools that were called for it."""
        answer = outcome.answer
        tool_runs: Sequence[ToolRun] = ()
        with suppress(NotFound):  # cleared in the meantime
            records = self.host.app.records
            tool_runs = await records.tool_runs.of_run(begun.scope, answer.run_id)
        shape = await answer_shape(answer, begun.scope, stores=begun.stores, tool_runs=tool_runs)
        return shape.model_copy(update={"payload": dict(outcome.payload)})

    def stream(self, begun: Begun, wanted: Wanted) -> StreamingResponse:
        """Return the steps as they are taken, then the sentences, then the whole answer."""
        headers = {RUN_HEADER: begun.running.run_id}
        return streamed(self._events(begun, wanted), self.host.meters, headers=headers)

    async def _events(self, begun: Begun, wanted: Wanted) -> AsyncIterator[StreamEvent]:
        running = begun.running
        try:
            yield StreamEvent(event="run", data={"run_id": running.run_id, **wanted.known})
            steps = Steps(self.host.flows.catalog.labels())
            async for event in running.events():
                yield StreamEvent(event="step", data=steps.step(event), id=event.seq)
            try:
                outcome = outcome_of(running)
            except WeftError as error:
                yield StreamEvent(event="error", data=body_of(error))
                return
            shape = await self.shape(begun, outcome)
            for n, sentence in enumerate(shape.sentences, 1):
                yield StreamEvent(event="sentence", data={"n": n, **plain(sentence)})
            yield StreamEvent(event="answer", data={**plain(shape), **wanted.known})
        finally:
            if not wanted.goes_on:
                await self.answerings.let_go(running)


class Steps:
    """Tells a run's events as steps, each with the milliseconds since the first."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        """Take what each node does, by its id; begin with the next event."""
        self._labels = labels
        self._begin: float | None = None

    def step(self, event: RunEvent) -> dict[str, object]:
        """Return an event as a step; documents are in it by their ids alone."""
        now = event.ts.timestamp()
        self._begin = now if self._begin is None else self._begin
        return {
            "seq": event.seq,
            "type": str(event.type),
            "node": event.node,
            "label": _label(event, self._labels),
            "ms": round((now - self._begin) * 1000, 1),
        }


def _label(event: RunEvent, labels: Mapping[str, str]) -> str:
    if event.type in (EventType.TOOL_REQUESTED, EventType.TOOL_FINISHED):
        return str(event.data.get("tool", ""))
    if event.type is EventType.EVIDENCE_FOUND:
        found = event.data.get("evidence")
        return f"{len(found)} passages" if isinstance(found, list | tuple) else ""
    return labels.get(event.node.rpartition("/")[2], str(event.type).replace("_", " "))


def wants_stream(request: Request, stream: bool | None = None) -> bool:
    """Tell whether a caller wants events: it says so in the body, or accepts nothing else."""
    if stream is not None:
        return stream
    return MEDIA_TYPE in request.headers.get("accept", "")


def named_flow(agent: str) -> str:
    """Return the flow that an agent's name stands for; empty for the default one."""
    return "" if agent == DEFAULT_AGENT else agent
