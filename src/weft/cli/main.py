"""The command line: where a call begins, and how it ends."""

from __future__ import annotations

import os
import sys

from weft.cli.asking.quick import quick_call
from weft.platform.heap import collect_rarely, share_heap


def main() -> None:
    """Run the command line."""
    # Here, because only a call has streams to look after.
    from weft.cli.terminal.streams import failed_output, watch_streams

    output = watch_streams()
    share_heap()
    collect_rarely()
    # Else pydantic looks through all that is installed for plugins of its own.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    verb = "".join(sys.argv[1:2])
    try:
        _run(verb)
        end = SystemExit(0)
    except SystemExit as ended:
        end = ended
    except OSError:
        if output is None or output.failure is None:
            raise
        end = SystemExit(0)
    if code := failed_output(output):
        _leave(code)
    if verb == "ask" and isinstance(end.code, int):
        _leave(end.code)
    raise end


def _run(verb: str) -> None:
    if verb == "ask":
        # A question multiplies nothing large, and numpy's threads, as they wait for it, keep a
        # processor from what opens the networks.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    call = quick_call(sys.argv[1:])
    if call is None:
        # Here, because what reads options and writes help takes longer to load than a plain
        # question to be answered.
        from weft.cli.verbs import command_line

        command_line(verb)()
        return
    from weft.cli.asking.call import answer

    answer(call)


def _leave(code: int) -> None:
    """End the process at once: all that was written has arrived, or never will.

    By now everything is closed. Python would take all that was loaded apart, piece by piece, which
    takes a twentieth of a second that somebody waits for.
    """
    sys.stderr.flush()
    os._exit(code)
