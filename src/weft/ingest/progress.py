"""How far bringing a source in step has come."""

from __future__ import annotations

from collections.abc import Callable

from weft.domain.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestProgress:
    """How far a run has come; `failed` counts files that gave no text, each named in the ledger.

    `gone` counts files that are not there any more and whose documents stay, because removals were
    not to count. `unlinked` names the lines of links files whose entities are not there. `rate` is
    chunks a second of late, `seconds_left` an estimate; None while nothing can be said. `retried`
    counts how often something that may pass was tried again.
    """

    files: int
    files_done: int = 0
    unchanged: int = 0
    failed: int = 0
    removed: int = 0
    gone: int = 0
    retried: int = 0
    documents: int = 0
    chunks: int = 0
    current: str = ""
    rate: float = 0.0
    seconds_left: float | None = None
    unlinked: tuple[str, ...] = ()


Watch = Callable[[IngestProgress], None]
