"""The one dispatcher: no tool runs but through it.

A call is checked (schema, permission, rate, budget), written down before it runs (audit, tool run),
bounded in time, and its result checked and screened before anybody reads it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Protocol

from weft.domain.errors import BadInput, Forbidden, InvalidToolCall, NotFound, PolicyViolation
from weft.domain.event import EventType
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId, digest
from weft.domain.scope import Scope
from weft.platform.access import require
from weft.platform.audit import AuditedAct, audited, counted_ids, decision_on, record
from weft.platform.manifest import (
    Execution,
    Handler,
    SideEffects,
    Summary,
    Tool,
    ToolCatalog,
    ToolManifest,
)
from weft.platform.memory import RateLimiter, SharedMemory, query_key
from weft.platform.policy import screen, violation_data
from weft.platform.recorded_calls import RecordedCalls, rejection_key, reply_hash
from weft.platform.taint import Taint
from weft.ports.clock import Clock
from weft.ports.policy import Place, Policy
from weft.ports.records.audit import AuditDecision, AuditTrail, Deed
from weft.ports.records.tape import Tape, TapeEntry, TapeKind
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolRuns, ToolStatus

# What a caller can mend; everything else (a store that is down ...) ends the run.
_MENDABLE = (BadInput, NotFound, Forbidden, PolicyViolation)

Settle = Callable[[], None]


class Ask(Protocol):
    """Asks a person or a browser."""

    async def __call__(self, request: Mapping[str, object], *, key: str) -> object:
        """Return the answer, or suspend the run until there is one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """The run on whose behalf tools are called.

    `reserve` keeps room for one tool call, or raises `BudgetExceeded`, and returns what settles
    it; `handlers` do the work by tool name. `ask` gives the result of a tool that runs in a
    browser, under the action's id; the run is suspended until it is there. `tape` is where replies
    go, by reference to their record; of a run that is replayed they come from those `recorded`.
    `taint` is the run's, shared by all that call tools for it.
    """

    run_id: RunId
    scope: Scope
    knowledge_bases: tuple[str, ...]
    handlers: Mapping[str, Handler]
    emit: Callable[[EventType, Mapping[str, object]], None]
    reserve: Callable[[], Settle]
    recorded: RecordedCalls | None = None
    memory: SharedMemory = field(default_factory=SharedMemory)
    taint: Taint = field(default_factory=Taint)
    ask: Ask | None = None
    tape: Tape | None = None
    summaries: Mapping[str, Summary] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatcherDeps:
    """What the dispatcher needs from outside."""

    catalog: ToolCatalog
    policy: Policy
    tool_runs: ToolRuns
    audit: AuditTrail
    clock: Clock


class Dispatcher:
    """Calls tools; holds the rate limits of this process."""

    def __init__(self, deps: DispatcherDeps) -> None:
        """Take the catalog and the ports."""
        self._deps = deps
        self._rates = RateLimiter(deps.clock)

    @property
    def clock(self) -> Clock:
        """Return the clock by which calls are timed."""
        return self._deps.clock

    def manifest(self, name: str) -> ToolManifest:
        """Return a tool's manifest, or raise `NotFound`."""
        return self._deps.catalog.find(name).manifest

    async def call(
        self, ctx: CallContext, tool: str, *, args: Mapping[str, object], action_id: str
    ) -> ToolOutcome:
        """Call a tool once for an action of the run and return what came of it.

        What the caller can mend is an outcome (`rejected`, `error`, `timeout`) whose output says
        `{error, message}`. `BudgetExceeded` and the errors of stores, audit and models are raised.
        The same action again gives the recorded outcome.
        """
        call = ToolCall(run_id=ctx.run_id, action_id=action_id, tool=tool, args=dict(args))
        ctx.emit(EventType.TOOL_REQUESTED, {"tool": tool, "action_id": action_id, "args": args})
        began = self._deps.clock.elapsed()
        try:
            outcome, cached = await self._checked(ctx, call)
        except _MENDABLE as error:
            outcome, cached = self._outcome(ToolStatus.REJECTED, _told(error), began), False
            decision, reason = decision_on(error)
            await record(self._deps.audit, ctx.scope, _deed(call), decision=decision, reason=reason)
            if ctx.tape is not None:
                await ctx.tape.put(ctx.scope, ctx.run_id, _rejected(call, outcome))
        if outcome.status is ToolStatus.OK:
            ctx.taint.take()
        ctx.emit(EventType.TOOL_FINISHED, _finished(call, outcome, cached=cached))
        return outcome

    async def _checked(self, ctx: CallContext, call: ToolCall) -> tuple[ToolOutcome, bool]:
        found = self._deps.catalog.find(call.tool)
        if ctx.recorded is not None:
            known_then = ctx.recorded.reply(call, reads=_reads(found), reserve=ctx.reserve)
            if known_then is not None:
                return known_then
        self._deps.catalog.check_args(call.tool, call.args)
        self._permit(ctx, found.manifest)
        await self._keep_in(ctx, call, found.manifest)
        key = query_key(ctx.scope, call.tool, call.args, knowledge_bases=ctx.knowledge_bases)
        known = ctx.memory.recall(key)
        if isinstance(known, ToolOutcome) and _reads(found):
            remembered = _deed(call, cached=True, **_read_ids(known.output))
            await record(self._deps.audit, ctx.scope, remembered, decision=AuditDecision.OK)
            return known, True
        if not self._rates.take(ctx.scope.tenant, call.tool, limit=found.manifest.rate_limit):
            raise InvalidToolCall(f"{call.tool} was called too often; try again later")
        outcome = await self._recorded(ctx, call, found)
        if outcome.status is ToolStatus.OK and _reads(found):
            ctx.memory.keep(key, outcome)
        return outcome, False

    def _permit(self, ctx: CallContext, manifest: ToolManifest) -> None:
        target = f"tool:{manifest.name}"
        for action in (f"tool.run:{manifest.name}", *manifest.permissions):
            require(ctx.scope, action, target)

    async def _keep_in(self, ctx: CallContext, call: ToolCall, manifest: ToolManifest) -> None:
        """Raise `Forbidden` for what must not go out; a call that has gone out has its reply."""
        try:
            ctx.taint.check(manifest, call.args)
        except Forbidden:
            begun = await self._deps.tool_runs.of_run(ctx.scope, ctx.run_id)
            if call.action_id not in {one.call.action_id for one in begun}:
                raise

    async def _recorded(self, ctx: CallContext, call: ToolCall, found: Tool) -> ToolOutcome:
        """Run a tool between its record's beginning and end, unless the record has an end."""
        run = await self._deps.tool_runs.begin(ctx.scope, call)
        if run.outcome is not None and not run.source_deleted:
            ctx.reserve()()  # it was paid for before the run was resumed, and counts as then
            return run.outcome
        in_browser = found.manifest.execution is Execution.BROWSER
        if run.begun_before and not _reads(found) and not in_browser:
            raise InvalidToolCall(
                f"{call.tool} may have run already for this action; it is not repeated"
            )
        if in_browser:
            ctx = await self._settled(ctx, call, is_first=not run.begun_before)
        settle = ctx.reserve()
        try:
            outcome = await self._audited(ctx, call, found)
        finally:
            settle()
        await self._deps.tool_runs.finish(ctx.scope, ctx.run_id, call.action_id, outcome=outcome)
        if ctx.tape is not None:
            await ctx.tape.put(ctx.scope, ctx.run_id, _taped(call, outcome))
        return outcome

    async def _settled(self, ctx: CallContext, call: ToolCall, *, is_first: bool) -> CallContext:
        """Return the context in which the browser's own result is the tool's reply."""
        if ctx.ask is None:
            raise InvalidToolCall(f"{call.tool} runs in a browser, and none is there")
        request = {"id": call.action_id, "tool": call.tool, "arguments": dict(call.args)}
        if is_first:
            ctx.emit(EventType.ACTION_REQUESTED, request)
        result = await ctx.ask(request, key=call.action_id)
        ctx.emit(EventType.ACTION_FINISHED, {"id": call.action_id, "tool": call.tool})

        async def reply(args: Mapping[str, Any]) -> object:
            del args
            return result

        return replace(ctx, handlers={**ctx.handlers, call.tool: reply})

    async def _audited(self, ctx: CallContext, call: ToolCall, found: Tool) -> ToolOutcome:
        deed = _deed(call, tags=list(found.manifest.audit_tags))
        began = self._deps.clock.elapsed()
        async with audited(self._deps.audit, ctx.scope, deed) as act:
            outcome = await self._bounded(ctx, call, found)
            self._note(act, outcome)
        return ToolOutcome(
            status=outcome.status, output=outcome.output, latency_ms=self._ms_since(began)
        )

    async def _bounded(self, ctx: CallContext, call: ToolCall, found: Tool) -> ToolOutcome:
        began = self._deps.clock.elapsed()
        handler = ctx.handlers.get(call.tool)
        if handler is None:
            return self._outcome(
                ToolStatus.ERROR, _told(NotFound(f"{call.tool} is not here")), began
            )
        try:
            async with asyncio.timeout(found.manifest.timeout_ms / 1000):
                output = await handler(call.args)
            return self._outcome(ToolStatus.OK, await self._screened(ctx, found, output), began)
        except TimeoutError:
            told = {"error": "timeout", "message": f"{call.tool} did not answer in time"}
            return self._outcome(ToolStatus.TIMEOUT, told, began)
        except _MENDABLE as error:
            return self._outcome(ToolStatus.ERROR, _told(error), began)

    async def _screened(self, ctx: CallContext, found: Tool, output: object) -> object:
        wrong = found.returns.complaint(output)
        if wrong:
            raise InvalidToolCall(f"{found.manifest.name} gave a result of another form: {wrong}")
        passed, broken = await screen(self._deps.policy, ctx.scope, Place.TOOL_RESULT, value=output)
        for violation in broken:
            ctx.emit(EventType.POLICY_VIOLATION, violation_data(Place.TOOL_RESULT, violation))
        return passed

    def _note(self, act: AuditedAct, outcome: ToolOutcome) -> None:
        act.note(status=outcome.status.value, **_read_ids(outcome.output))
        if outcome.status is ToolStatus.REJECTED:
            act.deny("rejected")

    def _outcome(self, status: ToolStatus, output: object, began: float) -> ToolOutcome:
        return ToolOutcome(status=status, output=output, latency_ms=self._ms_since(began))

    def _ms_since(self, began: float) -> float:
        return (self._deps.clock.elapsed() - began) * 1000


def _deed(call: ToolCall, **meta: object) -> Deed:
    return Deed(
        action="tool.run",
        target=f"tool:{call.tool}",
        run_id=call.run_id,
        meta={"action_id": call.action_id, **meta},
    )


def _read_ids(output: object) -> dict[str, object]:
    """Return which chunks and documents a result holds, as a row tells them."""
    chunks = _ids(output, "chunk_id")
    documents = _ids(output, "document_id") + _ids(output, "document_id", among="documents")
    return counted_ids(chunks=chunks, documents=documents) if documents else {}


def _taped(call: ToolCall, outcome: ToolOutcome) -> TapeEntry:
    """Return a reply as the tape has it: what was asked, and where the record holds the answer."""
    return TapeEntry(
        key=call.action_id,
        kind=TapeKind.TOOL,
        request_hash=_asked(call),
        reply={"tool_run": call.action_id, "hash": reply_hash(outcome)},
    )


def _rejected(call: ToolCall, outcome: ToolOutcome) -> TapeEntry:
    """Return as the tape has it why a call was not made."""
    return TapeEntry(
        key=rejection_key(call.action_id),
        kind=TapeKind.TOOL,
        request_hash=_asked(call),
        reply={"rejected": outcome.output},
    )


def _asked(call: ToolCall) -> str:
    said = json.dumps([call.tool, dict(call.args)], ensure_ascii=False, sort_keys=True)
    return digest(said)


def _reads(found: Tool) -> bool:
    return found.manifest.side_effects is SideEffects.READ


def _told(error: BadInput | NotFound | Forbidden | PolicyViolation) -> dict[str, object]:
    return {"error": error.code, "message": error.message}


def _finished(call: ToolCall, outcome: ToolOutcome, *, cached: bool) -> dict[str, object]:
    """Return what an event tells of a result: how it ended and which chunks it holds, no text."""
    return {
        "tool": call.tool,
        "action_id": call.action_id,
        "status": outcome.status.value,
        "cached": cached,
        "latency_ms": round(outcome.latency_ms, 3),
        "chunks": _ids(outcome.output, "chunk_id"),
    }


def _ids(output: object, name: str, *, among: str = "evidence") -> list[str]:
    items = output.get(among) if isinstance(output, dict) else None
    if not isinstance(items, list):
        return []
    return [str(item[name]) for item in items if isinstance(item, dict) and name in item]
