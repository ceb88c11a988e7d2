"""What a node is given and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from weft.domain.answer import Answer
from weft.domain.errors import BadInput, NotFound
from weft.domain.event import TERMINAL, EventType
from weft.domain.evidence import Evidence
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.runtime.amounts import NO_USAGE, Limits, Usage
from weft.runtime.budget import Budget

EMPTY: Mapping[str, object] = MappingProxyType({})


def _nothing() -> Mapping[str, object]:
    return EMPTY


# Only the kernel writes these: a node that could would break "one terminal event, always last".
KERNEL_EVENTS = TERMINAL | {
    EventType.RUN_STARTED,
    EventType.NODE_STARTED,
    EventType.NODE_FINISHED,
    EventType.NODE_FAILED,
    EventType.STATE_PATCHED,
    EventType.BUDGET_UPDATED,
    EventType.BUDGET_EXCEEDED,
    EventType.SUSPENDED,
    EventType.RESUMED,
}


# Not an `Exception`: it is no error, and no node may swallow it as one.
class Suspended(BaseException):
    """A node waits for an answer from outside; `key` is what the answer must be given under."""

    def __init__(self, key: str, request: Mapping[str, object]) -> None:
        self.key = key
        self.request = request
        super().__init__(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitedAnswer:
    """What a suspended run waits for: `key` names the answer, `path` the node that asked."""

    key: str
    path: str
    request: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDraft:
    """An event as a node knows it; the kernel adds number, time and place."""

    type: EventType
    data: Mapping[str, object] = field(default_factory=_nothing)
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRequest:
    """An action that a person or a browser is asked to carry out: a tool of the catalog."""

    id: str
    tool: str
    arguments: Mapping[str, object] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildSeed:
    """A child run that a map node asks for: `key` names it among its siblings.

    Without `kb_refs` it has those of its parent; `weight` is its part of what is left to spend, and
    `tags` (JSON) stand in the events of its begin and end.
    """

    key: str
    state: Mapping[str, object] = field(default_factory=_nothing)
    kb_refs: tuple[str, ...] | None = None
    weight: int = 1
    tags: Mapping[str, object] = field(default_factory=_nothing)


class ChildStatus(StrEnum):
    """How a child run stands when its parent goes on."""

    FINISHED = "finished"
    FAILED = "failed"
    SHORT = "short"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildResult:
    """What came of a child run: its last state, its answer if a node gave one.

    One that failed or ran short of its share says so by `code` and `message`; its state is what it
    had got to.
    """

    key: str
    status: ChildStatus
    state: Mapping[str, object]
    answer: Answer | None = None
    code: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeResult:
    """What a node did. The state changes by `state_patch` alone.

    A list in the patch is appended to what the key holds, anything else (a tuple too) replaces it.
    `usage` is what was spent besides what the node reserved of `ctx.budget` itself. A result with
    an `error` is a failure, and nothing else in it counts. `children` are those of a map node, and
    `tags` (JSON) stand in the event of the node's end.
    """

    state_patch: Mapping[str, object] = field(default_factory=_nothing)
    actions_requested: tuple[ActionRequest, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    answer: Answer | None = None
    events: tuple[EventDraft, ...] = ()
    children: tuple[ChildSeed, ...] = ()
    goto: str | None = None
    usage: Usage = NO_USAGE
    error: str = ""
    tags: Mapping[str, object] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeed:
    """What a run starts from.

    `limits` stands in place of the flow's budget. `answers` are known beforehand, by the key of
    their question.
    """

    run_id: RunId
    scope: Scope
    state: Mapping[str, object] = field(default_factory=_nothing)
    session_id: str = ""
    conversation_id: str = ""
    agent_id: str = ""
    trace_id: str = ""
    ui_state: Mapping[str, object] = field(default_factory=_nothing)
    policies: tuple[str, ...] = ()
    tool_catalog: tuple[str, ...] = ()
    kb_refs: tuple[str, ...] = ()
    answers: Mapping[str, object] = field(default_factory=_nothing)
    limits: Limits | None = None


class Channel(Protocol):
    """Takes what a node says while it runs."""

    def emit(self, draft: EventDraft) -> None:
        """Write an event of this node."""
        ...

    def ask(self, request: Mapping[str, object], *, key: str) -> object:
        """Return the answer, or raise `Suspended` when there is none yet."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """All that a node may know of its run; two runs share nothing.

    `path` names this visit of the node (`think`, `think#2`, `section1/think` in a child run);
    `policies`, `tool_catalog` and `kb_refs` are names of assets.
    """

    run_id: RunId
    scope: Scope
    session_id: str
    conversation_id: str
    agent_id: str
    trace_id: str
    ui_state: Mapping[str, object]
    policies: tuple[str, ...]
    tool_catalog: tuple[str, ...]
    kb_refs: tuple[str, ...]
    state: Mapping[str, object]
    params: Mapping[str, object]
    budget: Budget
    clock: Clock
    path: str
    channel: Channel = field(repr=False)

    def emit(
        self,
        kind: EventType,
        data: Mapping[str, object] = EMPTY,
        *,
        sources: tuple[str, ...] = (),
    ) -> None:
        """Write an event at once; `data` is JSON. Raise `BadInput` for one of the kernel's own."""
        self.channel.emit(checked_draft(EventDraft(type=kind, data=data, sources=sources)))

    async def ask(self, request: Mapping[str, object], *, key: str = "") -> object:
        """Return the answer of a person or a browser to `request` (JSON).

        `key` names the question; without one it is the n-th that the node asks.

        The run is suspended until the answer is there, and the node is then entered anew from its
        start: what has effects comes after the last question.
        """
        return self.channel.ask(request, key=key)


class Node(Protocol):
    """A step of a flow; one object serves many runs, so it keeps nothing between calls."""

    async def run(self, ctx: RunContext) -> NodeResult:
        """Do the work and say what changes."""
        ...


_CURRENT: ContextVar[RunContext] = ContextVar("weft_current_run")


def current_run() -> RunContext:
    """Return the context of the node that is running here, or raise `NotFound` outside a run."""
    try:
        return _CURRENT.get()
    except LookupError:
        raise NotFound("no run is going on here") from None


def enter_run(context: RunContext) -> Token[RunContext]:
    """Make a context the current one, for the task that calls."""
    return _CURRENT.set(context)


def leave_run(token: Token[RunContext]) -> None:
    """Undo `enter_run`."""
    _CURRENT.reset(token)


def checked_draft(draft: EventDraft) -> EventDraft:
    """Return the draft, or raise `BadInput` when only the kernel may write such an event."""
    if draft.type in KERNEL_EVENTS:
        raise BadInput(f"a node may not write the event '{draft.type}'", type=draft.type.value)
    return draft
