"""How long the stages of ingestion take, told to whoever counts them in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEnd:
    """A stage that ended; `is_done` unless it failed."""

    name: str
    seconds: float
    is_done: bool


Observer = Callable[[StageEnd], None]
_OBSERVER: ContextVar[Observer | None] = ContextVar("weft_stages", default=None)


def observe_stages(observer: Observer) -> None:
    """Have the stages of all work that this task begins from now on told to an observer."""
    _OBSERVER.set(observer)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Time one stage; nobody listening, it costs nothing."""
    observer = _OBSERVER.get()
    if observer is None:
        yield
        return
    began, is_done = time.perf_counter(), False
    try:
        yield
        is_done = True
    finally:
        observer(StageEnd(name=name, seconds=time.perf_counter() - began, is_done=is_done))
