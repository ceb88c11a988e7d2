"""What is written to a log of runs: that they ended, and what failed in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from weft.domain.event import TERMINAL, EventType, RunEvent
from weft.domain.ids import RunId
from weft.ports.telemetry.logs import Logs

_OK = "ok"


class RunLog:
    """Writes a line for each run that ends, and for each node, model and tool that failed."""

    def __init__(self, logs: Logs) -> None:
        """Take where lines go."""
        self._logs = logs
        self._begun: dict[RunId, tuple[datetime, str]] = {}

    def observe(self, events: Sequence[RunEvent]) -> None:
        """Write what events tell."""
        for event in events:
            self._observe(event)

    def _observe(self, event: RunEvent) -> None:
        data, run, warn = event.data, event.run_id, self._logs.warn
        match event.type:
            case EventType.RUN_STARTED:
                self._begun[run] = (event.ts, str(data.get("flow", "")))
            case EventType.TOOL_REQUESTED:
                # Handed on as they are: they are written, and go out, only where that is wanted.
                shown = data.get("args")
                self._logs.tell("tool_requested", run_id=run, tool=data.get("tool"), preview=shown)
            case EventType.NODE_FAILED:
                warn("node_failed", run_id=run, node=event.node, code=data.get("code", ""))
            case EventType.MODEL_CALLED if not data.get("ok"):
                warn("model_failed", run_id=run, node=event.node, ms=data.get("ms", 0))
            case EventType.TOOL_FINISHED if data.get("status") != _OK:
                status = data.get("status")
                warn("tool_failed", run_id=run, tool=data.get("tool"), status=status)
            case _ if event.type in TERMINAL:
                began, flow = self._begun.pop(run, (event.ts, ""))
                ms = round((event.ts - began).total_seconds() * 1000, 1)
                status = event.type.value.removeprefix("run_")
                self._logs.tell("run_ended", run_id=run, flow=flow, status=status, ms=ms)
