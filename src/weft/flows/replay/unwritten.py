"""Records that take what a replay writes and keep none of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from weft.domain.event import RunEvent
from weft.domain.ids import DocumentId, RunId
from weft.domain.scope import Scope
from weft.ports.clock import Clock
from weft.ports.records.audit import AuditEntry, AuditHead
from weft.ports.records.tape import RunSource, TapeEntry
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolRun


class RecordedClock:
    """The time of day as it was when the run began; what passes since then passes here too."""

    def __init__(self, clock: Clock, began: datetime) -> None:
        """Take the clock of now, and when the run began."""
        self._clock = clock
        self._began = began
        self._from = clock.elapsed()

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        return self._began + timedelta(seconds=self.elapsed() - self._from)

    def elapsed(self) -> float:
        """Return seconds of a clock that never goes back."""
        return self._clock.elapsed()


class UnwrittenEvents:
    """An `EventSink` that holds the events of one replay."""

    def __init__(self) -> None:
        """Begin with none."""
        self.events: list[RunEvent] = []

    async def append(self, scope: Scope, events: Sequence[RunEvent]) -> None:
        """Hold events."""
        self.events += events


class UnwrittenAudit:
    """An `AuditTrail` for what a replay does inside: its own row in the log says it all."""

    async def append(self, scope: Scope, entry: AuditEntry) -> AuditHead:
        """Let a row pass."""
        return AuditHead(seq=0, mac="")


class UnwrittenTape:
    """The `Tape` of a run that is replayed: what is put there now is held, and the record kept."""

    def __init__(self, entries: Iterable[TapeEntry]) -> None:
        """Take what the run left on its tape."""
        self._entries = {one.key: one for one in entries}
        self.read: set[RunSource] = set()

    async def put(self, scope: Scope, run_id: RunId, entry: TapeEntry) -> None:
        """Hold an entry."""
        self._entries[entry.key] = entry

    async def find(self, scope: Scope, run_id: RunId, key: str) -> TapeEntry | None:
        """Return the entry of that key; None when there is none."""
        return self._entries.get(key)

    async def entries(self, scope: Scope, run_id: RunId) -> list[TapeEntry]:
        """Return all entries, ordered by key."""
        return [self._entries[key] for key in sorted(self._entries)]

    async def add_sources(self, scope: Scope, run_id: RunId, sources: Sequence[RunSource]) -> None:
        """Note which documents the replay read."""
        self.read.update(sources)

    async def sources(self, scope: Scope, run_id: RunId) -> list[RunSource]:
        """Return the documents that the replay read, ordered."""
        return sorted(self.read)

    async def forget(
        self, scope: Scope, knowledge_base: str, *, documents: Sequence[DocumentId] | None
    ) -> int:
        """Empty nothing: no run is kept here."""
        return 0


class UnwrittenToolRuns:
    """The `ToolRuns` of a replay: of what it calls anew no record stays."""

    def __init__(self) -> None:
        """Begin with none."""
        self._calls: dict[str, ToolRun] = {}

    async def begin(self, scope: Scope, call: ToolCall) -> ToolRun:
        """Note that a call begins, or return what there is of it."""
        known = self._calls.get(call.action_id)
        if known is None:
            known = self._calls[call.action_id] = ToolRun(
                call=call, outcome=None, begun_before=False
            )
            return known
        return replace(known, begun_before=True)

    async def finish(
        self, scope: Scope, run_id: RunId, action_id: str, *, outcome: ToolOutcome
    ) -> bool:
        """Hold the outcome of a call; False if it had one already."""
        known = self._calls[action_id]
        if known.outcome is None:
            self._calls[action_id] = replace(known, outcome=outcome)
        return known.outcome is None

    async def of_run(self, scope: Scope, run_id: RunId) -> list[ToolRun]:
        """Return the calls in the order in which they began."""
        return list(self._calls.values())
