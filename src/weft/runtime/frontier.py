"""Where a run stands: what it takes to go on later without starting over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Protocol, cast

from weft.domain.answer import Answer
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.ports.records.runs import RunStatus
from weft.runtime.budget import NO_USAGE, Usage
from weft.runtime.codec import StateCodec
from weft.runtime.context import EMPTY
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
    its fork; it is merged into the parent's state where the branches join.
    """

    at: str
    stop: str = ""
    optional_head: str = ""
    came: tuple[str, ...] = ()
    state: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    patches: list[Mapping[str, object]] = field(default_factory=list)
    branches: list[Track] = field(default_factory=list)

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

    def join(self) -> None:
        """Merge what the branches changed, in the order they were declared, and end them.

        Branches that have not ended give what they have so far.
        """
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


def write_frontier(frontier: Frontier, codec: StateCodec) -> Mapping[str, object]:
    """Return the frontier as JSON, or raise `BadInput` for state that JSON cannot carry."""
    spent = frontier.spent
    return {
        name: codec.encode(value)
        for name, value in {
            "flow": frontier.flow,
            "track": _track_data(frontier.track),
            "visits": frontier.visits,
            "loops": frontier.loops,
            "answers": frontier.answers,
            "answer": frontier.answer,
            "spent": (spent.tokens, spent.money, spent.iterations, spent.tool_calls),
            "elapsed_s": frontier.elapsed_s,
            "seq": frontier.seq,
            "closing": frontier.closing,
        }.items()
    }


def read_frontier(saved: Mapping[str, object], codec: StateCodec) -> Frontier:
    """Return the frontier that `write_frontier` wrote, or raise `StoreCorrupt`."""
    data = {name: codec.decode(value) for name, value in saved.items()}
    tokens, money, iterations, tool_calls = cast("tuple[int, Decimal, int, int]", data["spent"])
    spent = Usage(tokens=tokens, money=money, iterations=iterations, tool_calls=tool_calls)
    loops = cast("dict[str, int]", data["loops"])
    return Frontier(
        flow=cast("str", data["flow"]),
        track=_read_track(cast("dict[str, object]", data["track"]), EMPTY),
        visits=cast("dict[str, int]", data["visits"]),
        loops={int(number): turns for number, turns in loops.items()},
        answers=cast("dict[str, object]", data["answers"]),
        answer=cast("Answer | None", data["answer"]),
        spent=spent,
        elapsed_s=cast("float", data["elapsed_s"]),
        seq=cast("int", data["seq"]),
        closing=cast("bool", data["closing"]),
    )


def _track_data(track: Track) -> dict[str, object]:
    # A branch's state is its parent's and its own patches: only the first track's is written.
    return {
        "at": track.at,
        "stop": track.stop,
        "optional_head": track.optional_head,
        "came": track.came,
        "state": None if track.stop else track.state,
        "patches": track.patches,
        "branches": [_track_data(branch) for branch in track.branches],
    }


def _read_track(data: Mapping[str, object], inherited: Mapping[str, object]) -> Track:
    patches = cast("list[Mapping[str, object]]", data["patches"])
    own = cast("dict[str, object] | None", data["state"])
    state = inherited if own is None else MappingProxyType(own)
    for patch in patches:
        state = merge(state, patch)
    branches = cast("list[dict[str, object]]", data["branches"])
    return Track(
        at=cast("str", data["at"]),
        stop=cast("str", data["stop"]),
        optional_head=cast("str", data["optional_head"]),
        came=cast("tuple[str, ...]", data["came"]),
        state=state,
        patches=patches,
        branches=[_read_track(branch, state) for branch in branches],
    )
