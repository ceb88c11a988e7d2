"""Replaying a recorded run: nothing is written but that it was done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.domain.answer import Answer
from weft.domain.errors import BadInput
from weft.domain.event import RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import RunId
from weft.domain.scope import Scope
from weft.flows.replay.comparison import Difference, differences, settled
from weft.flows.replay.recording import Recording, changed_document, changed_reply
from weft.flows.replay.reenactment import AS_IT_WAS, Again, Change, Reenactment, ReplayParts
from weft.flows.running import FlowRunner
from weft.flows.toolkits import citable
from weft.platform.access import require
from weft.platform.audit import AuditedAct, audited, counted_ids
from weft.ports.records.audit import Deed
from weft.ports.records.runs import ENDED, Run, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class SideBySide:
    """Both answers, and where each branch of a changed replay first departs from the record."""

    recorded: str
    replayed: str
    differences: tuple[Difference, ...]

    def as_json(self) -> dict[str, object]:
        """Return both as JSON."""
        told = [one.as_json() for one in self.differences]
        return {"recorded": self.recorded, "replayed": self.replayed, "differences": told}


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What came of a replay; `events` is how many the run has on record.

    With `source_deleted` a document that the run read is gone, and nothing can be compared.
    """

    run_id: RunId
    events: int
    first_difference: Difference | None = None
    source_deleted: bool = False
    side_by_side: SideBySide | None = None

    @property
    def equal(self) -> bool:
        """Tell whether the run came out as it had."""
        return self.first_difference is None

    def as_json(self) -> dict[str, object]:
        """Return it as JSON."""
        first = self.first_difference
        told: dict[str, object] = {
            "run_id": self.run_id,
            "equal": self.equal,
            "first_difference": None if first is None else first.as_json(),
            "source_deleted": self.source_deleted,
            "events": self.events,
        }
        if self.side_by_side is not None:
            told["side_by_side"] = self.side_by_side.as_json()
        return told


class Replayer:
    """Replays the runs of a `FlowRunner`."""

    def __init__(self, runner: FlowRunner, parts: ReplayParts) -> None:
        """Take what runs flows here, and what a replay needs besides."""
        self._runner = runner
        self._services = runner.services
        self._parts = parts

    async def replay(self, scope: Scope, run_id: RunId, change: Change = AS_IT_WAS) -> Replay:
        """Go through a run once more under the caller's rights, and compare it with its record.

        Models and tools reply what they replied then. With a `change` what was not asked then is
        asked now. Raises `NotFound`, `Forbidden`, and `BadInput` for a run that cannot be replayed.
        """
        target = f"run:{run_id}"
        deed = Deed(action="run.replay", target=target, meta=_told(change))
        async with audited(self._services.audit, scope, deed) as act:
            require(scope, "run.read", target)
            if change:
                require(scope, "ask", target)
            run = await self._services.runs.get(scope, run_id)
            if run.status not in ENDED:
                raise BadInput(f"the run is {run.status.value}: only one that ended is replayed.")
            found = await self._replayed(scope, run, change, act)
            act.note(equal=found.equal, source_deleted=found.source_deleted)
        return found

    async def _replayed(self, scope: Scope, run: Run, change: Change, act: AuditedAct) -> Replay:
        run_id = run.header.run_id
        events = await self._services.runs.events(scope, run_id)
        plain = Replay(run_id=run_id, events=len(events))
        if run.source_deleted:
            return replace(
                plain, source_deleted=True, first_difference=Difference(what="source_deleted")
            )
        if not await self._parts.reading.hold(scope, run_id):
            return replace(plain, first_difference=Difference(what="rights"))
        recording = await self._recording(scope, run, events)
        again = await self._again(recording).run(scope)
        first = await self._first(scope, recording, again)
        if not change:
            return replace(plain, first_difference=first)
        other = await self._again(recording, change).run(scope)
        act.note(**counted_ids(documents=other.read))
        found = self._compared(recording, other)
        both = SideBySide(
            recorded=_text(again.answer), replayed=_text(other.answer), differences=tuple(found)
        )
        return replace(plain, first_difference=next(iter(found), None), side_by_side=both)

    async def _recording(self, scope: Scope, run: Run, events: Sequence[RunEvent]) -> Recording:
        run_id, services = run.header.run_id, self._services
        flow = self._runner.catalog.find(run.header.flow)
        beginning = await self._runner.beginnings(flow).find(scope, run_id)
        if beginning is None:
            raise BadInput("the run was recorded before runs could be replayed.", run=run_id)
        return Recording(
            run=run,
            events=settled(events),
            calls=await services.tool_runs.of_run(scope, run_id),
            tape=await services.tape.entries(scope, run_id),
            beginning=beginning,
        )

    async def _first(self, scope: Scope, recording: Recording, again: Again) -> Difference | None:
        """Return the first difference: of the record itself, of documents, of what happened."""
        library = await self._services.toolkits.open_library(scope, recording.run.header.kb_refs)
        found = [
            changed_reply(recording),
            await changed_document(recording, citable(library), scope),
            *self._compared(recording, again)[:1],
        ]
        return min((one for one in found if one is not None), key=_place, default=None)

    def _compared(self, recording: Recording, again: Again) -> list[Difference]:
        is_cut = recording.run.status is RunStatus.CANCELLED
        return differences(recording.events, again.events, is_cut=is_cut)

    def _again(self, recording: Recording, change: Change = AS_IT_WAS) -> Reenactment:
        return Reenactment(
            runner=self._runner, parts=self._parts, recording=recording, change=change
        )


def _told(change: Change) -> dict[str, object]:
    """Return a change as a row of the log tells it."""
    told = {"with": change.prompt, "model": change.model}
    return {name: value for name, value in told.items() if value}


def _text(answer: Answer | None) -> str:
    return "" if answer is None else answer.answer


def _place(one: Difference) -> int:
    return one.seq or 10**9
