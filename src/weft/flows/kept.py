"""Reports on the tapes of their runs: read later, and gone with any document that they quote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.reading_rights import ReadingRights
from weft.ports.records.runs import ENDED, Runs
from weft.ports.records.tape import Tape, TapeEntry, TapeKind

_KEY = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReport:
    """What a run gave, or why it cannot be shown: `running`, `ended` without one,
    `source_deleted`, or `not_readable` for whoever asks any more.
    """

    status: str
    payload: Mapping[str, object] | None = None
    why_not: str = ""


async def keep_report(
    tape: Tape, scope: Scope, run_id: RunId, *, payload: Mapping[str, object]
) -> None:
    """Keep what a run gave, with all documents that it read."""
    entry = TapeEntry(
        key=_KEY,
        kind=TapeKind.REPORT,
        request_hash="",
        reply=dict(payload),
        sources=frozenset(await tape.sources(scope, run_id)),
    )
    await tape.put(scope, run_id, entry)


class KeptReports:
    """Reads what runs gave."""

    def __init__(self, runs: Runs, tape: Tape, *, rights: ReadingRights) -> None:
        """Take where runs and their tapes are, and who may read what they read."""
        self._runs = runs
        self._tape = tape
        self._rights = rights

    async def read(self, scope: Scope, run_id: RunId) -> KeptReport:
        """Return what a run gave, to whoever may read all that it read; raise `NotFound`."""
        run = await self._runs.get(scope, run_id)
        entry = await self._tape.find(scope, run_id, _KEY)
        status = run.status.value
        if run.source_deleted or (entry is not None and entry.source_deleted):
            return KeptReport(status=status, why_not="source_deleted")
        if entry is None:
            return KeptReport(status=status, why_not="ended" if run.status in ENDED else "running")
        if not await self._rights.hold(scope, run_id):
            return KeptReport(status=status, why_not="not_readable")
        return KeptReport(status=status, payload=cast("Mapping[str, object]", entry.reply))
