"""The record of runs: a header, an append-only list of events, and where a suspended run stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from weft.domain.event import EventType, RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope


class RunStatus(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    SUSPENDED = "suspended"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({RunStatus.FINISHED, RunStatus.FAILED, RunStatus.CANCELLED})

# How a run stands after its last event.
ENDED_BY: Mapping[EventType, RunStatus] = {
    EventType.RUN_FINISHED: RunStatus.FINISHED,
    EventType.RUN_FAILED: RunStatus.FAILED,
    EventType.RUN_CANCELLED: RunStatus.CANCELLED,
}

# Events of these types hold numbers only; the data of all others goes with a deleted source.
KEEP_DATA = frozenset({EventType.BUDGET_UPDATED, EventType.BUDGET_EXCEEDED, EventType.MODEL_CALLED})

# What stands in place of what a run wrote from a document that was deleted since.
SOURCE_DELETED: Mapping[str, object] = {"source_deleted": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHeader:
    """What is known of a run when it begins: `preview` is the caller's own words, cut short."""

    run_id: RunId
    agent: str
    flow: str
    started: datetime
    question_hash: str = ""
    preview: str = ""
    kb_refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as it stands; `summary` is JSON, empty before the end.

    With `source_deleted`, a document that the run read is gone, and all it wrote was emptied.
    """

    header: RunHeader
    actor: str
    status: RunStatus
    finished: datetime | None = None
    summary: Mapping[str, object] = field(default_factory=dict)
    source_deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """A page of a list of runs; `cursor` asks for the next one and is empty on the last."""

    runs: tuple[Run, ...]
    cursor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs: of that status, and that asked that knowledge base; empty: any."""

    status: str = ""
    knowledge_base: str = ""


class Runs(Protocol):
    """Keeps runs. Only its owner writes to a run; it is read by its owner or under `run.read.all`.

    An unknown run and someone else's raise the same `NotFound`.
    """

    async def create(self, scope: Scope, header: RunHeader) -> None:
        """Begin a run of the caller; again with the same id changes nothing."""
        ...

    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        """Add events of one run in one transaction; a `seq` that is there stays as it is."""
        ...

    async def finish(
        self, scope: Scope, run_id: RunId, *, status: RunStatus, summary: Mapping[str, object]
    ) -> None:
        """End a run and drop its frontier; a run that has ended stays as it ended."""
        ...

    async def get(self, scope: Scope, run_id: RunId) -> Run:
        """Return a run, or raise `NotFound`."""
        ...

    async def newest(
        self, scope: Scope, *, limit: int, cursor: str = "", wanted: RunFilter | None = None
    ) -> RunPage:
        """Return the readable runs that are wanted, the newest first.

        They go on from where the page of `cursor` ended, which had the same filter.
        """
        ...

    async def events(self, scope: Scope, run_id: RunId, *, after_seq: int = 0) -> list[RunEvent]:
        """Return a run's events past `after_seq`, in order."""
        ...

    async def save_frontier(
        self,
        scope: Scope,
        run_id: RunId,
        *,
        frontier: Mapping[str, object],
        status: RunStatus = RunStatus.RUNNING,
    ) -> None:
        """Keep where a run stands, in place of what was kept before; an ended run keeps nothing."""
        ...

    async def load_frontier(self, scope: Scope, run_id: RunId) -> Mapping[str, object] | None:
        """Return where the caller's run stands; None when there is nothing to go on from."""
        ...

    async def erase(self, scope: Scope, run_id: RunId) -> None:
        """Erase a run of the caller that outlived its conversation; again does nothing."""
        ...
