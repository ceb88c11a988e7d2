"""The schedules of every tenant, as workers see them: what is due is put in line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Timetable(Protocol):
    """Puts in line what is due, each time once however many workers ask."""

    async def begin_due(self) -> Sequence[str]:
        """Put the jobs that are due in line with their owners' rights; return their ids.

        Of several times that passed while nobody worked, one is made up for. Where the job of the
        time before has not ended, or another of its key is in line, none is begun: the schedule
        tells of the miss. What was written while the clock was ahead goes by the clock of now.
        """
        ...
