"""The tool calls of a run that is replayed: each gets the reply that it had then."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from weft.domain.errors import NotOnTape
from weft.domain.ids import digest
from weft.ports.records.tape import TapeEntry, TapeKind
from weft.ports.records.tool_runs import ToolCall, ToolOutcome, ToolRun, ToolStatus

_REJECTED = "/rejected"


class RecordedCalls:
    """Replies by the action that had them, without a tool being called.

    With `is_all` they are all the replies there are; else what was not asked then is asked now,
    of tools that only read.
    """

    def __init__(
        self, calls: Iterable[ToolRun], tape: Iterable[TapeEntry], *, is_all: bool
    ) -> None:
        """Take the record of the calls, and the tape that tells which were refused."""
        self.is_all = is_all
        self._calls = {one.call.action_id: one for one in calls}
        self._rejected = {
            one.key.removesuffix(_REJECTED): one.reply["rejected"]
            for one in tape
            if one.kind is TapeKind.TOOL
            and isinstance(one.reply, Mapping)
            and "rejected" in one.reply
        }

    def reply(
        self, call: ToolCall, *, reads: bool, reserve: Callable[[], Callable[[], None]]
    ) -> tuple[ToolOutcome, bool] | None:
        """Return what came of a call, and whether it was remembered; None to make it now.

        A call that was made counts in the budget as it did then. Raises `NotOnTape` for one that
        may not be made now.
        """
        own = self._calls.get(call.action_id)
        if own is not None and (self.is_all or _same(own.call, call)):
            reserve()()
            if own.outcome is not None:
                return own.outcome, False
        else:
            if self.is_all and call.action_id in self._rejected:
                return _rejection(self._rejected[call.action_id]), False
            remembered = next((one for one in self._calls.values() if _same(one.call, call)), None)
            if remembered is not None and remembered.outcome is not None:
                return remembered.outcome, True
        if self.is_all or not reads:
            raise NotOnTape(action_id=call.action_id, tool=call.tool)
        return None


def rejection_key(action_id: str) -> str:
    """Return under which key the tape says why a call was not made."""
    return f"{action_id}{_REJECTED}"


def reply_hash(outcome: ToolOutcome) -> str:
    """Return the hash of a tool's reply, by which a changed record is known."""
    said = json.dumps(outcome.output, ensure_ascii=False, sort_keys=True, default=str)
    return digest(outcome.status.value, said)


def _same(one: ToolCall, other: ToolCall) -> bool:
    return one.tool == other.tool and _json(one.args) == _json(other.args)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _rejection(output: object) -> ToolOutcome:
    return ToolOutcome(status=ToolStatus.REJECTED, output=output, latency_ms=0.0)
