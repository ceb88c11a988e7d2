"""How a run ended, or why it stands still."""

from __future__ import annotations

from collections.abc import Mapping

from weft.domain.answer import Answer
from weft.domain.errors import WeftError
from weft.domain.frozen import dataclass
from weft.ports.records.runs import RunStatus
from weft.runtime.amounts import Usage
from weft.runtime.context import AwaitedAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What came of a run: its last state, its answer if a node gave one, and how it ended.

    `error` is what failed or cancelled it, `questions` what it waits for, `seq` its last event.
    """

    status: RunStatus
    state: Mapping[str, object]
    answer: Answer | None
    usage: Usage
    seq: int
    error: WeftError | None = None
    questions: tuple[AwaitedAnswer, ...] = ()
