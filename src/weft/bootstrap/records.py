"""The platform's records: one database in the workspace, or on a server."""

from __future__ import annotations

from weft.adapters.sql.records import Records, open_records
from weft.adapters.sql.retention import Retention
from weft.config import Settings
from weft.platform.secret import secret_in
from weft.platform.time import SystemClock
from weft.platform.workspace import open_workspace


def records_of(settings: Settings, clock: SystemClock) -> Records:
    """Open the records; history is among them unless the settings keep it in memory."""
    open_workspace(settings.home)
    url = settings.values.database_url or f"sqlite:///{settings.home / 'records.db'}"
    values = settings.values
    retention = Retention(
        stored=values.history == "stored",
        limit=values.history_limit,
        hours=values.history_hours,
    )
    key = secret_in(settings.home / "audit.key")
    return open_records(
        url,
        audit_key=key,
        clock=clock,
        retention=retention,
        audit_heads=settings.home / "audit.heads",
    )
