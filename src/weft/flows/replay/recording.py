"""A run as it was recorded, and what of it no longer stands as it did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from weft.agents.tools.web import WEB
from weft.domain.event import EventType, RunEvent
from weft.domain.frozen import dataclass
from weft.domain.ids import ChunkId, DocumentId
from weft.domain.scope import Scope
from weft.flows.beginning import Beginning
from weft.flows.replay.comparison import Difference
from weft.platform.recorded_calls import reply_hash
from weft.ports.records.runs import Run
from weft.ports.records.tape import TapeEntry, TapeKind
from weft.ports.records.tool_runs import ToolRun
from weft.verification.citations import Citable


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """All that is on record of a run that has ended."""

    run: Run
    events: Sequence[RunEvent]
    calls: Sequence[ToolRun]
    tape: Sequence[TapeEntry]
    beginning: Beginning

    @property
    def tool_replies(self) -> Iterator[tuple[RunEvent, ToolRun]]:
        """Yield the calls that gave something, each with the event of its end, in that order."""
        made = {one.call.action_id: one for one in self.calls if one.outcome is not None}
        for event in self.events:
            if event.type is EventType.TOOL_FINISHED:
                call = made.pop(str(event.data.get("action_id")), None)
                if call is not None:
                    yield event, call


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passage:
    """A passage that a tool gave: in which base, document and chunk it stands."""

    base: str
    document: DocumentId
    chunk: ChunkId


def changed_reply(recording: Recording) -> Difference | None:
    """Return the first tool's reply that is not the one its tape has the hash of."""
    hashes = {
        one.key: str(one.reply["hash"])
        for one in recording.tape
        if one.kind is TapeKind.TOOL and isinstance(one.reply, Mapping) and "hash" in one.reply
    }
    for event, call in recording.tool_replies:
        action = call.call.action_id
        assert call.outcome is not None
        now = reply_hash(call.outcome)
        if action in hashes and hashes[action] != now:
            named = {"tool": call.call.tool, "action_id": action}
            there = _at(event, "tool_reply")
            then = hashes[action]
            return replace(there, part="hash", recorded=then, replayed=now, named=named)
    return None


async def changed_document(
    recording: Recording, bases: Iterable[Citable], scope: Scope
) -> Difference | None:
    """Return the first passage that a tool gave and that no longer stands in its document."""
    given = [(event, _passages(call)) for event, call in recording.tool_replies]
    there: set[_Passage] = set()
    for base in bases:
        wanted = {one.chunk: one for _, some in given for one in some if one.base == base.name}
        stored = await base.knowledge.chunks(scope, list(wanted))
        there.update(wanted[one.chunk.id] for one in stored)
    for event, passages in given:
        for one in passages:
            if one not in there:
                named = {"knowledge_base": one.base, "document": one.document}
                place = _at(event, "document")
                return replace(place, part="chunk", recorded=one.chunk, named=named)
    return None


def _passages(call: ToolRun) -> list[_Passage]:
    """Return the passages that a reply holds; what the web said stands nowhere else."""
    output: Any = None if call.outcome is None else call.outcome.output
    items = output.get("evidence", ()) if isinstance(output, Mapping) else ()
    return [
        _Passage(
            base=str(item["knowledge_base"]),
            document=DocumentId(str(item["document_id"])),
            chunk=ChunkId(str(item["chunk_id"])),
        )
        for item in items
        if isinstance(item, Mapping) and "chunk_id" in item and item["knowledge_base"] != WEB
    ]


def _at(event: RunEvent, what: str) -> Difference:
    """Return a difference of a kind, where an event stands."""
    return Difference(what=what, seq=event.seq, node=event.node, type=str(event.type))
