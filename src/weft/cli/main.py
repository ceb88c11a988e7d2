"""The command line: where a call begins, and how it ends."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from weft.cli.asking.quick import quick_call
from weft.platform.heap import collect_rarely, share_heap

if TYPE_CHECKING:
    from weft.cli.asking.call import AskCall


def main() -> None:
    """Run the command line."""
    share_heap()
    collect_rarely()
    # Else pydantic looks through all that is installed for plugins of its own.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    verb = "".join(sys.argv[1:2])
    if verb == "ask":
        # A question multiplies nothing large, and numpy's threads, as they wait for it, keep a
        # processor from what opens the networks.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    call = quick_call(sys.argv[1:])
    try:
        if call is None:
            # Here, because what reads options and writes help takes longer to load than a plain
            # question to be answered.
            from weft.cli.verbs import command_line

            command_line(verb)()
        else:
            _answer(call)
    except SystemExit as end:
        if verb == "ask":
            _leave(end)
        raise


def _answer(call: AskCall) -> None:
    """Answer, and end the process as any verb does."""
    from weft.cli.asking.call import answer

    try:
        answer(call)
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        # Who reads is gone: nothing more is said, not even as Python ends.
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        raise SystemExit(1) from None
    raise SystemExit(0)


def _leave(end: SystemExit) -> None:
    """End the process at once, if all that was written has arrived.

    By now everything is closed. Python would take all that was loaded apart, piece by piece, which
    takes a twentieth of a second that somebody waits for.
    """
    if isinstance(end.code, int):
        with suppress(OSError):  # who read is gone: Python ends as it always does then
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code)
