"""Where a run stands: what it takes to go on later without starting over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from decimal import Decimal
from types import MappingProxyType
from typing import Protocol, cast

from weft.domain.answer import Answer
from weft.domain.errors import BudgetExceeded, WeftError
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import NO_LIMITS, NO_USAGE, Limits, Usage
from weft.runtime.budget import Budget
from weft.runtime.codec import StateCodec
from weft.runtime.context import EMPTY, ChildResult, ChildStatus
from weft.runtime.state import merge


class FrontierStore(Protocol):
    """Keeps the frontier of each run that has not ended, as JSON that only the kernel reads."""

    async def save_frontier(
        self,
        scope: Scope,
        run_id: RunId,
        *,
        frontier: Mapping[str, object],
        status: RunStatus = RunStatus.RUNNING,
    ) -> None:
        """Keep the frontier in place of the run's former one."""
        ...

    async def load_frontier(self, scope: Scope, run_id: RunId) -> Mapping[str, object] | None:
        """Return the run's frontier, None when there is nothing to go on from."""
        ...


@dataclass(slots=True, kw_only=True)
class Track:
    """A line of execution: the node it is at, and the node before which it stops ("": the end).

    At a fork it waits for the tracks of its branches. `optional_head` names the first node of an
    optional branch, `came` the paths that led here. `patches` is what a branch has changed since
    its fork; it is merged into the parent's state where the branches join. A branch spends of a
    `share`. A branch of a map node has a `child` run, and what comes of it goes `into` the parent's
    state. `account`, `exceeded` and
    `short_at` live in the process alone.
    """

    at: str
    stop: str = ""
    optional_head: str = ""
    came: tuple[str, ...] = ()
    state: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    patches: list[Mapping[str, object]] = field(default_factory=list)
    branches: list[Track] = field(default_factory=list)
    share: Limits = NO_LIMITS
    spent: Usage = NO_USAGE
    child: ChildRun | None = None
    into: str = ""
    account: Budget | None = field(default=None, repr=False, compare=False)
    exceeded: BudgetExceeded | None = field(default=None, repr=False, compare=False)
    short_at: str = field(default="", repr=False, compare=False)

    def apply(self, patch: Mapping[str, object]) -> None:
        """Merge a patch into this track's state."""
        if patch:
            self.state = merge(self.state, patch)
            if self.stop:
                self.patches.append(patch)

    def fork(self, heads: Iterable[str], *, join: str, optional: frozenset[str]) -> None:
        """Begin a branch at each head; this track goes on at `join` when all have ended."""
        self.at = join
        self.branches = [
            Track(
                at=head,
                stop=join,
                optional_head=head if head in optional else "",
                came=self.came,
                state=self.state,
            )
            for head in heads
        ]

    def spread(self, children: Iterable[ChildRun], *, onward: str, into: str) -> None:
        """Begin a branch for each child run; this track goes on at `onward` when all have ended."""
        self.at = onward
        self.into = into
        self.branches = [Track(at="", came=self.came, child=child) for child in children]

    def join(self) -> None:
        """Merge what the branches changed, in the order they were declared, and end them.

        Branches that have not ended give what they have so far.
        """
        if self.into:
            self._gather()
            return
        came: list[str] = []
        for branch in self.branches:
            if branch.branches:
                branch.join()
            for patch in branch.patches:
                self.apply(patch)
            came += [path for path in branch.came if path not in came]
        if self.branches:
            self.came = tuple(came)
            self.branches = []

    def _gather(self) -> None:
        """Take in what came of the child runs, in the order they were asked for."""
        children = [branch.child for branch in self.branches if branch.child is not None]
        self.came = tuple(child.path for child in children) or self.came
        self.branches = []
        results = tuple(child.outcome() for child in children)
        into, self.into = self.into, ""
        self.apply({into: results})


@dataclass(slots=True, kw_only=True)
class ChildRun:
    """A child run: its flow by name, where it is placed, where it stands, how it ended."""

    key: str
    flow: str
    path: str
    kb_refs: tuple[str, ...]
    frontier: Frontier | None
    result: ChildResult | None = None
    begun: bool = False
    tags: Mapping[str, object] = field(default_factory=lambda: EMPTY)

    def end(self, status: ChildStatus, error: WeftError | None = None) -> ChildResult:
        """Keep how the run ended; where it stood is needed no longer."""
        assert self.frontier is not None
        track = self.frontier.track
        while track.branches:
            track.join()
        self.result = ChildResult(
            key=self.key,
            status=status,
            state=track.state,
            answer=self.frontier.answer,
            code="" if error is None else error.code,
            message="" if error is None else error.message,
        )
        self.frontier = None
        return self.result

    def outcome(self) -> ChildResult:
        """Return how the run ended; one that has not has run out of its parent's budget."""
        if self.result is not None:
            return self.result
        return self.end(ChildStatus.SHORT, BudgetExceeded("the run's budget was used up before"))


@dataclass(slots=True, kw_only=True)
class Frontier:
    """All of a run's standing: its tracks, counts, answers so far, spending and last event."""

    flow: str
    track: Track
    visits: dict[str, int] = field(default_factory=dict)
    loops: dict[int, int] = field(default_factory=dict)
    answers: dict[str, object] = field(default_factory=dict)
    answer: Answer | None = None
    spent: Usage = NO_USAGE
    elapsed_s: float = 0.0
    seq: int = 0
    closing: bool = False
    limits: Limits | None = None


def write_frontier(frontier: Frontier, codec: StateCodec) -> Mapping[str, object]:
    """Return the frontier as JSON, or raise `BadInput` for state that JSON cannot carry."""
    limits = frontier.limits
    return {
        name: codec.encode(value)
        for name, value in {
            "flow": frontier.flow,
            "track": _track_data(frontier.track, codec),
            "visits": frontier.visits,
            "loops": frontier.loops,
            "answers": frontier.answers,
            "answer": frontier.answer,
            "spent": _usage_data(frontier.spent),
            "elapsed_s": frontier.elapsed_s,
            "seq": frontier.seq,
            "closing": frontier.closing,
            "limits": None if limits is None else _limits_data(limits),
        }.items()
    }


def read_frontier(saved: Mapping[str, object], codec: StateCodec) -> Frontier:
    """Return the frontier that `write_frontier` wrote, or raise `StoreCorrupt`."""
    data = {name: codec.decode(value) for name, value in saved.items()}
    limits = data.get("limits")
    loops = cast("dict[str, int]", data["loops"])
    return Frontier(
        flow=cast("str", data["flow"]),
        track=_read_track(cast("dict[str, object]", data["track"]), EMPTY, codec=codec),
        visits=cast("dict[str, int]", data["visits"]),
        loops={int(number): turns for number, turns in loops.items()},
        answers=cast("dict[str, object]", data["answers"]),
        answer=cast("Answer | None", data["answer"]),
        spent=_read_usage(data["spent"]),
        elapsed_s=cast("float", data["elapsed_s"]),
        seq=cast("int", data["seq"]),
        closing=cast("bool", data["closing"]),
        limits=None if limits is None else _read_limits(limits),
    )


def _usage_data(spent: Usage) -> tuple[object, ...]:
    return (spent.tokens, spent.money, spent.iterations, spent.tool_calls)


def _read_usage(data: object) -> Usage:
    tokens, money, iterations, tool_calls = cast("tuple[int, Decimal, int, int]", data)
    return Usage(tokens=tokens, money=money, iterations=iterations, tool_calls=tool_calls)


def _limits_data(limits: Limits) -> tuple[object, ...]:
    return (limits.tokens, limits.money, limits.wall_s, limits.iterations, limits.tool_calls)


def _read_limits(data: object) -> Limits:
    tokens, money, wall_s, iterations, tool_calls = cast(
        "tuple[int | None, Decimal | None, float | None, int | None, int | None]", data
    )
    return Limits(
        tokens=tokens, money=money, wall_s=wall_s, iterations=iterations, tool_calls=tool_calls
    )


def _child_data(child: ChildRun, codec: StateCodec) -> dict[str, object]:
    standing = child.frontier
    return {
        "key": child.key,
        "flow": child.flow,
        "path": child.path,
        "kb_refs": child.kb_refs,
        "frontier": None if standing is None else write_frontier(standing, codec),
        "result": child.result,
        "begun": child.begun,
        "tags": child.tags,
    }


def _read_child(data: Mapping[str, object], codec: StateCodec) -> ChildRun:
    standing = cast("Mapping[str, object] | None", data["frontier"])
    return ChildRun(
        key=cast("str", data["key"]),
        flow=cast("str", data["flow"]),
        path=cast("str", data["path"]),
        kb_refs=cast("tuple[str, ...]", data["kb_refs"]),
        frontier=None if standing is None else read_frontier(standing, codec),
        result=cast("ChildResult | None", data["result"]),
        begun=cast("bool", data["begun"]),
        tags=cast("Mapping[str, object]", data["tags"]),
    )


def _track_data(track: Track, codec: StateCodec) -> dict[str, object]:
    # A branch's state is its parent's and its own patches: only the first track's is written.
    return {
        "at": track.at,
        "stop": track.stop,
        "optional_head": track.optional_head,
        "came": track.came,
        "state": None if track.stop else track.state,
        "patches": track.patches,
        "branches": [_track_data(branch, codec) for branch in track.branches],
        "share": _limits_data(track.share),
        "spent": _usage_data(track.spent),
        "child": None if track.child is None else _child_data(track.child, codec),
        "into": track.into,
    }


def _read_track(
    data: Mapping[str, object], inherited: Mapping[str, object], *, codec: StateCodec
) -> Track:
    patches = cast("list[Mapping[str, object]]", data["patches"])
    own = cast("dict[str, object] | None", data["state"])
    state = inherited if own is None else MappingProxyType(own)
    for patch in patches:
        state = merge(state, patch)
    branches = cast("list[dict[str, object]]", data["branches"])
    child = cast("dict[str, object] | None", data["child"])
    return Track(
        at=cast("str", data["at"]),
        stop=cast("str", data["stop"]),
        optional_head=cast("str", data["optional_head"]),
        came=cast("tuple[str, ...]", data["came"]),
        state=state,
        patches=patches,
        branches=[_read_track(branch, state, codec=codec) for branch in branches],
        share=_read_limits(data["share"]),
        spent=_read_usage(data["spent"]),
        child=None if child is None else _read_child(child, codec),
        into=cast("str", data["into"]),
    )
