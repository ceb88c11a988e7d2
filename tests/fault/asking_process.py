"""A process that asks one question and is killed, as by `kill -9`, once it saved its run so often.

Usage: python asking_process.py KILL_AT WORD…: `weft WORD…` that ends at the KILL_AT-th save.
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from typing import Any

from weft.adapters.sql.answering.run_writer import RunWriter

if __name__ == "__main__":
    kill_at, *words = sys.argv[1:]
    save, saves = RunWriter.save_frontier, count(1)

    async def save_and_die(self: RunWriter, *args: Any, **named: Any) -> None:
        await save(self, *args, **named)
        if next(saves) == int(kill_at):
            os.kill(os.getpid(), signal.SIGKILL)

    RunWriter.save_frontier = save_and_die  # type: ignore[method-assign]  # the point of it
    sys.argv = ["weft", *words]
    from weft.cli.main import main

    main()
