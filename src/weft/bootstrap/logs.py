"""Log lines, as the settings have them."""

from __future__ import annotations

from weft.config import Settings
from weft.ports.telemetry.logs import Logs


def logs_of(settings: Settings) -> Logs | None:
    """Return what writes log lines; None where none are wanted."""
    if settings.values.log == "none":
        return None
    # Here, because a question on one's own machine writes none.
    from weft.adapters.logs.logs import LogLines

    as_json = {"json": True, "text": False}.get(settings.values.log)
    return LogLines(as_json=as_json, preview_max=settings.values.log_tool_preview_max)
