"""How long a test waits for what comes, and how it waits where nothing tells that it came."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# Seconds: far beyond what anything here takes on a quiet machine, so that a busy one fails no
# test, and far below what it takes to do nothing at all. Figures are for the benches.
SOON = 20.0
# The same for what others do by and by: a worker, a process, a folder's whole reading.
IN_THE_END = 75.0


def eventually(
    look: Callable[[], T], *, what: str, seconds: float = IN_THE_END, rest: float = 0.05
) -> T:
    """Look until what is seen counts as true, and return it.

    `what` names it where it is not there within `seconds`. Between two looks is a `rest` (seconds):
    who asks a service without one is soon told to wait.
    """
    until = time.monotonic() + seconds
    while not (seen := look()):
        assert time.monotonic() < until, f"{what} is awaited for {seconds:g} s, in vain"
        time.sleep(rest)
    return seen
