"""One node's call: retried, timed out, and every fault turned into the one error of a step."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from weft.domain.errors import (
    BadInput,
    BudgetExceeded,
    Cancelled,
    Forbidden,
    NodeFailed,
    NotFound,
    PolicyViolation,
    WeftError,
)
from weft.domain.frozen import dataclass
from weft.domain.ids import number
from weft.language.patterns import pattern
from weft.runtime.budget import VisitBudget
from weft.runtime.context import (
    EventDraft,
    Node,
    NodeResult,
    RunContext,
    Suspended,
    checked_draft,
    enter_run,
    leave_run,
)
from weft.runtime.events import EventOrigin, Recorder
from weft.runtime.flow import DEFAULT, NodeKind, NodeSpec
from weft.runtime.plan import Ways

_KEY = pattern(r"[\w.-]{1,100}")
# To ask again would get the same reply.
_FINAL = (BadInput, Forbidden, NotFound, PolicyViolation)
# These end or redirect the run, whatever the node's own retry and isolation say.
_THROUGH = (BudgetExceeded, Cancelled)


class StepFailed(NodeFailed):
    """A step of the flow failed."""

    def __init__(self, path: str, reason: WeftError, *, attempts: int) -> None:
        super().__init__(f"'{path}' failed: {reason.message}", node=path)
        self.path = path
        self.reason = reason
        self.attempts = attempts


@dataclass(slots=True, kw_only=True)
class NodeChannel:
    """Takes a node's events and questions for one attempt; a later attempt asks from the start."""

    recorder: Recorder
    place: EventOrigin
    answers: Mapping[str, object]
    can_wait: bool
    asked: int = 0

    def emit(self, draft: EventDraft) -> None:
        """Write an event of this node."""
        self.recorder.emit_draft(draft, self.place)

    def ask(self, request: Mapping[str, object], *, key: str) -> object:
        """Return the answer, or raise `Suspended` when there is none yet.

        Raises `BadInput` where nothing would keep the run while it waits.
        """
        if not key:
            key = f"{self.place.node}?{self.asked}"
            self.asked += 1
        if key in self.answers:
            return self.answers[key]
        if not self.can_wait:
            raise BadInput("the run cannot wait for an answer: nothing keeps its frontier")
        raise Suspended(key, request)


@dataclass(slots=True, kw_only=True)
class Visit:
    """One visit of a node: its spec, the code, the ways out of it and what it is given."""

    spec: NodeSpec
    node: Node
    ways: Ways
    context: RunContext
    channel: NodeChannel
    account: VisitBudget


async def call_node(visit: Visit) -> NodeResult:
    """Run a node as often as its retry allows and return its result.

    Raises `StepFailed` when it failed for good; `BudgetExceeded`, `Cancelled`, `Suspended` and the
    task's own cancellation pass through at once.
    """
    retry = visit.spec.retry
    attempt = 1
    while True:
        result = await _try_once(visit)
        if isinstance(result, NodeResult):
            return result
        if isinstance(result, _FINAL) or attempt >= retry.attempts:
            raise StepFailed(visit.context.path, result, attempts=attempt) from (
                result.__cause__ or result
            )
        await asyncio.sleep(pause_s(visit.context, retry.backoff_s, attempt=attempt))
        attempt += 1
        visit.channel.asked = 0


def pause_s(context: RunContext, backoff_s: float, *, attempt: int) -> float:
    """Return the pause after an attempt: doubled each time, up to half as much again by chance.

    The chance is the run's and the node's name, so that a replay waits as long.
    """
    jitter = number(f"{context.run_id}\n{context.path}\n{attempt}") % 1000 / 2000
    return float(backoff_s * 2 ** (attempt - 1) * (1 + jitter))


async def _try_once(visit: Visit) -> NodeResult | WeftError:
    token = enter_run(visit.context)
    try:
        if visit.spec.timeout_s is None:
            result = await visit.node.run(visit.context)
        else:
            async with asyncio.timeout(visit.spec.timeout_s):
                result = await visit.node.run(visit.context)
        # A node may have swallowed its cancellation: what it returned then no longer counts.
        heed_cancellation()
        check_result(visit, result)
        return result
    except _THROUGH:
        raise
    except asyncio.CancelledError:
        heed_cancellation()
        # Nobody cancelled the run: something within the node was, and the node let it escape.
        return NodeFailed("the node was cancelled from within")
    except Exception as error:  # noqa: BLE001 - the step boundary: a node's fault is the run's data
        heed_cancellation()
        return _reason(error, visit.spec)
    finally:
        leave_run(token)


def heed_cancellation() -> None:
    """Raise `CancelledError` in a task that was asked to stop, even if a node paid no heed."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def check_result(visit: Visit, result: NodeResult) -> None:
    """Raise `NodeFailed` when the node reports an error or an outcome that leads nowhere."""
    if result.error:
        raise NodeFailed(result.error)
    outcomes = visit.spec.outcomes
    if outcomes and result.goto not in outcomes and DEFAULT not in visit.ways.by_outcome:
        raise NodeFailed(f"'{result.goto}' is none of the node's outcomes")
    for draft in result.events:
        checked_draft(draft)
    if result.children:
        _check_children(visit.spec, result)


def _check_children(spec: NodeSpec, result: NodeResult) -> None:
    if spec.kind is not NodeKind.MAP:
        raise NodeFailed("only a map node may ask for child runs")
    if len(result.children) > spec.most:
        raise NodeFailed(f"it asks for {len(result.children)} child runs, more than {spec.most}")
    keys = [child.key for child in result.children]
    if len(set(keys)) < len(keys) or not all(_KEY.fullmatch(key) for key in keys):
        raise NodeFailed("its child runs have no keys of their own: letters, digits, `_.-`")


def _reason(error: Exception, spec: NodeSpec) -> WeftError:
    if isinstance(error, WeftError):
        return error
    if isinstance(error, TimeoutError):
        what = f"it took longer than {spec.timeout_s} s" if spec.timeout_s else "a call timed out"
        reason = NodeFailed(what)
    else:
        # A foreign message may quote a document or a secret; the class says what can be said.
        reason = NodeFailed(f"it raised {type(error).__name__}")
    reason.__cause__ = error
    return reason
