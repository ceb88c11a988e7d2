"""Engines: what schedules the steps of flows, as the settings name it."""

from __future__ import annotations

from weft.bootstrap.app import App
from weft.domain.errors import ConfigurationError
from weft.runtime.engines.task_walker import TaskWalker
from weft.runtime.engines.walking import Walker

_FILE = "checkpoints.db"


def walker_of(app: App) -> Walker:
    """Return the walker of the setting `engine`; LangGraph comes in only where it is chosen.

    Its checkpoints are kept as the records are: in a file of the workspace, or on the same server.
    """
    if app.settings.values.engine == "simple":
        return TaskWalker()
    try:
        from weft.adapters.langgraph.checkpoints import Checkpoints
        from weft.adapters.langgraph.walker import LangGraphWalker
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("langgraph", "langchain_core", "langsmith"):
            raise
        raise ConfigurationError(
            "LangGraph is not installed; run: pip install 'weft[langgraph]'"
        ) from error
    records = app.settings.values.database_url
    on_server = records.startswith("postgresql")
    checkpoints = Checkpoints(records if on_server else f"sqlite:///{app.settings.home / _FILE}")
    app.closing.append(checkpoints.close)
    return LangGraphWalker(checkpoints)
