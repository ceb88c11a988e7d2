"""A run in progress: what it was given, where it stands, what it spends and records."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import field

from weft.domain.errors import BudgetExceeded
from weft.domain.frozen import dataclass
from weft.ports.clock import Clock
from weft.runtime.amounts import NO_LIMITS, Limits, shares, within
from weft.runtime.budget import Budget, VisitBudget, done
from weft.runtime.context import AwaitedAnswer, Node, NodeResult, RunContext, RunSeed
from weft.runtime.control import RunControl
from weft.runtime.events import EventOrigin, Recorder
from weft.runtime.flow import NodeSpec
from weft.runtime.frontier import Frontier, Track
from weft.runtime.node_call import NodeChannel, Visit
from weft.runtime.plan import FlowPlan


class _Fork:
    """Does nothing: a parallel node that only opens its branches."""

    async def run(self, ctx: RunContext) -> NodeResult:
        """Return an empty result."""
        return NodeResult()


_FORK = _Fork()


@dataclass(slots=True, kw_only=True)
class RunRecord:
    """What a run and all its child runs share: the record, what is asked, what is still unsaved."""

    recorder: Recorder
    frontier: Frontier
    budget: Budget
    clock: Clock
    slots: asyncio.Semaphore
    control: RunControl
    can_wait: bool
    questions: list[AwaitedAnswer] = field(default_factory=list)
    told: list[BudgetExceeded] = field(default_factory=list)
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_unsaved: bool = False


@dataclass(slots=True, kw_only=True)
class ActiveRun:
    """A run in progress, or a child run of one: what it was given, where it stands, what it spends.

    `path` is where a child run is placed; empty for the run itself.
    """

    plan: FlowPlan
    seed: RunSeed
    nodes: Mapping[str, Node]
    frontier: Frontier
    budget: Budget
    record: RunRecord
    path: str = ""

    @property
    def recorder(self) -> Recorder:
        """Return the one recorder of the run."""
        return self.record.recorder

    def place(self, track: Track) -> EventOrigin:
        """Return where the track's next step happens; a node's later visits are numbered."""
        path = track.at
        visits = self.frontier.visits.get(path, 0)
        if visits:
            path = f"{path}#{visits + 1}"
        if self.path:
            path = f"{self.path}/{path}"
        came = track.came
        if len(came) == 1:
            return EventOrigin(node=path, parent=came[0])
        return EventOrigin(node=path, sources=came)

    def visit(self, spec: NodeSpec, track: Track, *, place: EventOrigin) -> Visit:
        """Return what the node at hand is called with."""
        seed = self.seed
        channel = NodeChannel(
            recorder=self.recorder,
            place=place,
            answers=self.record.frontier.answers,
            can_wait=self.record.can_wait,
        )
        account = VisitBudget(account_of(self, track))
        context = RunContext(
            run_id=seed.run_id,
            scope=seed.scope,
            session_id=seed.session_id,
            conversation_id=seed.conversation_id,
            agent_id=seed.agent_id,
            trace_id=seed.trace_id,
            ui_state=seed.ui_state,
            policies=seed.policies,
            tool_catalog=seed.tool_catalog,
            kb_refs=seed.kb_refs,
            state=track.state,
            params=spec.params,
            budget=account,
            clock=self.record.clock,
            path=place.node,
            channel=channel,
        )
        node = self.nodes[spec.uses] if spec.uses else _FORK
        ways = self.plan.ways[spec.id]
        return Visit(
            spec=spec, node=node, ways=ways, context=context, channel=channel, account=account
        )


def account_of(run: ActiveRun, track: Track) -> Budget:
    """Return what a track spends from: its branch's share, or the run's own account."""
    return run.budget if track.account is None else track.account


def open_accounts(run: ActiveRun, track: Track, *, above: Budget) -> None:
    """Give every branch of a track an account of its share."""
    for branch in track.branches:
        inside = None if branch.child is None else branch.child.frontier
        branch.account = Budget(
            branch.share,
            run.record.clock,
            parent=above,
            spent=branch.spent,
            elapsed_s=0.0 if inside is None else inside.elapsed_s,
        )
        open_accounts(run, branch, above=branch.account)


def close_accounts(track: Track) -> None:
    """Write into the tracks what their branches have spent, and may spend by now."""
    if track.account is not None:
        track.spent, track.share = done(track.account), track.account.limits
    for branch in track.branches:
        close_accounts(branch)
        child = branch.child
        if child is not None and child.frontier is not None and branch.account is not None:
            child.frontier.spent = done(branch.account)
            child.frontier.elapsed_s = branch.account.elapsed_s
            close_accounts(child.frontier.track)


def divide(
    run: ActiveRun, track: Track, *, weights: Sequence[int], own: Limits = NO_LIMITS
) -> None:
    """Give each branch its share of what is left, within limits of its own."""
    above = account_of(run, track)
    for branch, share in zip(track.branches, shares(above.remaining(), weights), strict=True):
        branch.share = within(share, own)
    open_accounts(run, track, above=above)
