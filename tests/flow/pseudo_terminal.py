"""A command run on a terminal: what the terminal gets, codes and all."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Colours, bold and dim are codes of this one form; moving and clearing are others.
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """How a call ended, and all that its terminal got."""

    code: int
    raw: str

    @property
    def text(self) -> str:
        """Return what was written, without codes."""
        return CODES.sub("", self.raw).replace("\r\n", "\n")

    @property
    def has_colours(self) -> bool:
        """Tell whether anything was coloured, bold or dim."""
        return bool(COLOURS.search(self.raw))


def on_terminal(
    words: Sequence[str],
    *,
    folder: Path,
    settings: Mapping[str, str],
    columns: int = 100,
    seconds: float = 60,
) -> Seen:
    """Run a command whose input and both outputs are one terminal; only `settings` are set."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    running = subprocess.Popen(
        words, cwd=folder, env=dict(settings), stdin=follower, stdout=follower, stderr=follower
    )
    os.close(follower)
    raw, end = b"", time.monotonic() + seconds
    waiting = select.poll()
    waiting.register(leader, select.POLLIN)
    try:
        while time.monotonic() < end:
            if not waiting.poll(200):
                if running.poll() is not None:
                    break
                continue
            try:
                part = os.read(leader, 65_536)
            except OSError:  # its end: nobody holds the other side any more
                break
            if not part:
                break
            raw += part
        code = running.wait(timeout=60)
    finally:
        running.kill()
        running.wait()
        os.close(leader)
    return Seen(code=code, raw=raw.decode("utf-8", "replace"))
