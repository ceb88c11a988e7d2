"""Runs as they leave: answers and ingestions alike."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

Kind = Literal["answer", "ingest"]


class ProgressShape(BaseModel):
    """How far an ingestion has come.

    `rate` is chunks a second of late; `seconds_left` an estimate, null while nothing can be said;
    `retried` how often something was tried again.
    """

    files_total: int
    files_done: int
    unchanged: int
    failed: int
    removed: int
    retried: int = 0
    documents: int
    chunks: int
    current: str
    rate: float = 0.0
    seconds_left: float | None = None


class RunShape(BaseModel):
    """A run: `kind` is answer or ingest; only an ingestion has `progress`."""

    run_id: str
    kind: Kind
    status: str
    flow: str
    agent: str
    question: str
    kb: list[str]
    started: datetime
    finished: datetime | None
    summary: dict[str, object]
    source_deleted: bool
    progress: ProgressShape | None = None
    error: str = ""
