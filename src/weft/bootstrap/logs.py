"""Log lines, as the settings have them."""

from __future__ import annotations

from weft.config import Settings
from weft.ports.telemetry.logs import Logs
from weft.runtime.live_runs import Tap


def logs_of(settings: Settings) -> Logs | None:
    """Return what writes log lines; None where none are wanted."""
    if settings.values.log == "none":
        return None
    # Here, because a question on one's own machine writes none.
    from weft.adapters.logs.logs import LogLines

    as_json = {"json": True, "text": False}.get(settings.values.log)
    return LogLines(as_json=as_json, preview_max=settings.values.log_tool_preview_max)


def lines_of_runs(settings: Settings) -> list[Tap]:
    """Return what writes the lines of a command's own runs, where lines are asked for by name."""
    if settings.values.log not in ("json", "text"):
        return []
    from weft.platform.tracing.run_log import RunLog

    logs = logs_of(settings)
    return [] if logs is None else [RunLog(logs).observe]
